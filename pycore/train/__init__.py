"""Practicum A: a small language model that learns by reinforcement from a verifier, one slice of work at a time."""

from pycore.train.loop import base_policy, measure, run, sums
from pycore.train.part import Part
from pycore.train.recipe import COLLAPSE, HEALTHY, PROFILES, Evaluating, Recipe, StopRule
from pycore.train.record import AXES, EVALUATION_METRICS, TIMING_METRICS, UPDATE_METRICS, Checkpoint, Progress, Record
from pycore.train.task import Graded, Sums, Task

__all__ = [
    "AXES",
    "COLLAPSE",
    "EVALUATION_METRICS",
    "HEALTHY",
    "PROFILES",
    "TIMING_METRICS",
    "UPDATE_METRICS",
    "Checkpoint",
    "Evaluating",
    "Graded",
    "Part",
    "Progress",
    "Recipe",
    "Record",
    "StopRule",
    "Sums",
    "Task",
    "base_policy",
    "measure",
    "run",
    "sums",
]
