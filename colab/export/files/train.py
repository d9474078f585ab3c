"""TRL's GRPOTrainer on this folder: `accelerate launch --config_file accelerate.yaml train.py --config trl.yaml`."""

import json
from typing import Any

from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer, ModelConfig, TrlParser

from prepare import HERE, conversation
from reward import REWARDS


def problems(name: str) -> Any:
    """A side of the data, with the columns `prompt` and `answer`."""
    rows = load_dataset("json", data_files=str(HERE / "data" / f"{name}.jsonl"), split="train")
    return rows.map(lambda row: {"prompt": conversation(row["question"])}, remove_columns=["id", "question"])


def main() -> None:
    """Trains; `trainer_state.json` in the output folder is what the site's dashboard opens."""
    settings, model = TrlParser([GRPOConfig, ModelConfig]).parse_args_and_config()
    trainer = GRPOTrainer(
        model=model.model_name_or_path,
        reward_funcs=REWARDS,
        args=settings,
        train_dataset=problems("train"),
        eval_dataset=problems("held_out"),
    )
    trainer.train(resume_from_checkpoint=settings.resume_from_checkpoint)
    trainer.save_state()
    print(json.dumps(trainer.state.log_history[-1]))


if __name__ == "__main__":
    main()
