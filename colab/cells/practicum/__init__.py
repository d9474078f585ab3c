"""Cells of the practicum with a language model, in percent format; they run in the notebook and are never imported."""
