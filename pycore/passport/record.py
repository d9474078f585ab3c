"""The four passports: what must be written down of a verifier, a data set, a rollout and an update to redo a run."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from pycore.domain import DomainError
from pycore.passport.form import Entry, Passport, json_digest


@dataclass(frozen=True)
class VerifierPassport(Passport):
    """What decides the reward (curriculum 1.3 and 5.1).

    >>> from pycore.verify import NumericContract
    >>> passport = VerifierPassport(name="numeric", contract=NumericContract().to_dict())
    >>> passport.missing()[0]
    ('verifier_version', 'version of its code, pinned')
    >>> passport.contract_digest == NumericContract().digest()
    True
    """

    kind: ClassVar[str] = "verifier"

    name: Annotated[str | None, Entry("which verifier")] = None
    verifier_version: Annotated[str | None, Entry("version of its code, pinned")] = None
    contract: Annotated[dict[str, Any] | None, Entry("its rules: canonicalisation, formats, tolerances, caps")] = None
    reference_version: Annotated[str | None, Entry("version of the reference answers")] = None
    refusal_reasons: Annotated[tuple[str, ...] | None, Entry("every reason a verdict may carry")] = None
    suites: Annotated[
        dict[str, Any] | None, Entry("positive, negative and adversarial suites: cases and errors by kind")
    ] = None
    false_positive_rate: Annotated[
        float | None, Entry("share of wrong answers paid, hand-checked sample", low=0, high=1)
    ] = None
    false_negative_rate: Annotated[
        float | None, Entry("share of right answers refused, hand-checked sample", low=0, high=1)
    ] = None
    sample_size: Annotated[int | None, Entry("answers in the hand-checked sample", low=1)] = None
    reward_weights: Annotated[dict[str, Any] | None, Entry("components of the reward and their weights")] = None
    execution: Annotated[
        dict[str, Any] | None,
        Entry(
            "for programs: image, dependencies, network, time, memory; for proofs: kernel and axioms", required=False
        ),
    ] = None

    @property
    def contract_digest(self) -> str | None:
        """Hash of the embedded rules: equal to what the contract itself prints."""
        return None if self.contract is None else json_digest(self.contract)


@dataclass(frozen=True)
class DataPassport(Passport):
    """Where the prompts and references come from and what happens to the bad ones (curriculum 5.1)."""

    kind: ClassVar[str] = "data"

    name: Annotated[str | None, Entry("which data set or generator")] = None
    origin: Annotated[str | None, Entry("where the prompts come from")] = None
    license: Annotated[str | None, Entry("licence of prompts and references")] = None
    reference_origin: Annotated[str | None, Entry("who or what produced the references")] = None
    split_rule: Annotated[str | None, Entry("how training and held-out prompts are kept apart")] = None
    split_seed: Annotated[int | None, Entry("seed of the split", low=0)] = None
    training_prompts: Annotated[int | None, Entry("number of training prompts", low=1)] = None
    held_out_prompts: Annotated[int | None, Entry("number of held-out prompts", low=1)] = None
    initial_success: Annotated[
        tuple[float, ...] | None, Entry("success rates before training: quantiles", low=0, high=1)
    ] = None
    answer_format: Annotated[str | None, Entry("the form of answer that the prompt asks for")] = None
    chat_template: Annotated[str | None, Entry("template, or its hash")] = None
    stop_reasons: Annotated[tuple[str, ...] | None, Entry("how a response may end")] = None
    max_prompt_tokens: Annotated[int | None, Entry("longest prompt", low=1)] = None
    max_response_tokens: Annotated[int | None, Entry("longest response", low=1)] = None
    ambiguous_items: Annotated[str | None, Entry("what happens to ambiguous and damaged items")] = None
    rejected_log: Annotated[str | None, Entry("where rejected prompts stay, with their reasons")] = None


@dataclass(frozen=True)
class RolloutPassport(Passport):
    """Enough to recompute the loss of one rollout without generating again (curriculum 5.2)."""

    kind: ClassVar[str] = "rollout"

    prompt_id: Annotated[str | None, Entry("which prompt")] = None
    prompt_tokens: Annotated[tuple[int, ...] | None, Entry("its token ids", low=0)] = None
    group_id: Annotated[str | None, Entry("which group of responses")] = None
    group_size: Annotated[int | None, Entry("responses in the group", low=1)] = None
    response_tokens: Annotated[tuple[int, ...] | None, Entry("token ids as sampled, never re-tokenised", low=0)] = None
    active_mask: Annotated[
        tuple[int, ...] | None, Entry("1 where a token is an action that is trained on", low=0, high=1)
    ] = None
    old_log_probs: Annotated[tuple[float, ...] | None, Entry("log-probs under the policy that sampled", high=0)] = None
    base_log_probs: Annotated[
        tuple[float, ...] | None, Entry("log-probs under the reference, if KL is used", required=False, high=0)
    ] = None
    generator_weights: Annotated[str | None, Entry("version of the weights that generated")] = None
    decoding: Annotated[dict[str, Any] | None, Entry("temperature, top-p, top-k, masks")] = None
    seed: Annotated[int | None, Entry("seed of the generation", low=0)] = None
    rewards: Annotated[dict[str, Any] | None, Entry("reward by component")] = None
    parse_result: Annotated[str | None, Entry("the verifier's reason")] = None
    stop_reason: Annotated[str | None, Entry("how the response ended")] = None
    length_before_truncation: Annotated[int | None, Entry("tokens the response wanted", low=0)] = None
    length: Annotated[int | None, Entry("tokens kept", low=0)] = None

    def __post_init__(self) -> None:
        """Checks entries one by one, then that the per-token ones agree.

        Raises:
            DomainError: a wrong entry, or per-token lists of different lengths.
        """
        super().__post_init__()
        for name in ("active_mask", "old_log_probs", "base_log_probs"):
            listed = getattr(self, name)
            if listed is not None and self.response_tokens is not None and len(listed) != len(self.response_tokens):
                raise DomainError(f"len({name})", len(listed), f"{len(self.response_tokens)}, one a response token")
        wanted = self.length_before_truncation
        if self.length is not None and wanted is not None and self.length > wanted:
            raise DomainError("length", self.length, f"at most {wanted}, the length before truncation")


@dataclass(frozen=True)
class UpdatePassport(Passport):
    """What one optimiser step did with the rollouts (curriculum 5.2)."""

    kind: ClassVar[str] = "update"

    protocol: Annotated[
        dict[str, Any] | None, Entry("the Protocol: centring, scaling, ratio, clip, aggregation, KL, truncation")
    ] = None
    global_batch: Annotated[int | None, Entry("responses in one update, over all devices", low=1)] = None
    micro_batch: Annotated[int | None, Entry("responses in one backward pass", low=1)] = None
    accumulation: Annotated[int | None, Entry("backward passes in one update", low=1)] = None
    devices: Annotated[int | None, Entry("how many devices share an update", low=1)] = None
    loss_denominator: Annotated[
        str | None, Entry("the exact denominator of the loss, under accumulation and across devices")
    ] = None
    iterations: Annotated[int | None, Entry("updates on one batch of rollouts", low=1)] = None
    optimizer: Annotated[dict[str, Any] | None, Entry("name, learning rate, schedule, gradient clipping")] = None
    trained_parameters: Annotated[str | None, Entry("all weights, or which adapters")] = None
    precision: Annotated[str | None, Entry("number format of weights and of the loss")] = None
    generator_mismatch: Annotated[
        float | None, Entry("measured |log-prob difference| of generator and trainer", low=0)
    ] = None
    library_versions: Annotated[dict[str, Any] | None, Entry("versions that computed the update")] = None


PASSPORTS: dict[str, type[Passport]] = {
    form.kind: form for form in (VerifierPassport, DataPassport, RolloutPassport, UpdatePassport)
}


def read_passport(plain: Mapping[str, Any]) -> Passport:
    """The passport of whichever kind the mapping says.

    Raises:
        DomainError: an unknown kind, or what the kind's own `from_dict` refuses.

    >>> read_passport({"kind": "data", "name": "sums"}).name
    'sums'
    """
    form = PASSPORTS.get(str(plain.get("kind")))
    if form is None:
        raise DomainError("kind", plain.get("kind"), "one of " + ", ".join(PASSPORTS))
    return form.from_dict(plain)
