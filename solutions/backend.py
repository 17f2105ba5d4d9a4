"""The interface between the training loop and whatever does the arithmetic.

The loop decides *what* each step is given (:mod:`solutions.plan`) and when to save; a backend owns the arrays and does
the sums. It is handed many steps at once, so that one that launches work on a card may do them in one go.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from solutions.arrays import ByteArray, FloatArray
from solutions.errors import CourseError
from solutions.network import Parameters
from solutions.plan import Step
from solutions.recipe import Recipe
from solutions.state import TrainState

BACKENDS = {
    "index": "NumPy index arithmetic: no np.dot, matmul, @, einsum, tensordot or inner anywhere",
    "blas": "the same steps with NumPy's matrix product: for studies, about ten times faster",
}


class StepResult(NamedTuple):
    """Mean loss of a step's batch, and how many of its samples were classified correctly."""

    loss: float
    correct: int


class Backend(Protocol):
    """Does the arithmetic of a run."""

    name: str

    def start(self, recipe: Recipe, state: TrainState, images: ByteArray, labels: ByteArray) -> None:
        """Take over the state and the data (uint8 ``[n, 28, 28]`` and ``[n]``); allocate everything a step needs."""

    def run(self, steps: Sequence[Step]) -> list[StepResult]:
        """Do the steps, in order."""

    def state(self) -> TrainState:
        """A copy of the state after the last step."""

    def logits(self, weights: Parameters, images: ByteArray) -> FloatArray:
        """Forward pass only: uint8 ``[n, 28, 28]`` to float32 ``[n, classes]``; needs no :meth:`start`."""


def choose(name: str) -> Backend:
    """The backend called ``name``: one of :data:`BACKENDS`, or ``"auto"`` for the best one on this machine.

    Raises:
        CourseError: no such backend.
    """
    if name in ("auto", "index"):
        from solutions.backend_numpy import index_backend

        return index_backend()
    if name == "blas":
        from solutions.backend_blas import blas_backend

        return blas_backend()
    raise CourseError(f"no backend {name!r}; there are: auto, {', '.join(BACKENDS)}")
