"""How values travel between grader and student process: a small JSON header and raw bytes, never a pickle.

A frame is eight bytes (lengths of header and payload, big-endian), the header, the payload. The header describes
values as nodes; arrays and NumPy numbers point into the payload. What comes back from a student's process is believed
in nothing: every length, dtype and nesting is checked before it is used.

The student's process loads this file by itself: standard library and NumPy only.
"""

from __future__ import annotations

import json
import math
import struct
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

HEADER_LIMIT = 4 * 2**20
"""Bytes of JSON in one frame; a list of 100,000 numbers takes about half of it."""

NODE_LIMIT = 200_000
DEPTH_LIMIT = 8
TEXT_LIMIT = 10_000
AXES_LIMIT = 32
DTYPES = frozenset(("|b1", "|i1", "<i2", "<i4", "<i8", "|u1", "<u2", "<u4", "<u8", "<f2", "<f4", "<f8", "<c8", "<c16"))
"""Kinds of arrays that travel; anything else is named, not sent."""

LENGTHS = struct.Struct(">II")
Node = dict[str, Any]


class WireError(Exception):
    """A frame that cannot be read: cut off, too large, or not what it claims to be."""


@dataclass(frozen=True)
class Foreign:
    """A value that cannot be graded; ``kind`` says in words what it was."""

    kind: str


@dataclass(frozen=True)
class FunctionSpec:
    """A function argument: one of the functions of ``probes``, with its arrays."""

    name: str
    arrays: tuple[npt.NDArray[Any], ...]


class _TooMuchError(Exception):
    """A value has too many parts or bytes to travel."""


class Packer:
    """Turns values into nodes, and collects the bytes that they point to.

    Args:
        keep_strides: describe how arrays lie in memory, so that a transposed view arrives as one.
        limit: bytes of payload at most.
    """

    def __init__(self, keep_strides: bool = False, limit: int = 2**31) -> None:
        self.keep_strides = keep_strides
        self.limit = limit
        self.chunks: list[bytes] = []
        self.size = 0
        self.nodes = 0

    def pack(self, value: object) -> Node:
        """The node of ``value``; what does not travel becomes a named :class:`Foreign`."""
        try:
            return self._pack(value, 0)
        except _TooMuchError as error:
            return _foreign(str(error))

    def _pack(self, value: object, depth: int) -> Node:
        self.nodes += 1
        if depth > DEPTH_LIMIT:
            raise _TooMuchError("a value nested too deep")
        if self.nodes > NODE_LIMIT:
            raise _TooMuchError(f"a value with more than {NODE_LIMIT:,} parts")
        if type(value) is np.ndarray:
            return self._array(value)
        if isinstance(value, np.generic) and type(value).__module__ == "numpy":
            return self._number(value)
        if isinstance(value, list):
            return {"t": "list", "v": [self._pack(item, depth + 1) for item in list.__iter__(value)]}
        if isinstance(value, tuple):
            return {"t": "tuple", "v": [self._pack(item, depth + 1) for item in tuple.__iter__(value)]}
        if isinstance(value, FunctionSpec):
            return {"t": "function", "n": value.name, "v": [self._array(array) for array in value.arrays]}
        return _plain(value)

    def _bytes(self, data: bytes) -> Node:
        node: Node = {"o": self.size, "n": len(data)}
        self.chunks.append(data)
        self.size += len(data)
        return node

    def _number(self, value: np.generic) -> Node:
        number = np.asarray(value)
        number = number.astype(number.dtype.newbyteorder("<"))
        if number.dtype.str not in DTYPES:
            return _foreign(f"a number of dtype {number.dtype.name}")
        return {"t": "number", "d": number.dtype.str, **self._bytes(number.tobytes())}

    def _array(self, array: npt.NDArray[Any]) -> Node:
        dtype = array.dtype if array.dtype.hasobject else array.dtype.newbyteorder("<")
        if dtype.str not in DTYPES:
            return _foreign(f"an array of dtype {array.dtype.name}")
        if self.size + array.nbytes > self.limit:
            raise _TooMuchError(f"an array of shape {array.shape}, too large to be sent")
        node = {"t": "array", "d": dtype.str, "s": list(array.shape), **self._bytes(array.astype(dtype).tobytes())}
        if self.keep_strides:
            node["k"] = list(array.strides)
            node["w"] = bool(array.flags.writeable)
        return node


def _plain(value: object) -> Node:
    """The node of a value without bytes of its own."""
    if value is None or isinstance(value, bool):
        return {"t": "plain", "v": value}
    if type(value) is int and value.bit_length() <= 4 * TEXT_LIMIT:
        return {"t": "int", "v": hex(value)}
    if type(value) is float:
        return {"t": "float", "v": value.hex()}
    if type(value) is str and len(value) <= TEXT_LIMIT:
        return {"t": "str", "v": value}
    return _foreign(_kind_in_words(value))


def _foreign(kind: str) -> Node:
    return {"t": "foreign", "v": kind}


def _kind_in_words(value: object) -> str:
    name = type(value).__name__[:60]
    return f"a {name}, a subclass of ndarray" if isinstance(value, np.ndarray) else f"a value of type {name}"


