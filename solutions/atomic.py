"""Replace a file whole or not at all: a crash, a full disk or a kill leaves the old one intact."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from solutions.errors import CourseError


@contextlib.contextmanager
def atomic_write(path: str | os.PathLike[str], mode: str = "wb") -> Iterator[IO[Any]]:
    """Open a temporary file beside ``path``; on success fsync it and rename it over ``path``.

    ``mode`` is ``"wb"`` or ``"w"`` (text is UTF-8 with ``\\n`` line ends on every system). If the block raises, or
    the disk is full, the temporary file is removed and ``path`` is untouched.

    Raises:
        CourseError: the folder cannot be written to, or the disk is full. The message names the path.
    """
    target = Path(path)
    text = {} if "b" in mode else {"encoding": "utf-8", "newline": "\n"}
    temporary = ""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".part")
        with os.fdopen(descriptor, mode, **text) as handle:  # type: ignore[call-overload]
            yield handle
            handle.flush()
            os.fsync(handle.fileno())
        os.chmod(temporary, 0o666 & ~_umask())  # mkstemp makes files private; a result is meant to be shared
        os.replace(temporary, target)
        temporary = ""
        _sync_folder(target.parent)
    except OSError as error:
        reason = error.strerror or str(error)
        raise CourseError(f"cannot write {target}: {reason}; what was there before is untouched; "
                          "free some space or choose another folder") from error
    finally:
        if temporary:
            with contextlib.suppress(OSError):
                os.unlink(temporary)


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current


def _sync_folder(folder: Path) -> None:
    """Make the rename itself durable; Windows has no way to fsync a folder and does not need one."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
