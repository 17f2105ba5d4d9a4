"""Every kernel of the course: how it is launched, what it is given, and what it must compute.

Tests, the table of GPU measurements and the static report walk this list, so a kernel that is not in it does not exist.
References are float64; outputs are poisoned with NaN before a launch, so that an element that is never written shows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from kernels import references as of
from kernels.references import Array, Call, Size

Geometry = tuple[tuple[int, ...], tuple[int, ...], int]
"""(grid, block, bytes of dynamic shared memory)."""

TOLERANCE = 2e-6
"""Of ‖out - ref‖ / ‖ref‖: 784 float32 terms summed in order err by about 5e-7 on random data; this is 4 times that."""
WARP = 32


@dataclass(frozen=True)
class Entry:
    """One kernel.

    Attributes:
        name, file: the kernel and its file in ``kernels/``.
        axes: what the numbers of a size mean, such as ``("M", "N", "K")``.
        sizes: at which it is checked everywhere; one is ragged in every axis.
        launch: geometry for a size.
        make: arguments with poisoned outputs, and references, for a size; arrays are new at each call.
        bytes_moved: the fewest bytes of global memory for a size: each input read once, each output written once.
        flops: floating-point operations for a size.
    """

    name: str
    file: str
    axes: tuple[str, ...]
    sizes: tuple[Size, ...]
    launch: Callable[[Size], Geometry]
    make: Callable[[Size, np.random.Generator], Call]
    bytes_moved: Callable[[Size], int]
    flops: Callable[[Size], int]


def relative_error(out: Array, reference: Array) -> float:
    """‖out - ref‖ / ‖ref‖ in float64; NaN where ``out`` holds one. A reference of zeros gives ‖out‖."""
    difference = float(np.linalg.norm((out.astype(np.float64) - reference).ravel()))
    return difference / (float(np.linalg.norm(reference.ravel())) or 1.0)


def find(name: str) -> Entry:
    """The entry of a kernel.

    Raises:
        KeyError: no such kernel.
    """
    return {entry.name: entry for entry in CATALOG}[name]


_LENGTHS: tuple[Size, ...] = ((1,), (1000,), (100_003,))
_PRODUCTS: tuple[Size, ...] = ((3, 2, 1), (37, 53, 29), (96, 256, 784))
_LAYERS: tuple[Size, ...] = ((2, 3, 1), (45, 37, 53), (96, 256, 128))
_ROWS: tuple[Size, ...] = ((1, 2), (67, 33), (96, 10))


def _up(a: int, b: int) -> int:
    return -(-a // b)


def _line(width: int = 1) -> Callable[[Size], Geometry]:
    return lambda size: ((_up(size[0], 256 * width),), (256,), 0)


def _matmul_entry(name: str, launch: Callable[[Size], Geometry]) -> Entry:
    return Entry(name, "matmul.cu", ("M", "N", "K"), _PRODUCTS, launch, of.matmul,
                 lambda s: 4 * (s[0] * s[2] + s[2] * s[1] + s[0] * s[1]), lambda s: 2 * s[0] * s[1] * s[2])


def _tiles(threads: tuple[int, ...], tile: int) -> Callable[[Size], Geometry]:
    return lambda size: ((_up(size[1], tile), _up(size[0], tile)), threads, 0)


def _warps(size: Size) -> Geometry:
    return ((_up(size[0], 128 // WARP),), (128,), 0)


def _entries() -> tuple[Entry, ...]:
    n, layer, rows = ("n",), ("batch", "in", "out"), ("rows", "classes")
    soft, ball = "softmax_cross_entropy.cu", "l2_ball.cu"
    per_row: Callable[[Size], Geometry] = lambda s: ((_up(s[0], 128),), (128,), 0)  # noqa: E731
    big, wide_rows = ((5, 3), (61, 77), (96, 256)), ((1, 7), (61, 77), (96, 768))
    one = _LENGTHS
    return (
        Entry("add", "elementwise.cu", n, one, _line(), of.add, lambda s: 12 * s[0], lambda s: s[0]),
        Entry("add_float4", "elementwise.cu", n, one, _line(4), of.add, lambda s: 12 * s[0], lambda s: s[0]),
        Entry(
            "add_bias",
            "elementwise.cu",
            ("rows", "cols"),
            big,
            lambda s: ((_up(s[1], 32), _up(s[0], 8)), (32, 8), 0),
            of.add_bias,
            lambda s: 8 * s[0] * s[1] + 4 * s[1],
            lambda s: s[0] * s[1],
        ),
        Entry("relu_forward", "relu.cu", n, one, _line(), of.relu_forward, lambda s: 8 * s[0], lambda s: 0),
        Entry("relu_backward", "relu.cu", n, one, _line(), of.relu_backward, lambda s: 12 * s[0], lambda s: 0),
        Entry("relu_backward_sign_bit", "relu.cu", n, one, _line(), of.relu_backward, lambda s: 12 * s[0], lambda s: 0),
        _matmul_entry("matmul_uncoalesced", lambda s: ((_up(s[0], 16), _up(s[1], 16)), (16, 16), 0)),
        _matmul_entry("matmul_naive", _tiles((16, 16), 16)),
        _matmul_entry("matmul_tiled", _tiles((16, 16), 16)),
        _matmul_entry("matmul_register_1d", _tiles((512,), 64)),
        _matmul_entry("matmul_register_2d", _tiles((256,), 64)),
        _matmul_entry("matmul_float4", _tiles((256,), 64)),
        _matmul_entry("matmul_double_buffered", _tiles((256,), 64)),
        Entry(
            "grad_weight_naive",
            "linear_backward.cu",
            layer,
            _LAYERS,
            lambda s: ((_up(s[2], 16), _up(s[1], 16)), (16, 16), 0),
            of.grad_weight,
            lambda s: 4 * (s[0] * s[1] + s[0] * s[2] + s[1] * s[2]),
            lambda s: 2 * s[0] * s[1] * s[2],
        ),
        Entry(
            "grad_bias_naive",
            "linear_backward.cu",
            layer,
            _LAYERS,
            lambda s: ((_up(s[2], 128),), (128,), 0),
            of.grad_bias,
            lambda s: 4 * (s[0] * s[2] + s[2]),
            lambda s: s[0] * s[2],
        ),
        Entry(
            "grad_input_naive",
            "linear_backward.cu",
            layer,
            _LAYERS,
            lambda s: ((_up(s[1], 16), _up(s[0], 16)), (16, 16), 0),
            of.grad_input,
            lambda s: 4 * (s[0] * s[2] + s[1] * s[2] + 2 * s[0] * s[1]),
            lambda s: 2 * s[0] * s[1] * s[2],
        ),
        Entry(
            "linear_backward",
            "linear_backward.cu",
            layer,
            _LAYERS,
            lambda s: ((_up(s[1], 16) * (_up(s[2], 16) + _up(s[0], 16)),), (16, 16), 0),
            of.linear_backward,
            lambda s: 4 * (2 * s[0] * s[1] + s[0] * s[2] + 2 * s[1] * s[2] + s[2]),
            lambda s: 4 * s[0] * s[1] * s[2] + s[0] * s[2],
        ),
        Entry(
            "softmax_thread_per_row",
            soft,
            rows,
            _ROWS,
            per_row,
            of.softmax,
            lambda s: 8 * s[0] * s[1],
            lambda s: 5 * s[0] * s[1],
        ),
        Entry(
            "softmax_warp_per_row",
            soft,
            rows,
            _ROWS,
            _warps,
            of.softmax,
            lambda s: 8 * s[0] * s[1],
            lambda s: 5 * s[0] * s[1],
        ),
        Entry("cross_entropy_loss", soft, rows, _ROWS, per_row, of.loss, lambda s: 12 * s[0], lambda s: 2 * s[0]),
        Entry(
            "cross_entropy_backward",
            soft,
            rows,
            _ROWS,
            lambda s: ((_up(s[0] * s[1], 256),), (256,), 0),
            of.loss_backward,
            lambda s: 8 * s[0] * s[1] + 4 * s[0],
            lambda s: 2 * s[0] * s[1],
        ),
        Entry(
            "softmax_cross_entropy",
            soft,
            rows,
            _ROWS,
            _warps,
            of.fused_loss,
            lambda s: 8 * s[0] * s[1] + 8 * s[0],
            lambda s: 7 * s[0] * s[1],
        ),
        Entry("sgd", "optimizer.cu", n, one, _line(), of.sgd, lambda s: 12 * s[0], lambda s: 2 * s[0]),
        Entry("momentum", "optimizer.cu", n, one, _line(), of.momentum, lambda s: 20 * s[0], lambda s: 4 * s[0]),
        Entry("adam", "optimizer.cu", n, one, _line(), of.adam, lambda s: 28 * s[0], lambda s: 15 * s[0]),
        Entry(
            "l2_ball_forward",
            ball,
            ("rows", "width"),
            wide_rows,
            _warps,
            of.ball_forward,
            lambda s: 8 * s[0] * s[1],
            lambda s: 3 * s[0] * s[1],
        ),
        Entry(
            "l2_ball_backward",
            ball,
            ("rows", "width"),
            wide_rows,
            _warps,
            of.ball_backward,
            lambda s: 12 * s[0] * s[1],
            lambda s: 7 * s[0] * s[1],
        ),
    )


CATALOG = _entries()
