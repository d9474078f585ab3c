"""What an answer is paid: weights of a right number and of its form."""

# 0.25 is exact in binary, so that equal answers have equal rewards in any precision; 0.1 and 0.2 are not.
REWARDS: dict[str, dict[str, float]] = {
    "full": {"correct": 1.0, "form": 0.25},
    "format_only": {"correct": 0.0, "form": 0.25},
    "correct_only": {"correct": 1.0, "form": 0.0},
}
