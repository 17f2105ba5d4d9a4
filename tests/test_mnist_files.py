"""IDX, gzip and .npy files: round trips, and every fault named before anything is trained on it."""

from __future__ import annotations

import dataclasses
import gzip
import math
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from solutions.errors import CourseError
from solutions.mnist_files import (
    FILES,
    BadFileError,
    content_md5,
    decode,
    find,
    idx_header,
    open_npy,
    parse_idx,
    unpack_gzip,
)
from tests.mnist_samples import CONTENT, DIGITS, IMAGES, IMAGES_GZ, LABELS, LABELS_GZ, PIXELS, describe, idx


@given(hnp.arrays(np.uint8, hnp.array_shapes(min_dims=1, max_dims=4, min_side=0, max_side=5)))
def test_parse_idx_gives_back_what_was_written(array):
    for buffer in (idx(array), bytearray(idx(array)), memoryview(idx(array))):
        got = parse_idx(buffer, "x")
        assert got.dtype == np.uint8
        assert got.shape == array.shape
        assert (got == array).all()


@given(st.binary(max_size=40))
def test_parse_idx_accepts_nothing_but_whole_idx_files(content):
    try:
        array = parse_idx(content, "x")
    except CourseError:
        return
    assert idx(array) == content


@given(st.integers(0, 70), st.integers(0, 2) | st.integers(0, 2**32 - 1), st.integers(0, 2) | st.integers(0, 2**32 - 1))
def test_parse_idx_survives_headers_that_lie(ones, a, b):
    shape = (*[1] * ones, a, b)
    content = bytes([0, 0, 8, len(shape)]) + struct.pack(f">{len(shape)}I", *shape) + b"\x01"
    if math.prod(shape) == 1 and len(shape) <= 64:
        assert parse_idx(content, "x").shape == shape
    else:
        with pytest.raises(BadFileError, match=r"header says|axes"):
            parse_idx(content, "x")


def test_parse_idx_copies_nothing():
    assert np.shares_memory(parse_idx(buffer := bytearray(idx(DIGITS)), "x"), np.frombuffer(buffer, np.uint8))


