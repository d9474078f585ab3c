"""Practicum B: the notebook that takes a scenario to a language model, its controls, its words, its making."""
