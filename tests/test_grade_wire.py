"""Values between grader and student process: they arrive as they were, and nothing malformed gets through."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from autograder.grade import probes, wire
from autograder.grade.wire import Foreign, FunctionSpec, Packer, WireError, unpack


def through(value: object, keep_strides: bool = True, limit: int = 2**31) -> Any:
    """``value`` after the whole journey, frame included."""
    packer = Packer(keep_strides, limit)
    data = wire.frame({"v": packer.pack(value)}, packer.chunks)
    header, payload = wire.read_lengths(data[:8], 2**31)
    assert len(data) == 8 + header + payload
    return unpack(wire.read_header(data[8 : 8 + header])["v"], data[8 + header :])


PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=4) | st.lists(inner, max_size=4).map(tuple),
    max_leaves=20,
)


@given(PLAIN)
def test_plain_values_arrive_with_their_types(value: Any) -> None:
    assert repr(through(value)) == repr(value)


@given(
    hnp.arrays(st.sampled_from([np.dtype(d) for d in sorted(wire.DTYPES)]), hnp.array_shapes(min_dims=0, min_side=0)),
    st.data(),
)
def test_arrays_arrive_with_bits_shape_and_strides(array: np.ndarray, data: st.DataObject) -> None:
    view = array.transpose(data.draw(st.permutations(range(array.ndim))))
    if view.ndim:
        view = view[:: data.draw(st.sampled_from([1, 2, -1, -2]))]
    got = through(view)
    assert got.dtype == view.dtype
    assert got.shape == view.shape
    assert got.tobytes() == view.tobytes()
    if view.size:
        assert got.strides == view.strides
    assert got.flags.writeable
    assert not np.shares_memory(got, view)


def test_a_broadcast_view_stays_one_and_read_only() -> None:
    view = np.broadcast_to(np.arange(3.0), (4, 3))
    got = through(view)
    assert got.strides == (0, 8)
    assert not got.flags.writeable


def test_gaps_of_a_view_hold_nan() -> None:
    got = through(np.arange(6, dtype=np.float32)[::2])
    assert np.isnan(np.ndarray(5, np.float32, got.base)[1::2]).all()


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (object(), "object"),
        ({1, 2}, "set"),
        (np.array([object()]), "dtype object"),
        (np.array(["a"]), "dtype str"),
        (np.longdouble(1), "dtype"),
        (np.zeros(2, dtype=[("a", "f4")]), "dtype"),
        (np.zeros((1, 1)).view(np.recarray), "subclass of ndarray"),
        (np.ma.array([1]), "subclass of ndarray"),
        (type("Int", (int,), {})(3), "Int"),
        (1 << 100_000, "int"),
        ("a" * 20_000, "str"),
        ([0] * 300_000, "200,000 parts"),
    ],
    ids=lambda value: value if isinstance(value, str) and len(value) < 40 else "value",
)
def test_what_does_not_travel_is_named(value: object, kind: str) -> None:
    got = through(value)
    assert isinstance(got, Foreign)
    assert kind in got.kind


def test_numbers_tuples_and_large_arrays() -> None:
    named = type("Pair", (tuple,), {})((np.float32(0.5), np.int64(-3)))
    got = through(named)
    assert type(got) is tuple
    assert (got, [item.dtype.name for item in got]) == ((0.5, -3), ["float32", "int64"])
    assert isinstance(through(np.zeros(100), limit=700), Foreign)
    assert through(np.ones(3, dtype=">i4")).tolist() == [1, 1, 1]


NODES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["array", "<f4", "tuple", "int"]),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(st.sampled_from(["t", "v", "d", "s", "o", "n", "k", "w"]), inner, max_size=8),
    max_leaves=30,
)


@settings(max_examples=500)
@given(NODES, st.binary(max_size=64))
def test_malformed_nodes_raise_one_error_and_nothing_else(node: Any, payload: bytes) -> None:
    with contextlib.suppress(WireError):
        unpack(node, payload)


@pytest.mark.parametrize(
    "change",
    [
        {"s": [3, 3]}, {"s": [-2, -3]}, {"s": [2.0, 3]}, {"s": [True, 6]}, {"s": [1] * 40 + [6]}, {"s": None},
        {"n": 23}, {"n": True}, {"o": -1}, {"o": 4}, {"o": 10**30}, {"d": "|O"}, {"d": ["<f4"]}, {"d": "<f8"},
        {"t": "object"},
    ],
)  # fmt: skip
def test_a_changed_array_is_refused(change: dict[str, Any]) -> None:
    packer = Packer()
    node = packer.pack(np.zeros((2, 3), dtype=np.float32))
    assert unpack(node, b"".join(packer.chunks)).shape == (2, 3)
    with pytest.raises(WireError):
        unpack({**node, **change}, b"".join(packer.chunks))


@pytest.mark.parametrize("text", [b"", b"{", b"[1]", b"\xff\xfe", b"[" * 10**6, b'{"a":' + b"9" * 10**5 + b"}"])
def test_headers_that_are_none(text: bytes) -> None:
    with pytest.raises(WireError):
        wire.read_header(text)


def test_lengths_are_bounded_before_anything_is_read() -> None:
    with pytest.raises(WireError, match="too large"):
        wire.read_lengths(wire.LENGTHS.pack(wire.HEADER_LIMIT + 1, 0), 100)
    with pytest.raises(WireError, match="too large"):
        wire.read_lengths(wire.LENGTHS.pack(10, 101), 100)


def test_deep_nesting_is_refused() -> None:
    node: Any = {"t": "int", "v": "0x1"}
    for _ in range(30):
        node = {"t": "list", "v": [node]}
    with pytest.raises(WireError, match="deep"):
        unpack(node, b"")


def test_headers_are_json_without_surrogates() -> None:
    assert through("\ud800") == "?"
    json.loads(wire.frame({"v": 1}, [])[8:])


def test_probes_are_what_their_names_say() -> None:
    x = np.array([0.5, -1.0, 2.0])
    c = np.array([1.0, 2.0, 3.0], dtype=np.float32)
    assert probes.build("cubic", [c])(x) == pytest.approx(0.125 - 2.0 + 24.0)
    assert probes.build("quadratic", [c])(x) == pytest.approx(0.5 * (0.25 + 2.0 + 12.0))
    assert probes.build("softplus_sum", [])(x) == pytest.approx(float(np.log1p(np.exp(x)).sum()))
    assert probes.build("product", [])(x.reshape(1, 3)) == pytest.approx(-0.5 - 2.0)
    got = through(FunctionSpec("cubic", (c,)))
    assert (got.name, got.arrays[0].tolist()) == ("cubic", c.tolist())
