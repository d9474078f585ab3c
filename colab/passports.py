"""The passports of a language model's run: data, verifier and update, complete and hashed."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from colab.plan import Plan
from colab.problem import EXAMPLES, SIGNS
from colab.rewards import REWARDS
from colab.task import ChatTask
from pycore.passport import DataPassport, Passport, UpdatePassport, VerifierPassport, json_digest, read_passport
from pycore.verify import BOXED_ONLY, Reason
from pycore.verify.contract import VERSION
from pycore.verify.suite import run_suite, suite


def passports(
    plan: Plan,
    task: ChatTask,
    *,
    software: Mapping[str, str],
    precision: str,
    rows: int,
    initial_success: tuple[float, ...] | None = None,
    mismatch: float | None = None,
) -> dict[str, dict[str, Any]]:
    """What must be known of a run to redo it, for a journal's header.

    Args:
        plan: the run.
        task: prompts and verifier.
        software: library to version.
        precision: of the frozen weights.
        rows: responses in one backward pass.
        initial_success: quantiles of the success rates before training, where they were measured.
        mismatch: largest difference of a log-prob between writing and scoring, where it was measured.
    """
    problems = plan.problems
    report = run_suite(suite(), BOXED_ONLY)
    wrong = sum(tally.wrong_answers for tally in report.tallies)
    # A right number outside a box is refused on purpose; what is refused inside one would be a mistake.
    boxed = run_suite([case for case in suite() if "\\boxed{" in case.text], BOXED_ONLY)
    right = sum(tally.right_answers for tally in boxed.tallies)
    data = DataPassport(
        name=f"{problems.operation}s of two numbers from {problems.low} to {problems.high}",
        origin=f"all questions a {SIGNS[problems.operation]} b but those shown as examples: {EXAMPLES}",
        license="none needed: facts of arithmetic",
        reference_origin="integer arithmetic",
        split_rule="by unordered pair, dealt from one seeded permutation; both orders on one side",
        split_seed=plan.seed,
        training_prompts=problems.train,
        held_out_prompts=problems.held_out,
        initial_success=initial_success,
        answer_format="one \\boxed{number}",
        chat_template=json_digest(task.tokenizer.chat_template),
        stop_reasons=("end", "limit"),
        max_prompt_tokens=task.longest_prompt,
        max_response_tokens=plan.max_tokens,
        ambiguous_items="there are none",
        rejected_log="detail.rejected of each update",
    )
    verifier = VerifierPassport(
        name="numeric",
        verifier_version=VERSION,
        contract=BOXED_ONLY.to_dict(),
        reference_version="integer arithmetic",
        refusal_reasons=tuple(reason.value for reason in Reason if reason is not Reason.CORRECT),
        suites={tally.kind: asdict(tally) for tally in report.tallies},
        false_positive_rate=sum(tally.false_positives for tally in report.tallies) / wrong,
        false_negative_rate=sum(tally.false_negatives for tally in boxed.tallies) / right,
        sample_size=sum(tally.cases for tally in report.tallies),
        reward_weights=dict(REWARDS[plan.reward]),
    )
    total = plan.batch * plan.group
    update = UpdatePassport(
        protocol=plan.protocol.to_dict(),
        global_batch=total,
        micro_batch=min(rows, total),
        accumulation=-(-total // min(rows, total)),
        devices=1,
        loss_denominator=f"{plan.protocol.aggregation} over the whole batch, whatever the micro-batches",
        iterations=plan.protocol.iterations,
        optimizer={
            "name": "Adam",
            "learning_rate": plan.learning_rate,
            "schedule": "constant",
            "max_norm": plan.max_norm,
        },
        trained_parameters=f"LoRA of rank {plan.rank}, alpha {plan.alpha}, on q, k, v and o of every layer",
        precision=f"frozen weights {precision}, adapters float32",
        generator_mismatch=mismatch,
        library_versions=dict(software),
    )
    return {passport.kind: passport.to_dict() for passport in (data, verifier, update)}


def incomplete(found: Mapping[str, Mapping[str, Any]]) -> dict[str, tuple[tuple[str, str], ...]]:
    """What each passport still lacks, by kind: empty when all are complete."""
    read: dict[str, Passport] = {kind: read_passport(plain) for kind, plain in found.items()}
    return {kind: passport.missing() for kind, passport in read.items() if passport.missing()}
