"""Named arrays plus one line of text in an ``.npz`` file: the form of weights and checkpoints. No pickle, ever."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from solutions.arrays import FloatArray
from solutions.atomic import atomic_write
from solutions.errors import CourseError

META = "meta"
MAX_BYTES = 1 << 30
"""No file of this course comes near 1 GiB; MNIST's weights are under 1 MB."""


def save_arrays(path: str | os.PathLike[str], arrays: Mapping[str, FloatArray], meta: str) -> None:
    """Write ``arrays`` and ``meta``; the file that was there stays whole until the new one is safely on the disk.

    Raises:
        CourseError: the folder cannot be written to, or the disk is full.
    """
    with atomic_write(path) as handle:
        np.savez(handle, **{META: np.array(meta)}, **arrays)  # type: ignore[arg-type]


def load_arrays(path: str | os.PathLike[str], what: str, remedy: str) -> tuple[dict[str, FloatArray], str]:
    """Read what :func:`save_arrays` wrote.

    Args:
        path: the file.
        what: what it should be, for messages: ``"weights"``.
        remedy: the way out, for messages: ``"train again with make train"``.

    Returns:
        The arrays by name (float32, no NaN, no infinity) and the text.

    Raises:
        CourseError: no such file, not an ``.npz`` (a pickle, a text, a part of a file), other dtypes, NaN or infinity.
    """
    path = Path(path)
    if not path.is_file():
        raise CourseError(f"no {what} at {path}; {remedy}")
    if path.stat().st_size > MAX_BYTES:
        raise CourseError(f"{path} is larger than 1 GiB: no {what} file of this course is; {remedy}")
    try:
        archive = np.load(path, allow_pickle=False)
        if isinstance(archive, np.ndarray):
            raise CourseError(f"{path} holds a bare array, not an .npz {what} file; {remedy}")
        with archive:
            entries = {name: archive[name] for name in archive.files}
    except (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile, zipfile.LargeZipFile) as error:
        reason = "it is pickled, and pickles are never opened" if "pickle" in str(error) else "damaged or cut short"
        raise CourseError(f"{path} is not an .npz {what} file ({reason}); {remedy}") from error
    meta = entries.pop(META, None)
    if meta is None or meta.dtype.kind != "U" or meta.ndim != 0:
        raise CourseError(f"{path} lacks the description that a {what} file of this course carries; {remedy}")
    for name, array in entries.items():
        if array.dtype != np.float32:
            raise CourseError(f"{path}: array {name} is {array.dtype}, expected float32; {remedy}")
        if not np.isfinite(array).all():
            raise CourseError(f"{path}: array {name} holds NaN or infinity; {remedy}")
    return entries, str(meta)


def demand_shapes(
    path: str | os.PathLike[str], arrays: Mapping[str, FloatArray], shapes: Mapping[str, tuple[int, ...]], remedy: str
) -> None:
    """Check that ``arrays`` are exactly those of ``shapes``.

    Raises:
        CourseError: one is missing, one too many, or of another shape; the first is named.
    """
    for name, shape in shapes.items():
        if name not in arrays:
            raise CourseError(f"{path} has no array {name} {list(shape)}: it belongs to another network; {remedy}")
        if arrays[name].shape != shape:
            raise CourseError(
                f"{path}: array {name} is {list(arrays[name].shape)}, expected {list(shape)}: "
                f"it belongs to another network; {remedy}"
            )
    for name in arrays:
        if name not in shapes:
            raise CourseError(f"{path} holds an array {name} too many: it belongs to another network; {remedy}")
