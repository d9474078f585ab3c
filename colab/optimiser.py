"""Adam on the trained weights of a torch model: clipping, half precision, and a state that needs no pickle."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from pycore.domain import Array, DomainError

MOMENTS = ("exp_avg", "exp_avg_sq", "step")
FIRST_SCALE, LARGEST_SCALE, CALM = 2.0**10, 2.0**20, 200


class Optimiser:
    """One step of Adam at a time.

    Half precision loses gradients below 6e-8: the loss is scaled up before the backward pass and the gradient down
    again before the step. A scale that makes the gradient overflow is halved, and that step is left out.

    Args:
        weights: what is trained.
        half: whether the frozen weights are float16.
    """

    def __init__(self, weights: Sequence[Tensor], *, half: bool = False) -> None:
        self.weights = list(weights)
        self.adam = torch.optim.Adam(self.weights) if self.weights else None
        self.half, self.scale = half, FIRST_SCALE if half else 1.0
        self._calm = 0

    def clear(self) -> None:
        """Forgets the gradient."""
        for weight in self.weights:
            weight.grad = None

    def norm(self) -> float:
        """The gradient's norm before clipping."""
        squares = [float((weight.grad.double() ** 2).sum()) for weight in self.weights if weight.grad is not None]
        return float(np.sqrt(sum(squares))) / self.scale

    def step(self, learning_rate: float, max_norm: float) -> None:
        """Clips and steps.

        Raises:
            DomainError: nothing to train, or a gradient that is not finite in full precision.
        """
        if self.adam is None:
            raise DomainError("step", "called", "a policy with trained weights")
        for weight in self.weights:
            # Adam's means move on a zero gradient as well, so a weight without one is not left out.
            weight.grad = torch.zeros_like(weight) if weight.grad is None else weight.grad / self.scale
        norm = torch.nn.utils.clip_grad_norm_(self.weights, max_norm)
        if not torch.isfinite(norm):
            if not self.half:
                raise DomainError("gradient", float(norm), "finite numbers")
            self.scale, self._calm = self.scale / 2, 0
            return
        self._calm += 1
        if self.half and self._calm >= CALM:
            self.scale, self._calm = min(2 * self.scale, LARGEST_SCALE), 0
        for settings in self.adam.param_groups:
            settings["lr"] = learning_rate
        self.adam.step()

    def arrays(self) -> dict[str, Array]:
        """Weights, Adam's means and the scale, by name."""
        found = {f"weight_{place}": weight.detach() for place, weight in enumerate(self.weights)}
        for place, moments in (self.adam.state_dict()["state"] if self.adam else {}).items():
            found |= {f"{name}_{place}": moments[name] for name in MOMENTS}
        return {"scale": np.array(self.scale), **{name: item.cpu().numpy() for name, item in found.items()}}

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def restore(self, arrays: Mapping[str, Any]) -> None:
        """Takes over what `arrays` of an optimiser of the same weights gave.

        Raises:
            DomainError: weights of other shapes.
        """
        for place, weight in enumerate(self.weights):
            name, shape = f"weight_{place}", tuple(weight.shape)
            if name not in arrays or arrays[name].shape != shape:
                raise DomainError(name, arrays[name].shape if name in arrays else "missing", f"{shape}")
            weight.copy_(torch.from_numpy(arrays[name]))
        if self.adam is not None:
            # Without moments they are forgotten: those were saved before the first step.
            places = range(len(self.weights)) if "step_0" in arrays else ()
            state = {place: {name: torch.from_numpy(arrays[f"{name}_{place}"]) for name in MOMENTS} for place in places}
            self.adam.load_state_dict({**self.adam.state_dict(), "state": state})
        self.scale = float(arrays["scale"])
