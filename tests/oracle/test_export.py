"""Oracle: what the engines' own parsers make of an exported folder, and its programs in a bare interpreter."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest
import yaml

from colab.export.__main__ import main
from pycore.passport import read_passport
from pycore.verify import MARKER_ONLY, rlvr_reward
from tests.oracle.trl_loss import GRPOConfig

TOP = Path(__file__).parents[2]
ANSWERS = ["27 + 58 = 85\n#### 85", "#### 84", "85", "<think>#### 84</think> #### 85", "#### 85 #### 86", ""]


@pytest.fixture(params=["trl", "verl"])
def folder(request: Any, tmp_path: Path) -> Path:
    main(["--engine", request.param, "-o", str(tmp_path / "out")])
    return tmp_path / "out"


def bare(folder: Path, *arguments: str) -> str:
    """What a program prints in an interpreter that knows the installed packages, but not this repository."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_start_script_is_sound_and_may_be_run(folder):
    assert subprocess.run(["bash", "-n", folder / "run.sh"], check=False).returncode == 0
    assert os.access(folder / "run.sh", os.X_OK)


def test_the_reward_file_pays_sample_rows_in_an_interpreter_of_its_own(folder, tmp_path):
    probe = (
        "import importlib.util, json, sys\n"
        f"spec = importlib.util.spec_from_file_location('reward', {str(folder / 'reward.py')!r})\n"
        "module = importlib.util.module_from_spec(spec)\nspec.loader.exec_module(module)\n"
        f"answers = {ANSWERS!r}\n"
        "paid = [module.compute_score('rlvr_lab', text, '85', {'index': 0}) for text in answers]\n"
        "talks = [[{'role': 'assistant', 'content': text}] for text in answers]\n"
        "parts = [reward(prompts=talks, completions=talks, answer=['85'] * len(talks)) for reward in module.REWARDS]\n"
        "names = [reward.__name__ for reward in module.REWARDS]\n"
        "print(json.dumps([paid, parts, module.WEIGHTS, names, sys.modules['pycore'].__file__]))"
    )
    # From another folder, as verl's workers do.
    paid, parts, weights, names, origin = json.loads(bare(tmp_path, "-c", probe))
    assert Path(origin).parent == folder / "pycore"
    wanted = [rlvr_reward(text, 85, accuracy=1.0, format=0.25, contract=MARKER_ONLY) for text in ANSWERS]
    assert [one["score"] for one in paid] == wanted
    assert [sum(w * p for w, p in zip(weights, row, strict=True)) for row in zip(*parts, strict=True)] == wanted
    assert names == ["accuracy_reward", "format_reward"]
    assert len(set(wanted)) >= 3


def test_your_own_problems_are_prepared_with_licence_and_split_on_record(folder, tmp_path):
    lines = [{"question": f"What is {n} times {n}?", "answer": f"It is {n * n}.\n#### {n * n}"} for n in range(40)]
    source = tmp_path / "given.jsonl"
    source.write_text("\n".join(map(json.dumps, [*lines, {"question": "?", "answer": "no"}])), encoding="utf-8")
    given = [
        "--source",
        str(source),
        "--form",
        "gsm8k",
        "--held-out",
        "10",
        "--name",
        "squares",
        "--origin",
        "made here",
    ]
    refused = subprocess.run([sys.executable, "prepare.py", *given], cwd=folder, capture_output=True, text=True)
    assert refused.returncode == 1
    assert "license" in refused.stderr
    assert "Traceback" not in refused.stderr
    printed = bare(folder, "prepare.py", *given, "--license", "CC0")
    assert "30 to train on, 10 held out, 1 lines left out" in printed
    passport = read_passport(json.loads((folder / "passports" / "data.json").read_text(encoding="utf-8")))
    assert (passport.license, passport.training_prompts, passport.held_out_prompts) == ("CC0", 30, 10)
    assert json.loads((folder / "data" / "rejected.jsonl").read_text()) == {"line": 41, "reason": "no_answer"}
    if (folder / "overrides.txt").exists():
        rows = pyarrow.parquet.read_table(folder / "data" / "train.parquet").to_pylist()
        assert len(rows) == 30
        assert set(rows[0]) == {"data_source", "prompt", "ability", "reward_model", "extra_info"}
        assert [message["role"] for message in rows[0]["prompt"]] == ["system", "user"]
        square = int(rows[0]["prompt"][1]["content"].split()[2]) ** 2
        assert rows[0]["reward_model"] == {"style": "rule", "ground_truth": str(square)}


@pytest.mark.filterwarnings("ignore::FutureWarning")  # TRL's own, of a default that it sets itself
def test_trls_own_parser_reads_the_configuration_and_its_reader_the_data(tmp_path, monkeypatch):
    from trl import ModelConfig, TrlParser  # after tests.oracle.trl_loss, which keeps its warnings quiet

    folder = tmp_path / "out"
    main(["preset=trl-1.16.0/grpo&group=4&learning_rate=2e-5", "--engine", "trl", "-o", str(folder)])
    # A machine without a card has no bfloat16; what stands on the command line comes after the file.
    here = ["--bf16", "false", "--use_cpu", "true", "--output_dir", str(tmp_path / "run")]
    settings, model = TrlParser([GRPOConfig, ModelConfig]).parse_args_and_config(
        ["--config", str(folder / "trl.yaml"), *here]
    )
    assert (settings.loss_type, settings.num_generations, settings.learning_rate) == ("grpo", 4, 2e-5)
    assert (settings.generation_batch_size, settings.gradient_accumulation_steps) == (32 * 4 // 2, 16)
    assert settings.chat_template_kwargs == {"enable_thinking": False}
    assert settings.reward_weights == [1.0, 0.25]
    assert model.model_name_or_path == "Qwen/Qwen3-0.6B"
    launch = yaml.safe_load((folder / "accelerate.yaml").read_text())
    assert (launch["num_processes"], launch["distributed_type"]) == (2, "MULTI_GPU")
    first = json.loads((folder / "data" / "train.jsonl").read_text().partition("\n")[0])
    monkeypatch.syspath_prepend(str(folder))
    probe = f"import prepare; print(prepare.conversation({first['question']!r})[1]['content'])"
    assert bare(folder, "-c", probe).strip() == first["question"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["preset=grpo"], "ddof = 0"),
        (["preset=grpo"], "--adopt"),
        (["group=0"], "out_of_range: group = 0"),
        (["nonsense"], "malformed: code"),
        (["prompts=3&group=3"], "a multiple of cards"),
    ],
)
def test_the_command_says_what_stands_in_the_way_and_writes_nothing(arguments, message, tmp_path):
    with pytest.raises(SystemExit) as stopped:
        main([*arguments, "--engine", "verl", "-o", str(tmp_path / "out")])
    assert message in str(stopped.value.code)
    assert not list(tmp_path.iterdir())


def test_a_folder_that_is_there_is_not_written_over(tmp_path):
    with pytest.raises(SystemExit, match="exists"):
        main(["--engine", "verl", "-o", str(tmp_path)])
