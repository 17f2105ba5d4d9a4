"""The launches that both halves make: every kernel of the catalog at each of its sizes, with the same inputs."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import kernels
from kernels.catalog import CATALOG, TOLERANCE, Entry, Size, relative_error
from kernels.module import Module

SEED = 20_260
Judge = Callable[[Any], dict[str, Any]]


@functools.cache
def module_on(target: str, file: str) -> Module:
    """The file's kernels on a target, loaded once."""
    return kernels.load(file, target=target)


def kernel_names() -> tuple[str, ...]:
    """All kernels of the catalog."""
    return tuple(entry.name for entry in CATALOG)


@dataclass(frozen=True)
class Fresh:
    """Inputs of one launch, made anew: ``outputs`` maps an argument's position to what judges it after the launch."""

    args: tuple[Any, ...]
    outputs: dict[int, Judge]


@dataclass(frozen=True)
class Planned:
    """One launch."""

    entry: Entry
    numbers: Size

    @property
    def kernel(self) -> str:
        """The kernel's name."""
        return self.entry.name

    @property
    def file(self) -> str:
        """Its file in ``kernels/``."""
        return self.entry.file

    @property
    def size(self) -> str:
        """Such as ``M=96 N=256 K=784``."""
        return " ".join(f"{axis}={number}" for axis, number in zip(self.entry.axes, self.numbers, strict=True))

    @property
    def grid(self) -> tuple[int, int, int]:
        """Filled up to three numbers."""
        return _triple(self.entry.launch(self.numbers)[0])

    @property
    def block(self) -> tuple[int, int, int]:
        """Filled up to three numbers."""
        return _triple(self.entry.launch(self.numbers)[1])

    @property
    def shared(self) -> int:
        """Bytes of dynamic shared memory."""
        return self.entry.launch(self.numbers)[2]

    def fresh(self) -> Fresh:
        """The same inputs at each call, outputs poisoned."""
        args, references = self.entry.make(self.numbers, np.random.default_rng([SEED, *self.numbers]))
        names = [parameter.name for parameter in _signature(self.file, self.kernel)]
        return Fresh(args, {names.index(name): _judge(name, wanted) for name, wanted in references.items()})

    def to_json(self, fresh: Fresh) -> dict[str, Any]:
        """What identifies the launch: geometry, and a hash of every argument."""
        digest = hashlib.sha256()
        for value in fresh.args:
            digest.update(np.ascontiguousarray(value).tobytes())
        return {"kernel": self.kernel, "size": self.size, "grid": list(self.grid), "block": list(self.block),
                "shared": self.shared, "inputs": digest.hexdigest()[:16]}

    def cuda_function(self) -> Any:
        """CuPy's own kernel, which knows registers and shared memory."""
        import cupy

        text = module_on("cuda", self.file).text
        return cupy.RawModule(code=text, options=("-std=c++17",)).get_function(self.kernel)


def planned() -> Iterator[Planned]:
    """Every launch, in the catalog's order."""
    return (Planned(entry, size) for entry in CATALOG for size in entry.sizes)


def _triple(numbers: tuple[int, ...]) -> tuple[int, int, int]:
    x, y, z = (*numbers, 1, 1)[:3]
    return x, y, z


@functools.cache
def _signature(file: str, kernel: str) -> tuple[Any, ...]:
    from kernels.signature import signatures
    from kernels.source import read

    return next(found.parameters for found in signatures(read(file)) if found.name == kernel)


def _judge(name: str, wanted: Any) -> Judge:
    def judge(out: Any) -> dict[str, Any]:
        error = relative_error(out, wanted)
        return {"array": name, "error": None if np.isnan(error) else error, "passed": bool(error <= TOLERANCE),
                "detail": f"‖out - ref‖ / ‖ref‖ = {error:.2e}, at most {TOLERANCE:.0e}"}

    return judge
