"""MNIST's four files: what each must hold, the IDX format, and the checks that every copy has to pass.

A copy is accepted by its content: the MD5 of the unpacked IDX bytes. It is the same whether the images came as
``.gz``, as plain IDX, as ``.npy`` or out of a wheel, so one table of four digests serves every source, and nothing
has to be recorded beside the data.

Source: Y. LeCun, C. Cortes, C. J. C. Burges, The MNIST database of handwritten digits (IDX is described there).
"""

from __future__ import annotations

import gzip
import hashlib
import io
import math
import struct
import sys
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from solutions.arrays import ByteArray
from solutions.errors import CourseError

HIGHEST_LABEL = 9
UNPACKED_LIMIT = 64 << 20
"""MNIST's largest file unpacks to 47,040,016 bytes; a .gz that goes on beyond 64 MiB is not one of the four."""

IDX_UNSIGNED_BYTE = 0x08
IDX_TYPES = {0x08: "uint8", 0x09: "int8", 0x0B: "int16", 0x0C: "int32", 0x0D: "float32", 0x0E: "float64"}
GZIP_MAGIC = b"\x1f\x8b"


@dataclass(frozen=True)
class IdxFile:
    """One file of the set."""

    stem: str
    """Name without ``.gz``, as published."""
    shape: tuple[int, ...]
    md5: str
    """Of the unpacked IDX bytes, header included."""
    gz_md5: str
    gz_bytes: int

    @property
    def gz_name(self) -> str:
        """Name as published."""
        return f"{self.stem}.gz"

    @property
    def npy_name(self) -> str:
        """Name in the cache."""
        return f"{self.stem}.npy"


TRAIN_IMAGES = IdxFile(
    stem="train-images-idx3-ubyte",
    shape=(60_000, 28, 28),
    md5="6bbc9ace898e44ae57da46a324031adb",
    gz_md5="f68b3c2dcbeaaa9fbdd348bbdeb94873",
    gz_bytes=9_912_422,
)
TRAIN_LABELS = IdxFile(
    stem="train-labels-idx1-ubyte",
    shape=(60_000,),
    md5="a25bea736e30d166cdddb491f175f624",
    gz_md5="d53e105ee54ea40749a09fcbcd1e9432",
    gz_bytes=28_881,
)
TEST_IMAGES = IdxFile(
    stem="t10k-images-idx3-ubyte",
    shape=(10_000, 28, 28),
    md5="2646ac647ad5339dbf082846283269ea",
    gz_md5="9fb629c4189551a2d022fa330f9573f3",
    gz_bytes=1_648_877,
)
TEST_LABELS = IdxFile(
    stem="t10k-labels-idx1-ubyte",
    shape=(10_000,),
    md5="27ae3e4e09519cfbb04c329615203637",
    gz_md5="ec29112dd5afa0611ce80d1b7f02629c",
    gz_bytes=4_542,
)
FILES = (TRAIN_IMAGES, TRAIN_LABELS, TEST_IMAGES, TEST_LABELS)


