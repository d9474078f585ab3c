"""Puts an exported folder together: pure Python, the same bytes in the browser and natively."""

import io
import json
import zipfile
from collections.abc import Callable, Mapping
from typing import Any

from colab import trl, verl
from colab.carry import closure, imported
from colab.export import dataset
from colab.export.cluster import CATALOGUE, MODELS, Cluster, read
from colab.export.readme import readme
from colab.mapping import adopt
from pycore.domain import option
from pycore.ledger import Ledger, memory
from pycore.passport import UpdatePassport, VerifierPassport
from pycore.protocol import Protocol
from pycore.scenario import Scenario
from pycore.verify import MARKER_ONLY, Reason
from pycore.verify.contract import VERSION as VERIFIER_VERSION

SYSTEM = "Solve the problem step by step. End with a line of the form: #### number"
# Both are written exactly in binary: equal answers get equal rewards in any precision.
WEIGHTS = {"accuracy": 1.0, "format": 0.25}
FILES = "colab/export/files"
PLACE = "@FOLDER@"  # run.sh puts the folder's own path there

FIXED: dict[str, Callable[[Protocol], dict[str, Any]]] = {"trl": trl.fixed, "verl": verl.fixed}
PINNED = {"trl": ("trl[vllm]==1.16.0", "accelerate==1.15.0", "datasets==5.2.0"), "verl": ("verl[vllm]==0.9.1",)}


def build(engine: str, scenario: Scenario, sources: Mapping[str, str], *, adopted: bool = False) -> dict[str, str]:
    """The files of an export, path to text.

    Args:
        engine: `trl` (accelerate and a vLLM server) or `verl` (Ray).
        scenario: of `colab.export.cluster.CONTROLS`.
        sources: path to text of everything that may travel.
        adopted: put what the engine has fixed into the protocol, and say so in the README, instead of refusing.

    Raises:
        DomainError: an unknown engine, a value out of bounds, sizes that do not divide.
        UnmappedError: an axis of the protocol that the engine cannot compute, with the reason.
    """
    option("engine", engine, FIXED)
    wished, cluster = read(scenario)
    # As the controls write it, so that a default left out and one spelled out make one folder.
    scenario = scenario.complete(CATALOGUE)
    # Groups of several have no singleton.
    fixed = {axis: value for axis, value in FIXED[engine](wished).items() if axis != "singleton" or cluster.group == 1}
    protocol, changed = adopt(wished, fixed) if adopted else (wished, {})
    settings = {
        "engine": engine,
        "system": SYSTEM,
        "contract": MARKER_ONLY.to_dict(),
        "weights": WEIGHTS,
        "seed": cluster.seed,
        "prompt_tokens": cluster.prompt_tokens,
        "response_tokens": cluster.response_tokens,
    }
    train, held_out = dataset.arithmetic(seed=cluster.seed)
    programs = ["reward.py", "prepare.py", *(["train.py"] if engine == "trl" else [])]
    files = {name: sources[f"{FILES}/{name}"] for name in programs}
    configured = _trl(protocol, cluster) if engine == "trl" else _verl(protocol, cluster)
    passports = _passports(engine, protocol, cluster, train, held_out)
    ledger = ledger_of(protocol, cluster)
    made = {
        **closure(sources, (name for text in files.values() for name in imported(text))),
        **files,
        **configured,
        "settings.json": _json(settings),
        "scenario.json": scenario.to_json() + "\n",
        "protocol.json": protocol.to_json() + "\n",
        "data/train.jsonl": dataset.write(train),
        "data/held_out.jsonl": dataset.write(held_out),
        "requirements.txt": "".join(f"{name}\n" for name in PINNED[engine]),
        **{f"passports/{kind}.json": passport.to_json() + "\n" for kind, passport in passports.items()},
        **readme(engine, scenario, protocol, cluster, changed, ledger, sources),
    }
    return dict(sorted(made.items()))


def ledger_of(protocol: Protocol, cluster: Cluster) -> Ledger:
    """Weights, gradients and optimiser of a run, in float32 as both engines keep them; sharing among cards aside."""
    method = "grpo, rules" if protocol.kl_coefficient else "grpo, rules, beta 0"
    return memory(MODELS[cluster.model].parameters, method, "adamw float32")


