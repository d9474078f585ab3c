"""Adam and gradient clipping on one flat vector of weights."""

from dataclasses import dataclass

import numpy as np

from pycore.domain import Array, within


@dataclass(eq=False)
class Adam:
    """Adam's running means; `step` changes them and the weights in place.

    Attributes:
        first: running mean of the gradient, shape (parameters,).
        second: running mean of its square, same shape.
        steps: steps taken.
        beta_first: decay of `first`.
        beta_second: decay of `second`.
        eps: added to the root of the second mean.
    """

    first: Array
    second: Array
    steps: int = 0
    beta_first: float = 0.9
    beta_second: float = 0.999
    eps: float = 1e-8

    @classmethod
    def new(cls, parameters: int) -> "Adam":
        """An optimiser that has seen nothing.

        >>> Adam.new(2).steps
        0
        """
        return cls(np.zeros(parameters), np.zeros(parameters))

    def step(self, weights: Array, gradient: Array, learning_rate: float) -> None:
        """One step with bias correction; changes `weights` in place.

        Args:
            weights: shape (parameters,).
            gradient: same shape.
            learning_rate: >= 0.

        Raises:
            DomainError: a negative or infinite learning rate.

        >>> weights = np.zeros(2)
        >>> Adam.new(2).step(weights, np.array([3.0, -0.5]), 0.1)
        >>> weights.round(6).tolist()
        [-0.1, 0.1]

        Source: Adam (2015), the order of operations of torch.optim.Adam.
        """
        within("learning_rate", learning_rate, 0, np.inf, open_high=True)
        self.steps += 1
        self.first += (1 - self.beta_first) * (gradient - self.first)
        self.second *= self.beta_second
        squared = gradient * gradient
        squared *= 1 - self.beta_second
        self.second += squared
        root = np.sqrt(self.second)
        root /= np.sqrt(1 - self.beta_second**self.steps)
        root += self.eps
        change = self.first / root
        change *= learning_rate / (1 - self.beta_first**self.steps)
        weights -= change


def clip_norm(gradient: Array, largest: float) -> float:
    """Shrinks a gradient in place to a Euclidean norm of at most `largest`.

    Args:
        gradient: shape (parameters,).
        largest: > 0, inf for no clipping.

    Returns:
        The norm before.

    Raises:
        DomainError: a bound that is not positive.

    >>> gradient = np.array([3.0, 4.0])
    >>> clip_norm(gradient, 1.0), gradient.round(6).tolist()
    (5.0, [0.6, 0.8])

    Source: definition; torch.nn.utils.clip_grad_norm_ adds 1e-6 to the norm and so clips a hair below.
    """
    within("largest", largest, 0, np.inf, open_low=True)
    norm = float(np.sqrt(gradient @ gradient))
    if norm > largest:
        gradient *= largest / norm
    return norm
