"""The passports of a run: what must be known of its data, verifier, rollouts and updates to redo it."""

from typing import Any

import numpy as np

from pycore import arithmetic
from pycore.passport import DataPassport, RolloutPassport, UpdatePassport, VerifierPassport, json_digest
from pycore.policy import Rollout
from pycore.train.recipe import Recipe
from pycore.train.task import Graded

VERIFIER_VERSION = "arithmetic/1"
STOPS = ("end", "limit")


def passports(recipe: Recipe) -> dict[str, dict[str, Any]]:
    """Passports of data, verifier and update, for a journal's header; `missing` tells what only the run can fill in.

    >>> sorted(passports(Recipe()))
    ['data', 'update', 'verifier']
    """
    sizes = recipe.sizes
    grammar = arithmetic.grammar(recipe.max_tokens)
    data = DataPassport(
        name="two-digit addition",
        origin="all unordered pairs of numbers from 10 to 99, each asked in one order drawn at random",
        license="none needed: facts of arithmetic",
        reference_origin="integer addition",
        split_rule="by unordered pair, dealt from one seeded permutation",
        split_seed=recipe.seed,
        training_prompts=sizes.prompts,
        held_out_prompts=sizes.held_out,
        answer_format="units, carry, tens, then the end, or carry, 1 and the end",
        chat_template="a1 a0 + b1 b0 =",
        stop_reasons=STOPS,
        max_prompt_tokens=arithmetic.PROMPT_LENGTH,
        max_response_tokens=len(grammar.allowed),
        ambiguous_items="there are none",
        rejected_log="detail.rejected of each update",
    )
    verifier = VerifierPassport(
        name="arithmetic",
        verifier_version=VERIFIER_VERSION,
        contract={"vocabulary": list(arithmetic.TOKENS), "grammar": json_digest(grammar.allowed.tolist())},
        reference_version=VERIFIER_VERSION,
        refusal_reasons=("unparsed", "wrong", "inconsistent"),
        suites={"enumeration": "every response to every prompt class against integer addition, in the unit tests"},
        false_positive_rate=0.0,
        false_negative_rate=0.0,
        reward_weights=dict(arithmetic.WEIGHTS),
    )
    update = UpdatePassport(
        protocol=recipe.to_dict()["protocol"],
        global_batch=recipe.batch * recipe.group,
        micro_batch=recipe.batch * recipe.group,
        accumulation=1,
        devices=1,
        loss_denominator=f"{recipe.protocol.aggregation} over the whole batch, one backward pass",
        iterations=recipe.protocol.iterations,
        optimizer={
            "name": "Adam",
            "learning_rate": recipe.learning_rate,
            "schedule": "constant",
            "max_norm": "inf" if np.isinf(recipe.max_norm) else recipe.max_norm,
        },
        trained_parameters="all weights",
        precision="float64",
        library_versions={"numpy": np.__version__},
    )
    return {passport.kind: passport.to_dict() for passport in (data, verifier, update)}


def rollout_passport(
    recipe: Recipe, update: int, prompt: int, rollout: Rollout, graded: Graded, place: tuple[int, int]
) -> dict[str, Any]:
    """Passport of one response: enough to recompute its part of the loss.

    Args:
        recipe: of the run.
        update: rounds finished when it was sampled.
        prompt: number of the prompt among the training prompts.
        rollout: the batch.
        graded: its rewards.
        place: (prompt, member) in the batch.
    """
    length = int(rollout.lengths[place])
    active = rollout.mask[place][:length]
    parts = {name: float(part[place]) for name, part in graded.components.items()}
    return RolloutPassport(
        prompt_id=f"train {prompt}",
        prompt_tokens=tuple(int(token) for token in rollout.prompts[place[0]]),
        group_id=f"update {update} prompt {prompt}",
        group_size=rollout.shape[1],
        response_tokens=tuple(int(token) for token in rollout.tokens[place][:length]),
        active_mask=tuple(int(flag) for flag in active),
        # A probability of 1 may come out a rounding above it.
        old_log_probs=tuple(min(0.0, float(value)) for value in rollout.logp[place][:length]),
        generator_weights=f"after {update} updates",
        decoding=recipe.to_dict()["decoding"],
        seed=recipe.seed,
        rewards={"total": float(graded.reward[place]), "correct": float(graded.correct[place]), **parts},
        parse_result="unparsed" if graded.unparsed[place] else "parsed",
        stop_reason=STOPS[int(rollout.truncated[place])],
        length_before_truncation=length,
        length=length,
    ).to_dict()
