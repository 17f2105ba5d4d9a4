"""A loaded kernel file and its kernels, whatever runs them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from kernels.arguments import Launch, check
from kernels.emulator.launch import STEP_LIMIT, InspectOptions, Report
from kernels.errors import LaunchError
from kernels.signature import Parameter, Signature
from kernels.source import Source


class Target(Protocol):
    """Something that launches the kernels of one text."""

    name: str
    array_type: type[Any]

    def launch(self, kernel: str, launch: Launch, stream: Any) -> None:
        """Run one launch; arrays are changed in place."""

    def inspect(self, kernel: str, launch: Launch, options: InspectOptions) -> Report:
        """Run one launch and report what it did."""


class Kernel:
    """One kernel: call it with grid, block and arguments."""

    def __init__(self, signature: Signature, target: Target) -> None:
        self._signature, self._target = signature, target

    @property
    def name(self) -> str:
        """As in the text."""
        return self._signature.name

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """What it takes, in order."""
        return self._signature.parameters

    def __call__(self, grid: Any, block: Any, args: Sequence[Any], shared: int = 0, stream: Any = None) -> None:
        """Launch.

        Args:
            grid, block: one to three whole numbers; ``(16,)`` and ``16`` are the same.
            args: arrays and numbers in the order of the parameters; arrays are changed in place.
            shared: bytes of dynamic shared memory.
            stream: a CuPy stream; the emulator has none.

        Raises:
            LaunchError: an argument does not fit.
            KernelFault: the emulator saw a fault.
        """
        launch = check(self._signature, grid, block, args, shared, self._target.array_type)
        self._target.launch(self.name, launch, stream)

    def inspect(self, grid: Any, block: Any, args: Sequence[Any], shared: int = 0, *, order: int = 0, nan: bool = False,
                trace: bool = False, step_limit: int = STEP_LIMIT) -> Report:
        """Launch under the emulator's check and report: faults, counters and, with ``trace``, every access.

        Args:
            order: 0 is the natural order of blocks, warps and lanes, 1 the reverse; others are mixed, each in its way.
            nan: report where a NaN is written to a float array.
            trace: keep each request, for pictures; for tiny launches.
            step_limit: basic blocks that one thread may run before it counts as endless.

        Raises:
            LaunchError: an argument does not fit. Faults are not raised: they are in the report.
        """
        launch = check(self._signature, grid, block, args, shared, self._target.array_type)
        return self._target.inspect(self.name, launch, InspectOptions(order, nan, trace, step_limit))

    def __repr__(self) -> str:
        return f"<kernel {self._signature} on {self._target.name}>"


class Module:
    """The kernels of one text, as attributes and by name."""

    def __init__(self, source: Source, found: Sequence[Signature], target: Target) -> None:
        self._source = source
        self._kernels = {signature.name: Kernel(signature, target) for signature in found}
        self.target = target.name

    @property
    def kernels(self) -> tuple[str, ...]:
        """Names, in the order of the text."""
        return tuple(self._kernels)

    @property
    def text(self) -> str:
        """The source text."""
        return self._source.text

    def __getitem__(self, name: str) -> Kernel:
        if name not in self._kernels:
            raise LaunchError(f"{self._source.name} has no kernel {name}; it has {', '.join(self._kernels)}")
        return self._kernels[name]

    def __getattr__(self, name: str) -> Kernel:
        if name.startswith("_") or name not in self._kernels:
            raise AttributeError(f"{self._source.name} has no kernel {name}; it has {', '.join(self._kernels)}")
        return self._kernels[name]

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._kernels]

    def __repr__(self) -> str:
        return f"<kernels of {self._source.name} on {self.target}: {', '.join(self._kernels)}>"