def archive(files: Mapping[str, str], top: str) -> bytes:
    """The files as a zip with one folder in it; equal files give equal contents and dates."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as packed:
        for path, text in files.items():
            entry = zipfile.ZipInfo(f"{top}/{path}", (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o755 if path.endswith(".sh") else 0o644) << 16
            packed.writestr(entry, text.encode("utf-8"))
    return target.getvalue()


def _json(value: Any) -> str:
    return json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def _word(value: Any) -> str:
    """A value as YAML and Hydra both read it: their floats want a point before the exponent."""
    if value is None:
        return "null"
    if isinstance(value, float):
        text = repr(value)
        return text.replace("e", ".0e") if "e" in text and "." not in text else text
    return json.dumps(value) if isinstance(value, bool | list | dict) else str(value)


def _verl(protocol: Protocol, cluster: Cluster) -> dict[str, str]:
    actor, rollout = verl.ACTOR, "actor_rollout_ref.rollout"
    mapped = verl.overrides(
        protocol, group=cluster.group, response_tokens=cluster.response_tokens, whole=cluster.passes == 1
    )
    values: dict[str, Any] = {
        **mapped,
        "data.train_files": f"{PLACE}/data/train.parquet",
        "data.val_files": f"{PLACE}/data/held_out.parquet",
        "data.train_batch_size": cluster.prompts,
        "data.max_prompt_length": cluster.prompt_tokens,
        "data.max_response_length": cluster.response_tokens,
        "data.filter_overlong_prompts": True,
        "data.seed": cluster.seed,
        "+data.apply_chat_template_kwargs.enable_thinking": False,
        "actor_rollout_ref.model.path": cluster.model,
        f"{actor}.ppo_mini_batch_size": cluster.prompts,
        f"{actor}.ppo_micro_batch_size_per_gpu": cluster.micro,
        f"{actor}.use_dynamic_bsz": False,
        f"{actor}.optim.lr": cluster.learning_rate,
        f"{actor}.optim.weight_decay": 0.0,
        f"{actor}.grad_clip": 1.0,
        f"{rollout}.name": "vllm",
        f"{rollout}.n": cluster.group,
        f"{rollout}.temperature": cluster.temperature,
        f"{rollout}.tensor_model_parallel_size": 1,
        f"{rollout}.gpu_memory_utilization": 0.5,
        f"{rollout}.seed": cluster.seed,
        f"{rollout}.log_prob_micro_batch_size_per_gpu": cluster.micro,
        f"{verl.REFERENCE}.log_prob_micro_batch_size_per_gpu": cluster.micro,
        "reward.custom_reward_function.path": f"{PLACE}/reward.py",
        "reward.custom_reward_function.name": "compute_score",
        "trainer.n_gpus_per_node": cluster.cards,
        "trainer.nnodes": 1,
        "trainer.total_training_steps": cluster.updates,
        # An epoch has at least one step: there are never too few of them.
        "trainer.total_epochs": cluster.updates,
        "trainer.test_freq": max(1, cluster.updates // 10),
        "trainer.save_freq": max(1, cluster.updates // 4),
        "trainer.logger": "[console]",
        "trainer.project_name": "rlvr_lab",
        "trainer.experiment_name": "cluster",
        "trainer.default_local_dir": f"{PLACE}/checkpoints",
    }
    run = f"""#!/usr/bin/env bash
