"""Coding exercises: one folder each; `observe`, `judge` and `values` run in the learner's worker and in the tests."""
