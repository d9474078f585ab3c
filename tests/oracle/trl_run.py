"""A tiny run of the installed TRL, on a random Qwen3 with a dozen words: what its trainer leaves behind.

python -m tests.oracle.trl_run tests/unit/trl       # writes the files that the unit tests read
"""

import json
import os
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

WORDS = ["<pad>", "<eos>", "<unk>", *"0123456789+=?"]
TEMPLATE = "{% for m in messages %}{{ m['content'] }} {% endfor %}"


def accuracy_reward(completions: list[Any], answer: list[str], **_: Any) -> list[float]:
    """1 where the answer is among the words of the completion."""
    return [float(right in said[-1]["content"].split()) for said, right in zip(completions, answer, strict=True)]


def undecided(completions: list[Any], **_: Any) -> list[None]:
    """A reward function with no opinion: there is no mean, and the trainer writes null."""
    return [None] * len(completions)


def run(folder: Path, *, steps: int = 3, evaluate: bool = True) -> Path:
    """Trains for some steps; returns the path of `trainer_state.json`, `log_history.json` beside it.

    Args:
        folder: an empty folder for everything the trainer writes.
        steps: optimiser steps; evaluation before the first and after the last one.
        evaluate: whether there is any.
    """
    os.environ |= {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"}
    with warnings.catch_warnings():  # other people's deprecations
        warnings.simplefilter("ignore")
        from datasets import Dataset
        from peft import LoraConfig
        from tokenizers import Tokenizer, models, pre_tokenizers
        from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM, set_seed
        from trl import GRPOConfig, GRPOTrainer

        set_seed(0)
        words = Tokenizer(models.WordLevel({word: place for place, word in enumerate(WORDS)}, unk_token="<unk>"))
        words.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
        tokenizer = PreTrainedTokenizerFast(
            tokenizer_object=words, pad_token="<pad>", eos_token="<eos>", unk_token="<unk>", padding_side="left"
        )
        tokenizer.chat_template = TEMPLATE
        shape = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 1, "head_dim": 8}
        heads = {"num_attention_heads": 2, "num_key_value_heads": 1, "max_position_embeddings": 64}
        special = {"pad_token_id": 0, "eos_token_id": 1, "bos_token_id": None}
        model = Qwen3ForCausalLM(Qwen3Config(vocab_size=len(WORDS), **shape, **heads, **special))
        rows = [{"prompt": [{"role": "user", "content": f"{a} + 2 ="}], "answer": str(a + 2)} for a in range(8)]
        data = Dataset.from_list(rows)
        watch = {"eval_strategy": "steps", "eval_steps": steps, "eval_on_start": True} if evaluate else {}
        settings = GRPOConfig(
            output_dir=str(folder), max_steps=steps, save_steps=steps, logging_steps=1, learning_rate=1e-3, beta=0.04,
            per_device_train_batch_size=8, per_device_eval_batch_size=8, num_generations=4, num_generations_eval=4,
            max_completion_length=6, use_cpu=True, bf16=False, report_to="none", gradient_checkpointing=False,
            dataloader_pin_memory=False, disable_tqdm=True, **watch,
        )  # fmt: skip
        trainer = GRPOTrainer(
            model=model,
            reward_funcs=[accuracy_reward, undecided],
            args=settings,
            train_dataset=data,
            eval_dataset=data.select(range(2)) if evaluate else None,
            processing_class=tokenizer,
            # The model without its adapter is the reference of the KL term.
            peft_config=LoraConfig(r=2, target_modules=["q_proj"]),
        )
        trainer.train()
    history = folder / "log_history.json"
    history.write_text(json.dumps(trainer.state.log_history), encoding="utf-8")
    saved = folder / f"checkpoint-{steps}" / "trainer_state.json"
    return saved.rename(folder / saved.name)


def main(target: Path) -> None:
    """Makes the files again: one state with evaluations, one bare log."""
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        state = run(Path(folder, "state"))
        state.replace(target / state.name)
        bare = run(Path(folder, "bare"), steps=2, evaluate=False)
        bare.with_name("log_history.json").replace(target / "log_history.json")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