class BadFileError(CourseError):
    """A file that must not be trained on."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(
            f"{name} {reason}; put MNIST's original file there, or name no folder (--data, MNIST_DIR) "
            "and the course fetches MNIST itself"
        )
        self.name, self.reason = name, reason


class SourceError(Exception):
    """One source of data is of no use; the reason in a few words. The next one is tried."""


def say(message: str) -> None:
    """One line for the person who waits, on stderr."""
    print(f"MNIST: {message}", file=sys.stderr, flush=True)


def idx_header(shape: tuple[int, ...]) -> bytes:
    """The IDX header of uint8 data: two zero bytes, type, number of axes, then each size as big-endian uint32."""
    return struct.pack(f">BBBB{len(shape)}I", 0, 0, IDX_UNSIGNED_BYTE, len(shape), *shape)


def parse_idx(buffer: bytes | bytearray | memoryview, name: str) -> ByteArray:
    """Read IDX data of type uint8, the type of all four MNIST files.

    Args:
        buffer: the whole file, unpacked.
        name: what to call it in messages.

    Returns:
        uint8 array of the shape in the header; a view of ``buffer``, not a copy.

    Raises:
        BadFileError: wrong magic, another type, or fewer or more bytes than the header announces.
    """
    view = memoryview(buffer).cast("B")
    if len(view) < 4:
        raise BadFileError(name, f"has {len(view)} bytes, too few for an IDX header")
    zeros, kind, axes = bytes(view[:2]), view[2], view[3]
    if zeros != b"\0\0" or kind not in IDX_TYPES or not axes:
        raise BadFileError(name, f"starts with the bytes {bytes(view[:4]).hex(' ')}: wrong magic, not an IDX file")
    if kind != IDX_UNSIGNED_BYTE:
        raise BadFileError(name, f"holds {IDX_TYPES[kind]} values; MNIST's are uint8")
    start = 4 + 4 * axes
    if len(view) < start:
        raise BadFileError(name, f"is cut short inside the IDX header ({len(view)} of {start} bytes)")
    shape = struct.unpack(f">{axes}I", view[4:start])
    wanted, found = math.prod(shape), len(view) - start
    if found != wanted:
        what = "is cut short" if found < wanted else "has extra bytes at its end"
        raise BadFileError(name, f"{what}: its header says {list(shape)}, {wanted} values, and {found} follow")
    try:
        return np.frombuffer(view[start:], np.uint8).reshape(shape)
    except ValueError:  # more axes than NumPy has, or sizes beyond 2**63 beside a zero
        raise BadFileError(name, f"has {axes} axes, too many or too long for an array") from None


def unpack_gzip(packed: bytes, name: str) -> bytes:
    """Unpack a ``.gz``, its checksum included.

    Raises:
        BadFileError: cut short, damaged, or larger than any MNIST file.
    """
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(packed)) as stream:
            content = stream.read(UNPACKED_LIMIT + 1)
    except EOFError:
        raise BadFileError(name, f"is cut short: the gzip stream breaks off after {len(packed)} bytes") from None
    except (OSError, zlib.error) as error:
        raise BadFileError(name, f"is a damaged gzip file ({error})") from None
    if len(content) > UNPACKED_LIMIT:
        raise BadFileError(name, f"unpacks to more than {UNPACKED_LIMIT} bytes; no MNIST file does")
    return content


def decode(content: bytes, file: IdxFile, name: str) -> ByteArray:
    """Turn a file's bytes, gzipped or plain, into the checked array.

    The first two bytes decide, not the name: browsers unpack ``.gz`` files and leave the ending.

    Raises:
        BadFileError: anything that :func:`unpack_gzip`, :func:`parse_idx` or :func:`demand` objects to.
    """
    array = parse_idx(unpack_gzip(content, name) if content[:2] == GZIP_MAGIC else content, name)
    demand(array, file, name)
    return array


def demand(array: ByteArray, file: IdxFile, name: str) -> None:
    """Check that ``array`` is the content of ``file``: shape, label range, and last the MD5.

    The MD5 alone would do. The others come first because "label 10 at index 5" helps more than two digests. It has
    no off switch: the contract's accuracies are those of MNIST, and Fashion-MNIST has the same shapes and labels.

    Raises:
        BadFileError: the first check that fails.
    """
    if array.shape != file.shape:
        raise BadFileError(name, f"has shape {list(array.shape)}; {file.stem} has {list(file.shape)}")
    if array.ndim == 1 and array.max() > HIGHEST_LABEL:
        index = int(np.argmax(array > HIGHEST_LABEL))
        raise BadFileError(name, f"has label {array[index]} at index {index}; labels are 0 to {HIGHEST_LABEL}")
    digest = content_md5(array)
    if digest != file.md5:
        raise BadFileError(name, f"is not MNIST's {file.stem}: MD5 of its content {digest}, expected {file.md5}")


def content_md5(array: ByteArray) -> str:
    """MD5 of ``array`` written as an IDX file; 55 MB, the whole set, take about 0.1 s."""
    digest = hashlib.md5(idx_header(array.shape), usedforsecurity=False)
    digest.update(array.reshape(-1).data)
    return digest.hexdigest()


def bytes_md5(content: bytes) -> str:
    """MD5 of ``content`` as hexadecimal digits."""
    return hashlib.md5(content, usedforsecurity=False).hexdigest()


def npy_header(shape: tuple[int, ...]) -> bytes:
    """What :func:`numpy.save` writes before the values of a uint8 array of ``shape``; 128 bytes."""
    header = io.BytesIO()
    facts = {"descr": "|u1", "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(header, facts)  # type: ignore[no-untyped-call]
    return header.getvalue()


def open_npy(path: Path, file: IdxFile) -> ByteArray:
    """Map a ``.npy`` of this course into memory, read-only, and check its content.

    The header must be the one that :func:`numpy.save` writes for this file, byte for byte: NumPy's own reader hands a
    damaged one to Python's tokenizer, whose errors are many.

    Returns:
        An :class:`np.memmap` of ``file.shape``.

    Raises:
        BadFileError: missing, unreadable, not such a ``.npy``, or not the content of ``file``.
    """
    header = npy_header(file.shape)
    wanted = len(header) + math.prod(file.shape)
    try:
        with path.open("rb") as handle:
            start = handle.read(len(header))
        found = path.stat().st_size
        if start != header:
            raise BadFileError(str(path), f"is not a .npy file of uint8 {list(file.shape)} in C order")
        if found != wanted:
            raise BadFileError(str(path), f"has {found} bytes where {wanted} are expected")
        array = np.memmap(path, np.uint8, "r", offset=len(header), shape=file.shape)
    except FileNotFoundError:
        raise BadFileError(str(path), "is missing") from None
    except OSError as error:
        raise BadFileError(str(path), f"cannot be read ({error.strerror or error})") from None
    demand(array, file, str(path))
    return array


def find(file: IdxFile, folder: Path) -> Path:
    """Where ``folder`` keeps ``file``: ``.npy`` first (no conversion), then plain IDX, then ``.gz``.

    Raises:
        BadFileError: under none of the usual names.
    """
    dotted = file.stem.replace("-idx", ".idx")  # so named in some archives
    names = (file.npy_name, file.stem, dotted, file.gz_name, f"{dotted}.gz")
    for name in names:
        if (folder / name).is_file():
            return folder / name
    raise BadFileError(str(folder / file.gz_name), f"is missing (nor is there {file.stem} or {file.npy_name})")
