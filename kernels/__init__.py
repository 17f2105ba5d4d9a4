"""The course's CUDA kernels, one operation a ``.cu`` file, and what runs them.

``load`` turns a file or a text into a module whose kernels are called with a grid, a block and arrays: on a GPU through
CuPy, or on the CPU through the emulator, which sees every access. ``catalog`` says how each kernel is launched and what
it must compute; ``static`` asks the compilers for registers and occupancy, without a GPU; ``python -m kernels`` prints.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from kernels.errors import CompileError, KernelFault, LaunchError, ToolMissing

if TYPE_CHECKING:
    from kernels.module import Module
    from kernels.signature import Signature

__all__ = ["CompileError", "KernelFault", "LaunchError", "ToolMissing", "load"]

TARGETS = ("auto", "cuda", "emulator")
MODES = ("checked", "fast")


def load(source: str | os.PathLike[str], *, target: str = "auto", mode: str = "checked", instances: Sequence[str] = (),
         isolate: bool = True) -> Module:
    """Load the kernels of a file or a text.

    Args:
        source: a file of ``kernels/``, a path, or CUDA C++ text.
        target: ``cuda``, ``emulator``, or ``auto``: CUDA where there is a device, else the emulator.
        mode: of the emulator. ``checked`` sees every access and reports what is wrong; ``fast`` only computes.
        instances: templates to instantiate, such as ``"matmul<16>"``; they are kernels by these names.
        isolate: run the emulator's kernels in a process of its own. ``False`` saves a copy of the arrays, for kernels
            that are trusted: a crash takes this process along.

    Raises:
        CompileError: the text does not compile; the message has its line.
        CourseError: no such file, no compiler, no device; the message says what to do.
    """
    from kernels.module import Module
    from kernels.signature import signatures
    from kernels.source import read

    for what, given, known in (("target", target, TARGETS), ("mode", mode, MODES)):
        if given not in known:
            raise LaunchError(f"{what} is one of {', '.join(known)}, not {given!r}")
    text = read(source)
    found = _instantiate(signatures(text), instances)
    if target == "cuda" or (target == "auto" and _device_present()):
        from kernels.cuda import CudaTarget

        return Module(text, found, CudaTarget(text, found))
    from kernels.emulator.launch import EmulatorTarget

    return Module(text, found, EmulatorTarget(text, found, mode, isolate=isolate))


def _instantiate(found: tuple[Signature, ...], instances: Sequence[str]) -> tuple[Signature, ...]:
    templates = {signature.name: signature for signature in found if signature.template}
    result = [signature for signature in found if not signature.template]
    for instance in instances:
        name = instance.split("<")[0].strip()
        if name not in templates:
            raise LaunchError(f"{name} is no template of this text; its templates are {', '.join(templates) or 'none'}")
        result.append(replace(templates[name], name=instance))
    if not result:
        names = ", ".join(templates)
        raise LaunchError(
            f'every kernel of this text is a template ({names}); say which: instances=["{names.split(",")[0]}<16>"]'
        )
    return tuple(result)


def _device_present() -> bool:
    from kernels.cuda import device_present

    return device_present()