# {cluster.cards} cards that train and generate in turn. Further Hydra overrides may follow the command.
set -euo pipefail
folder="$(cd "$(dirname "${{BASH_SOURCE[0]}}")" && pwd)"
cd "$folder"
python3 prepare.py
mapfile -t overrides < overrides.txt
exec python3 -m verl.trainer.main_ppo "${{overrides[@]//{PLACE}/$folder}}" "$@"
"""
    return {"overrides.txt": "".join(f"{name}={_word(value)}\n" for name, value in values.items()), "run.sh": run}


def _trl(protocol: Protocol, cluster: Cluster) -> dict[str, str]:
    mapped = trl.arguments(
        protocol,
        group=cluster.group,
        response_tokens=cluster.response_tokens,
        whole=cluster.passes == cluster.cards == 1,
    )
    values: dict[str, Any] = {
        **mapped,
        "model_name_or_path": cluster.model,
        "output_dir": "output",
        "per_device_train_batch_size": cluster.micro,
        "per_device_eval_batch_size": cluster.group,
        "gradient_accumulation_steps": cluster.passes,
        "steps_per_generation": cluster.passes,
        "max_steps": cluster.updates * protocol.iterations,
        "learning_rate": cluster.learning_rate,
        "lr_scheduler_type": "constant",
        "weight_decay": 0.0,
        "max_grad_norm": 1.0,
        "temperature": cluster.temperature,
        "reward_weights": list(WEIGHTS.values()),
        "chat_template_kwargs": {"enable_thinking": False},
        "use_vllm": True,
        "vllm_mode": "server",
        # The protocol has no axis for a mismatch of generator and trainer.
        "vllm_importance_sampling_correction": False,
        "bf16": True,
        "seed": cluster.seed,
        "logging_steps": 1,
        "eval_strategy": "steps",
        "eval_steps": max(1, cluster.updates // 10),
        "save_steps": max(1, cluster.updates // 4),
        "report_to": "none",
    }
    cards = ",".join(str(card) for card in range(1, cluster.cards + 1))
    longest = cluster.prompt_tokens + cluster.response_tokens
    run = f"""#!/usr/bin/env bash
# Card 0 generates, cards {cards} train. Further arguments of GRPOConfig may follow the command.
set -euo pipefail
cd "$(dirname "${{BASH_SOURCE[0]}}")"
python3 prepare.py
CUDA_VISIBLE_DEVICES=0 trl vllm-serve --model {cluster.model} --max_model_len {longest} &
server=$!
trap 'kill "$server"' EXIT
CUDA_VISIBLE_DEVICES={cards} accelerate launch --config_file accelerate.yaml train.py --config trl.yaml "$@"
"""
    launch = {
        "compute_environment": "LOCAL_MACHINE",
        "distributed_type": "MULTI_GPU" if cluster.cards > 1 else "NO",
        "mixed_precision": "bf16",
        "num_machines": 1,
        "num_processes": cluster.cards,
        "machine_rank": 0,
    }
    return {"trl.yaml": _yaml(values), "accelerate.yaml": _yaml(launch), "run.sh": run}


def _yaml(values: Mapping[str, Any]) -> str:
    return "".join(f"{name}: {_word(value)}\n" for name, value in values.items())


def _passports(
    engine: str, protocol: Protocol, cluster: Cluster, train: list[dataset.Row], held_out: list[dataset.Row]
) -> dict[str, Any]:
    versions = dict(line.split("==") for line in PINNED[engine])
    sizes = {"max_prompt_tokens": cluster.prompt_tokens, "max_response_tokens": cluster.response_tokens}
    return {
        "data": dataset.passport(dataset.ARITHMETIC, train, held_out, seed=cluster.seed, rejected=0, **sizes),
        "verifier": VerifierPassport(
            name="numeric, after ####",
            verifier_version=VERIFIER_VERSION,
            contract=MARKER_ONLY.to_dict(),
            reference_version="data/*.jsonl",
            refusal_reasons=tuple(str(reason) for reason in Reason),
            reward_weights=WEIGHTS,
        ),
        "update": UpdatePassport(
            protocol=protocol.to_dict(),
            global_batch=cluster.responses,
            micro_batch=cluster.micro,
            accumulation=cluster.passes,
            devices=cluster.cards,
            loss_denominator=f"{protocol.aggregation}, accumulated by {protocol.accumulation!r}",
            iterations=protocol.iterations,
            optimizer={"name": "AdamW", "learning_rate": cluster.learning_rate, "schedule": "constant", "max_norm": 1},
            trained_parameters="all weights",
            precision="float32 weights, bfloat16 arithmetic",
            library_versions=versions,
        ),
    }
