"""Holds a launch against a kernel's signature: what is wrong is said before anything runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kernels.errors import LaunchError
from kernels.signature import Parameter, Signature

MAX_THREADS = 1024
MAX_BLOCK = (1024, 1024, 64)
MAX_GRID = (2**31 - 1, 65535, 65535)
"""CUDA C++ Programming Guide, Technical Specifications per Compute Capability: the same for all cards of the course."""

Triple = tuple[int, int, int]


@dataclass(frozen=True)
class Launch:
    """A launch that fits its kernel: ``values`` has an array or a plain number for each parameter."""

    grid: Triple
    block: Triple
    shared: int
    values: tuple[Any, ...]


def check(
    signature: Signature, grid: Any, block: Any, args: Sequence[Any], shared: int, array_type: type[Any]
) -> Launch:
    """The launch with grid and block filled up to three numbers and scalars of the parameters' types.

    Args:
        array_type: what arrays must be on this target: NumPy's or CuPy's ``ndarray``.

    Raises:
        LaunchError: names the kernel, the argument, what it is and what was expected.
    """
    name = signature.name
    full_grid, full_block = _triple(name, "grid", grid, MAX_GRID), _triple(name, "block", block, MAX_BLOCK)
    threads = full_block[0] * full_block[1] * full_block[2]
    if threads > MAX_THREADS:
        raise LaunchError(
            f"{name}: a block of {full_block} has {threads:,} threads; a block has at most {MAX_THREADS:,}"
        )
    if signature.max_threads and threads > signature.max_threads:
        raise LaunchError(
            f"{name}: a block of {threads} threads, but its __launch_bounds__ promise at most {signature.max_threads}"
        )
    if not isinstance(shared, (int, np.integer)) or isinstance(shared, bool) or shared < 0:
        raise LaunchError(f"{name}: shared is the number of bytes of dynamic shared memory, 0 or more, not {shared!r}")
    if not isinstance(args, (tuple, list)):
        raise LaunchError(f"{name}: args is a tuple with one value for each parameter, not {type(args).__name__}")
    expected = signature.parameters
    if len(args) != len(expected):
        names = ", ".join(parameter.name for parameter in expected)
        odd = (
            f"{expected[len(args)].name} is missing"
            if len(args) < len(expected)
            else f"{len(args) - len(expected)} too many"
        )
        raise LaunchError(f"{name} takes {len(expected)} arguments ({names}), got {len(args)}: {odd}")
    values = tuple(
        _value(name, i, parameter, value, array_type)
        for i, (parameter, value) in enumerate(zip(expected, args, strict=True))
    )
    return Launch(full_grid, full_block, int(shared), values)


def _triple(kernel: str, what: str, given: Any, limits: Triple) -> Triple:
    parts = (given,) if isinstance(given, (int, np.integer)) else given
    if not isinstance(parts, (tuple, list)) or not 1 <= len(parts) <= 3:
        raise LaunchError(f"{kernel}: {what} is one to three whole numbers, such as (4, 2), not {given!r}")
    for part in parts:
        if not isinstance(part, (int, np.integer)) or isinstance(part, bool):
            raise LaunchError(
                f"{kernel}: {what} {tuple(parts)} holds {part!r}; its numbers are whole ones (use //, not /)"
            )
    x, y, z = (*(int(part) for part in parts), 1, 1)[:3]
    for axis, number, limit in zip("xyz", (x, y, z), limits, strict=True):
        if number < 1:
            raise LaunchError(f"{kernel}: {what} {tuple(parts)} has {number} in {axis}; every number is 1 or more")
        if number > limit:
            raise LaunchError(f"{kernel}: {what} {tuple(parts)} has {number:,} in {axis}; at most {limit:,} there")
    return x, y, z


def _value(kernel: str, number: int, parameter: Parameter, value: Any, array_type: type[Any]) -> Any:
    where = f"{kernel}: argument {number}, {parameter.name},"
    if parameter.kind == "pointer":
        return _array(where, parameter, value, array_type)
    if parameter.kind == "scalar":
        return _scalar(where, parameter, value)
    if hasattr(value, "__array_interface__") and isinstance(value, np.ndarray) and value.ndim:
        return _array(where, parameter, value, array_type)
    return value


def _array(where: str, parameter: Parameter, value: Any, array_type: type[Any]) -> Any:
    wanted = f"an array of {parameter.dtype}" if parameter.dtype is not None else "an array"
    pointer = f"{'const ' if parameter.const else ''}{parameter.type}*"
    if value is None:
        raise LaunchError(f"{where} is None; {pointer} takes {wanted}")
    if not isinstance(value, array_type):
        raise LaunchError(f"{where} is {_kind(value)}; {pointer} takes {wanted}{_way_out(value, array_type)}")
    shape = f"{value.dtype}{list(value.shape)}"
    if parameter.dtype is not None and value.dtype != parameter.dtype:
        if value.dtype.newbyteorder("=") == parameter.dtype:
            raise LaunchError(f"{where} is {shape} in the other byte order; convert it: .astype(np.{parameter.dtype})")
        raise LaunchError(
            f"{where} is {shape}; {pointer} takes {wanted}: convert it with .astype(np.{parameter.dtype})"
        )
    if not value.flags.c_contiguous:
        raise LaunchError(f"{where} is {shape} and not contiguous (a slice or a transposed view?); "
                          "pass np.ascontiguousarray(...) of it")
    if not parameter.const and isinstance(value, np.ndarray) and not value.flags.writeable:
        raise LaunchError(
            f"{where} is {shape} and read-only, but {pointer} may be written; pass a copy, or make the parameter const"
        )
    if parameter.lanes > 1 and value.size % parameter.lanes:
        raise LaunchError(f"{where} has {value.size} elements; {pointer} takes a multiple of {parameter.lanes}")
    return value


def _scalar(where: str, parameter: Parameter, value: Any) -> Any:
    dtype = parameter.dtype
    assert dtype is not None
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if not isinstance(value, (bool, int, float, np.generic)) or isinstance(
        value, (np.void, np.str_, np.bytes_, np.complexfloating)
    ):
        raise LaunchError(f"{where} is {_kind(value)}; {parameter.type} takes a number")
    if dtype.kind == "f":
        return dtype.type(value)
    if dtype.kind == "b":
        return np.bool_(value)
    if isinstance(value, (float, np.floating)):
        raise LaunchError(f"{where} is the float {value!r}; {parameter.type} takes a whole number")
    low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    if not low <= int(value) <= high:
        raise LaunchError(f"{where} is {int(value):,}; {parameter.type} holds {low:,} to {high:,}")
    return dtype.type(int(value))


def _kind(value: Any) -> str:
    module = type(value).__module__.split(".")[0]
    if hasattr(value, "shape") and hasattr(value, "dtype"):
        owner = {"cupy": "CuPy", "numpy": "NumPy"}.get(module, module)
        return f"a {owner} array {value.dtype}{list(value.shape)}"
    return f"{type(value).__name__} {value!r}"[:60]


def _way_out(value: Any, array_type: type[Any]) -> str:
    if array_type is np.ndarray and type(value).__module__.startswith("cupy"):
        return " of NumPy on this target: pass x.get()"
    if array_type is not np.ndarray and isinstance(value, np.ndarray):
        return " on the device: pass cupy.asarray(x)"
    return ""
