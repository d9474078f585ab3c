"""Cells that every notebook has, in percent format; they run in the notebook and are never imported."""