GOOD = idx(DIGITS)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "has 0 bytes, too few"),
        (GOOD[:3], "has 3 bytes, too few"),
        (b"\x01" + GOOD[1:], "wrong magic"),
        (b"<htm" + GOOD, "wrong magic"),
        (bytes([0, 0, 8, 0]), "wrong magic"),
        (bytes([0, 0, 7, 1]) + GOOD[4:], "wrong magic"),
        (bytes([0, 0, 0x0D, 1]) + GOOD[4:], "holds float32 values"),
        (GOOD[:6], "cut short inside the IDX header .6 of 8"),
        (GOOD[:-1], r"cut short: its header says \[300\], 300 values, and 299 follow"),
        (GOOD + b"\0", r"extra bytes at its end: its header says \[300\], 300 values, and 301 follow"),
        (GOOD[:4] + struct.pack(">I", 299) + GOOD[8:], "extra bytes"),
        (GOOD[:4] + struct.pack(">I", 2**32 - 1) + GOOD[8:], "cut short"),
        (bytes([0, 0, 8, 65]) + struct.pack(">65I", *[1] * 65) + b"\x01", "65 axes"),
        (bytes([0, 0, 8, 3]) + struct.pack(">3I", 0, 2**32 - 1, 2**32 - 1), "too long"),
    ],
)
def test_parse_idx_names_each_fault(content, complaint):
    with pytest.raises(CourseError, match=rf"^digits\.idx .*{complaint}.*; put MNIST's original") as caught:
        parse_idx(content, "digits.idx")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("packed", "complaint"),
    [
        (IMAGES_GZ[:-1], "is cut short: the gzip stream breaks off"),
        (IMAGES_GZ[: len(IMAGES_GZ) // 2], "is cut short: the gzip stream breaks off"),
        (IMAGES_GZ[:5], "is cut short: the gzip stream breaks off"),
        (IMAGES_GZ[:100] + bytes(8) + IMAGES_GZ[108:], "is a damaged gzip file"),
        (IMAGES_GZ[:-8] + b"1234" + IMAGES_GZ[-4:], "is a damaged gzip file .CRC"),
        (IMAGES_GZ + b"rest", "is a damaged gzip file"),
        (gzip.compress(bytes(65 << 20), 1), "unpacks to more than 67108864 bytes"),
    ],
    ids=["last byte", "half", "header", "hole", "checksum", "trailer", "bomb"],
)
def test_unpack_gzip_names_each_fault(packed, complaint):
    with pytest.raises(BadFileError, match=rf"^a\.gz {complaint}"):
        unpack_gzip(packed, "a.gz")


def test_decode_goes_by_the_first_bytes_and_not_by_the_name():
    for content in (LABELS_GZ, gzip.compress(GOOD, 1), GOOD):
        assert (decode(content, LABELS, "labels.gz") == DIGITS).all()


def _with_label_10():
    digits = DIGITS.copy()
    digits[[5, 9]] = 10
    return digits


def _one_pixel_off():
    pixels = PIXELS.copy()
    pixels[299, 27, 27] ^= 1
    return pixels


@pytest.mark.parametrize(
    ("file", "array", "complaint"),
    [
        (LABELS, _with_label_10(), "has label 10 at index 5; labels are 0 to 9"),
        (LABELS, DIGITS[:-1], r"has shape \[299\]; small-labels-idx1-ubyte has \[300\]"),
        (LABELS, PIXELS, r"has shape \[300, 28, 28\]"),
        (
            LABELS,
            DIGITS[::-1].copy(),
            "is not MNIST's small-labels-idx1-ubyte: MD5 of its content [0-9a-f]{32}, expected",
        ),
        (IMAGES, PIXELS.reshape(300, 784), r"has shape \[300, 784\]"),
        (IMAGES, _one_pixel_off(), "is not MNIST's small-images-idx3-ubyte: MD5"),
    ],
    ids=["label 10", "one short", "images", "other labels", "flat", "one bit"],
)
def test_decode_and_open_npy_refuse_wrong_content(tmp_path, file, array, complaint):
    with pytest.raises(BadFileError, match=rf"^given {complaint}"):
        decode(idx(array), file, "given")
    np.save(tmp_path / "given.npy", array)
    if array.shape != file.shape:  # open_npy sees that in the header
        complaint = "is not a .npy file of uint8"
    with pytest.raises(BadFileError, match=rf"given\.npy {complaint}"):
        open_npy(tmp_path / "given.npy", file)


def test_labels_out_of_range_are_refused_even_if_the_digest_were_right():
    file, packed = describe("bad-labels-idx1-ubyte", _with_label_10())
    with pytest.raises(BadFileError, match="label 10 at index 5"):
        decode(packed, file, "x")


def test_open_npy_maps_the_file_read_only(tmp_path):
    for file, array in CONTENT.items():
        np.save(tmp_path / file.npy_name, array)
        mapped = open_npy(tmp_path / file.npy_name, file)
        assert isinstance(mapped, np.memmap)
        assert not mapped.flags.writeable
        assert (mapped == array).all()


def _npy(tmp_path: Path, array: np.ndarray, **options: bool) -> bytes:
    np.save(tmp_path / "made.npy", array, **options)
    return (tmp_path / "made.npy").read_bytes()


def test_open_npy_names_each_fault(tmp_path):
    path = tmp_path / "images.npy"
    good = _npy(tmp_path, PIXELS)
    archive = tmp_path / "a.npz"
    np.savez(archive, PIXELS)
    other = "is not a .npy file of uint8 [300, 28, 28] in C order"
    faults = {
        b"": other,
        good[:50]: other,
        good[:-1]: f"has {len(good) - 1} bytes where {len(good)} are expected",
        good + b"x": f"has {len(good) + 1} bytes where {len(good)} are expected",
        GOOD: other,
        archive.read_bytes(): other,
        _npy(tmp_path, np.array([{}], object), allow_pickle=True): other,
        _npy(tmp_path, PIXELS.astype(np.float32)): other,
        _npy(tmp_path, np.asfortranarray(PIXELS)): other,
        _npy(tmp_path, PIXELS[:-1]): other,
    }
    for content, complaint in faults.items():
        path.write_bytes(content)
        with pytest.raises(BadFileError) as caught:
            open_npy(path, IMAGES)
        assert caught.value.reason == complaint
    path.unlink()
    with pytest.raises(BadFileError, match=r"images\.npy is missing"):
        open_npy(path, IMAGES)
    with pytest.raises(BadFileError, match="cannot be read"):
        open_npy(tmp_path, IMAGES)


@pytest.fixture(scope="module")
def scratch(tmp_path_factory):
    return tmp_path_factory.mktemp("npy")


@given(position=st.integers(0, 127), value=st.integers(0, 255), cut=st.integers(0, 428))
def test_open_npy_turns_any_damage_into_a_course_error(scratch, position, value, cut):
    path = scratch / "labels.npy"
    np.save(path, DIGITS)
    good = path.read_bytes()
    damaged = bytearray(good)
    damaged[position] = value
    for content in (bytes(damaged), good[:cut]):
        path.write_bytes(content)
        try:
            array = open_npy(path, LABELS)
        except BadFileError:
            continue
        assert content == good  # the value was there before
        assert (array == DIGITS).all()


def test_find_prefers_what_needs_no_conversion_and_knows_the_usual_names(tmp_path):
    with pytest.raises(BadFileError, match=r"small-images-idx3-ubyte\.gz is missing"):
        find(IMAGES, tmp_path)
    names = ["small-images.idx3-ubyte.gz", IMAGES.gz_name, "small-images.idx3-ubyte", IMAGES.stem, IMAGES.npy_name]
    for name in names:
        (tmp_path / name).touch()
        assert find(IMAGES, tmp_path) == tmp_path / name


def test_content_md5_is_the_md5_of_the_idx_file():
    assert {content_md5(array) for array in CONTENT.values()} == {IMAGES.md5, LABELS.md5}


def test_the_table_is_consistent():
    assert [file.shape for file in FILES] == [(60_000, 28, 28), (60_000,), (10_000, 28, 28), (10_000,)]
    digests = [digest for file in FILES for digest in (file.md5, file.gz_md5)]
    assert len(set(digests)) == 8
    assert idx_header((60_000, 28, 28)) == bytes.fromhex("00000803 0000ea60 0000001c 0000001c")
    assert all(dataclasses.is_dataclass(file) and file.gz_name.endswith("-ubyte.gz") for file in FILES)
