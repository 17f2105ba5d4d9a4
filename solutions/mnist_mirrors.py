"""MNIST from public mirrors: resumable, checked, and never held up for long by a mirror that does not answer."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import requests
import urllib3
from tqdm import tqdm

from solutions.arrays import ByteArray
from solutions.errors import CourseError
from solutions.mnist_files import IdxFile, SourceError, bytes_md5, decode, say

MIRRORS = (
    "https://ossci-datasets.s3.amazonaws.com/mnist",
    "https://storage.googleapis.com/cvdf-datasets/mnist",
)
"""torchvision's, and that of TensorFlow Datasets. The original host is left out: it has often answered 503."""

CHUNK = 1 << 16


@dataclass(frozen=True)
class Limits:
    """How long a mirror may take, in seconds."""

    reply: float = 5.0
    """Until the headers are there: name look-up, every address tried, TLS and redirects together."""
    chunk: float = 5.0
    """For 64 KiB: a line slower than 13 kB/s counts as dead."""
    total: float = 300.0
    """For all files of one mirror; the next one goes on where it stopped."""


LIMITS = Limits()


def from_mirrors(
    files: Sequence[IdxFile], folder: Path, mirrors: Sequence[str], limits: Limits
) -> Iterator[tuple[IdxFile, ByteArray]]:
    """Download ``files``, each from the first mirror that serves it whole.

    What has arrived stays in ``folder`` as ``NAME.gz.part`` until the caller asks for the next file; so a download
    goes on after a broken line, a kill, or at another mirror. The caller holds the folder's lock.

    Yields:
        Each file with its checked content.

    Raises:
        SourceError: no mirror is left; each one's reason was said on stderr.
        CourseError: the folder cannot be written to.
    """
    remaining = list(files)
    for mirror in mirrors:
        say(f"downloading from {mirror}")
        deadline = time.monotonic() + limits.total
        try:
            while remaining:
                file = remaining[0]
                part = folder / f"{file.gz_name}.part"
                yield file, _download(file, f"{mirror}/{file.gz_name}", part, limits, deadline)
                part.unlink()
                remaining.pop(0)
            return
        except SourceError as error:
            say(f"no use: {error}")
    raise SourceError(f"none of {len(mirrors)} mirrors is of use")


def _download(file: IdxFile, url: str, part: Path, limits: Limits, deadline: float) -> ByteArray:
    """Complete ``part`` from ``url`` and check it; one that was begun elsewhere and proves bad is begun anew, once."""
    resumed = _size(part) > 0
    if _size(part) < file.gz_bytes:
        _append(file, url, part, limits, deadline)
    packed = part.read_bytes()
    if bytes_md5(packed) != file.gz_md5:
        part.unlink()
        if resumed:
            return _download(file, url, part, limits, deadline)
        raise SourceError(f"{url} is not MNIST's file (MD5 {bytes_md5(packed)}, expected {file.gz_md5})")
    return decode(packed, file, url)


def _append(file: IdxFile, url: str, part: Path, limits: Limits, deadline: float) -> None:
    """Add to ``part`` what it lacks; whatever arrives before an error stays in it."""
    body = _Body(url, _size(part), file.gz_bytes, limits, deadline)
    have = body.start
    name, size = file.gz_name, file.gz_bytes
    bar = tqdm(desc=name, total=size, initial=have, unit="B", unit_scale=True, leave=False, disable=None)
    try:
        with bar, part.open("ab" if have else "wb") as handle:
            for chunk in body:
                have += len(chunk)
                if have > size:
                    break
                handle.write(chunk)
                bar.update(len(chunk))
    except OSError as error:
        raise CourseError(
            f"cannot write {part}: {error.strerror or error}; free some space, or set COURSE_CACHE to another folder"
        ) from error
    finally:
        body.close()
    if have > size:
        part.unlink()
        raise SourceError(f"{url} sends more than the {size} bytes of MNIST's file")
    if have < size:
        raise SourceError(f"{url} ended after {have} of {size} bytes")


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


class _Body:
    """The bytes of a URL from some offset on, read by a thread of its own.

    The time limits of sockets do not cover the look-up of names, start again for every address of a host, and again
    with every byte that trickles in. So the caller waits for a queue instead, and leaves the thread behind when it is
    late; the thread ends at its own next time-out.
    """

    def __init__(self, url: str, start: int, size: int, limits: Limits, deadline: float) -> None:
        self._url, self._limits, self._deadline = url, limits, deadline
        self._inbox: queue.SimpleQueue[bytes | int | SourceError | None] = queue.SimpleQueue()
        self._left = threading.Event()
        threading.Thread(target=self._read, args=(start, size), daemon=True).start()
        first = self._take(limits.reply, "no answer")
        assert isinstance(first, int)
        self.start = first
        """Offset of the first byte: the one asked for, or 0 where the mirror cannot resume."""

    def __iter__(self) -> Iterator[bytes]:
        while (item := self._take(self._limits.chunk, "too slow: not even 64 KiB")) is not None:
            assert isinstance(item, bytes)
            yield item

    def close(self) -> None:
        """Tell the thread that nobody listens any more."""
        self._left.set()

    def _take(self, limit: float, complaint: str) -> bytes | int | None:
        wait = min(limit, max(0.0, self._deadline - time.monotonic()))
        try:
            item = self._inbox.get(timeout=wait)
        except queue.Empty:
            self.close()
            why = f"{complaint} within {limit:g} s" if wait == limit else f"not done after {self._limits.total:g} s"
            raise SourceError(f"{self._url}: {why}") from None
        if isinstance(item, SourceError):
            raise item
        return item

    def _read(self, start: int, size: int) -> None:
        headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={start}-"} if start else {})
        timeout = (self._limits.reply, self._limits.chunk)
        try:
            with requests.get(self._url, headers=headers, stream=True, timeout=timeout) as reply:
                self._inbox.put(_first_offset(reply, start, size))
                for chunk in reply.raw.stream(CHUNK, decode_content=False):
                    self._inbox.put(chunk)
                    if self._left.is_set():
                        return
            self._inbox.put(None)
        except SourceError as error:
            self._inbox.put(error)
        except (OSError, urllib3.exceptions.HTTPError) as error:  # requests' own errors are OSErrors
            self._inbox.put(SourceError(f"{self._url}: {_in_words(error)}"))


def _first_offset(reply: requests.Response, asked: int, size: int) -> int:
    """Offset of the first byte of the reply's body: ``asked``, or 0 from a mirror that cannot resume.

    Raises:
        SourceError: the reply is not the rest of a file of ``size`` bytes: an error, or some portal's log-in page.
    """
    if reply.status_code == 206 and reply.headers.get("Content-Range", "").startswith(f"bytes {asked}-"):
        first = asked
    elif reply.status_code == 200:
        first = 0
    else:
        raise SourceError(f"{reply.url} answers {reply.status_code} {reply.reason}")
    announced = reply.headers.get("Content-Length", str(size - first))
    if announced != str(size - first):
        raise SourceError(f"{reply.url} offers {announced} bytes where MNIST's file has {size - first}")
    return first


def _in_words(error: Exception) -> str:
    if isinstance(error, requests.Timeout):
        return "no answer in time"
    if isinstance(error, requests.exceptions.SSLError):
        return "its certificate is not trusted here"
    if isinstance(error, requests.ConnectionError):
        return "cannot be reached"
    return f"broke off ({type(error).__name__})"