def unpack(node: object, payload: bytes) -> Any:
    """The value of a node.

    Raises:
        WireError: the node is malformed or points outside ``payload``.
    """
    return _Unpacker(payload).value(node, 0)


class _Unpacker:
    def __init__(self, payload: bytes) -> None:
        self.payload = payload
        self.nodes = 0

    def value(self, node: object, depth: int) -> Any:
        self.nodes += 1
        if depth > DEPTH_LIMIT + 1 or self.nodes > NODE_LIMIT + 1:
            raise WireError("nested too deep or too long")
        if not isinstance(node, dict):
            raise WireError("a value is not described")
        kind, inner = node.get("t"), node.get("v")
        if kind == "array":
            return self._array(node)
        if kind == "number":
            return np.frombuffer(self._bytes(node, _dtype(node)), _dtype(node))[0]
        if isinstance(inner, list):
            return _sequence(kind, node.get("n"), [self.value(item, depth + 1) for item in inner])
        if kind == "plain" and (inner is None or isinstance(inner, bool)):
            return inner
        return _from_text(kind, _text(inner))

    def _bytes(self, node: Node, dtype: np.dtype[Any], count: int = 1) -> bytes:
        start, length = node.get("o"), node.get("n")
        if type(start) is not int or type(length) is not int or length != count * dtype.itemsize:
            raise WireError("the length of an array does not match its shape")
        if not 0 <= start <= start + length <= len(self.payload):
            raise WireError("an array lies outside the frame")
        return self.payload[start : start + length]

    def _array(self, node: Node) -> npt.NDArray[Any]:
        dtype, shape = _dtype(node), _integers(node.get("s"))
        if any(length < 0 for length in shape):
            raise WireError("a shape is negative")
        data = self._bytes(node, dtype, math.prod(shape))
        try:
            values = np.frombuffer(data, dtype).reshape(shape)
        except ValueError as error:  # a zero-size array whose other axes overflow
            raise WireError("a shape is too large") from error
        if "k" not in node:
            return values.copy()
        array = _laid_out(values, _integers(node["k"]))
        array.flags.writeable = node.get("w") is True
        return array


def _sequence(kind: object, name: object, items: list[Any]) -> list[Any] | tuple[Any, ...] | FunctionSpec:
    if kind == "list":
        return items
    if kind == "tuple":
        return tuple(items)
    if kind == "function":
        return FunctionSpec(_text(name), tuple(items))
    raise WireError("an unknown kind of sequence")


def _from_text(kind: object, text: str) -> int | float | str | Foreign:
    try:
        if kind == "int":
            return int(text, 16)
        if kind == "float":
            return float.fromhex(text)
    except (ValueError, OverflowError) as error:
        raise WireError("a number is not written as one") from error
    if kind == "str":
        return text
    if kind == "foreign":
        return Foreign(text[:200])
    raise WireError("an unknown kind of value")


def _laid_out(values: npt.NDArray[Any], strides: tuple[int, ...]) -> npt.NDArray[Any]:
    """The same values with other strides, in memory of their own; gaps are filled with 0xFF, which is NaN or -1."""
    if values.size == 0 or strides == values.strides:
        return values.copy()
    reach = [stride * (length - 1) for stride, length in zip(strides, values.shape, strict=True)]
    start = -sum(step for step in reach if step < 0)
    extent = start + sum(step for step in reach if step > 0) + values.itemsize
    memory = np.full(extent, 0xFF, dtype=np.uint8)
    array: npt.NDArray[Any] = np.ndarray(values.shape, values.dtype, memory.data, start, strides)
    array[...] = values
    return array


def _dtype(node: Node) -> np.dtype[Any]:
    if not isinstance(node.get("d"), str) or node["d"] not in DTYPES:
        raise WireError("a dtype that does not travel")
    return np.dtype(node["d"])


def _integers(value: object) -> tuple[int, ...]:
    if not isinstance(value, list) or len(value) > AXES_LIMIT or any(type(item) is not int for item in value):
        raise WireError("a shape is not a list of whole numbers")
    return tuple(value)


def _text(value: object) -> str:
    if not isinstance(value, str) or len(value) > 2 * TEXT_LIMIT:
        raise WireError("a text is missing or too long")
    return value.encode("utf-8", "replace").decode()  # without lone surrogates, which no file could hold


def frame(header: Node, chunks: list[bytes]) -> bytes:
    """One frame, ready to be sent."""
    text = json.dumps(header, allow_nan=False).encode()
    payload = b"".join(chunks)
    return b"".join((LENGTHS.pack(len(text), len(payload)), text, payload))


def read_lengths(prefix: bytes, payload_limit: int) -> tuple[int, int]:
    """Lengths of header and payload from the first eight bytes.

    Raises:
        WireError: either is above its limit.
    """
    header, payload = LENGTHS.unpack(prefix)
    if header > HEADER_LIMIT or payload > payload_limit:
        raise WireError(f"a frame of {header + payload:,} bytes is too large")
    return header, payload


def read_header(text: bytes) -> Node:
    """The header of a frame.

    Raises:
        WireError: it is not a JSON object.
    """
    try:
        header = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise WireError("a header is not JSON") from error
    if not isinstance(header, dict):
        raise WireError("a header is not a JSON object")
    return header
