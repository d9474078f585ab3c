"""The example run of the lab, as the entries of its four passports."""

from collections.abc import Mapping
from typing import Any

from pycore.presets import PAPERS
from pycore.protocol import PRESETS
from pycore.verify import NumericContract, Reason

LONGEST = 500  # tokens a response of the example run may have
SPLITS = {
    "unordered": "by unordered pair",
    "ordered": "by ordered pair",
    "random": "at random, row by row",
}
TOLERANCES: dict[str, dict[str, Any]] = {
    "millionth": {},
    "exact": {"tolerance": "exact"},
    "percent": {"relative_tolerance": 0.01},
}
LOG_PROBS = (-0.7, -1.4, -0.2, -3.1, -0.4, -0.9)
NAMES = tuple(PAPERS)


def example(kind: str, controls: Mapping[str, Any]) -> dict[str, Any]:
    """The entries of one passport of the example run under these controls."""
    if kind == "data":
        return {
            "name": "addition",
            "origin": "all sums of two numbers from 10 to 99",
            "license": "none needed: facts of arithmetic",
            "reference_origin": "integer addition",
            "split_rule": SPLITS[controls["split"]],
            "split_seed": 0,
            "training_prompts": 2048,
            "held_out_prompts": 256,
            "initial_success": [0, 0.1, 0.3, 0.6, 1],
            "answer_format": "one \\boxed{number}",
            "chat_template": "sha256 5d1f",
            "stop_reasons": ["end", "limit"],
            "max_prompt_tokens": 32,
            "max_response_tokens": LONGEST,
            "ambiguous_items": "there are none",
            "rejected_log": "rejected.jsonl",
        }
    if kind == "verifier":
        return {
            "name": "numeric",
            "verifier_version": "numeric/1",
            "contract": NumericContract(**TOLERANCES[controls["tolerance"]]).to_dict(),
            "reference_version": "integer addition",
            "refusal_reasons": [str(reason) for reason in Reason if reason is not Reason.CORRECT],
            "suites": {"positive": 0, "negative": 0, "adversarial": 0},
            "false_positive_rate": controls["errors"] / controls["sample"],
            "false_negative_rate": 0.0,
            "sample_size": controls["sample"],
            "reward_weights": {"accuracy": 1.0},
        }
    if kind == "rollout":
        return {
            "prompt_id": "train 17",
            "prompt_tokens": [52, 10, 36],
            "group_id": "update 40 prompt 17",
            "group_size": 8,
            "response_tokens": [59, 8, 8, 3, 5, 1],
            "active_mask": [1] * len(LOG_PROBS),
            "old_log_probs": list(controls["logprobs"]),
            "generator_weights": "after 40 updates",
            "decoding": {"temperature": float(controls["temperature"]), "top_p": 1.0},
            "seed": controls["draw"],
            "rewards": {"accuracy": 1.0},
            "parse_result": "correct",
            "stop_reason": "end",
            "length_before_truncation": len(LOG_PROBS),
            "length": len(LOG_PROBS),
        }
    return {
        "protocol": PRESETS[controls["protocol"]].to_dict(),
        "global_batch": 64,
        "micro_batch": 64,
        "accumulation": 1,
        "devices": 1,
        "loss_denominator": "over the global batch, as the aggregation says",
        "iterations": 1,
        "optimizer": {"name": "Adam", "learning_rate": controls["rate"], "max_norm": 1.0},
        "trained_parameters": "all weights",
        "precision": "bfloat16, loss in float32",
        "generator_mismatch": float(controls["mismatch"]),
        "library_versions": {"torch": "2.13.0"},
    }
