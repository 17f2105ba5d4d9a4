"""A small set in MNIST's format, with digests of its own, and a local mirror that serves it well or badly."""

from __future__ import annotations

import contextlib
import gzip
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np

from solutions.arrays import ByteArray
from solutions.mnist_files import IdxFile, bytes_md5, idx_header

COUNT = 300


def idx(array: ByteArray) -> bytes:
    """``array`` as an IDX file."""
    return idx_header(array.shape) + array.tobytes()


def describe(stem: str, array: ByteArray) -> tuple[IdxFile, bytes]:
    """The table entry of a file that holds ``array``, and its ``.gz``."""
    packed = gzip.compress(idx(array), mtime=0)
    return IdxFile(stem, array.shape, bytes_md5(idx(array)), bytes_md5(packed), len(packed)), packed


_rng = np.random.default_rng(7)
PIXELS = _rng.integers(0, 256, (COUNT, 28, 28), np.uint8)  # noise: does not compress, so its .gz has four chunks
DIGITS = _rng.integers(0, 10, COUNT, np.uint8)
IMAGES, IMAGES_GZ = describe("small-images-idx3-ubyte", PIXELS)
LABELS, LABELS_GZ = describe("small-labels-idx1-ubyte", DIGITS)
SMALL = (IMAGES, LABELS)
CONTENT = {IMAGES: PIXELS, LABELS: DIGITS}
PACKED = {IMAGES.gz_name: IMAGES_GZ, LABELS.gz_name: LABELS_GZ}


def fill_folder(folder: Path, packed: Mapping[str, bytes] = PACKED) -> Path:
    """Write ``packed`` into ``folder``."""
    folder.mkdir(exist_ok=True)
    for name, content in packed.items():
        (folder / name).write_bytes(content)
    return folder


@dataclass
class Mirror:
    """What a running mirror does, and what it was asked; change it while it runs."""

    files: dict[str, bytes] = field(default_factory=lambda: dict(PACKED))
    can_resume: bool = True
    stop_after: int | None = None
    """Close the connection after so many bytes of a body."""
    seconds_before_reply: float = 0.0
    seconds_per_kilobyte: float = 0.0
    announce_length: bool = True
    url: str = ""
    requests: list[tuple[str, str | None]] = field(default_factory=list)
    """(file name, Range header) of each request."""


@contextlib.contextmanager
def serve(**behaviour: object) -> Iterator[Mirror]:
    """Run a mirror on 127.0.0.1 until the block ends."""
    mirror = Mirror(**behaviour)  # type: ignore[arg-type]
    over = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            name, wanted = self.path.rsplit("/", 1)[1], self.headers.get("Range")
            mirror.requests.append((name, wanted))
            over.wait(mirror.seconds_before_reply)
            with contextlib.suppress(OSError):  # the client may have left
                self._answer(name, wanted)

        def _answer(self, name: str, wanted: str | None) -> None:
            if name not in mirror.files:
                self.send_error(404)
                return
            content, start = mirror.files[name], 0
            if wanted and mirror.can_resume:
                start = int(wanted.removeprefix("bytes=").removesuffix("-"))
                self.send_response(206)
                self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
            else:
                self.send_response(200)
            if mirror.announce_length:
                self.send_header("Content-Length", str(len(content) - start))
            self.end_headers()
            body = content[start:][: mirror.stop_after]
            for i in range(0, len(body), 1024):
                self.wfile.write(body[i : i + 1024])
                if mirror.seconds_per_kilobyte:
                    over.wait(mirror.seconds_per_kilobyte)

        def log_message(self, *_: object) -> None:
            """Keep the test's output clean."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    mirror.url = f"http://127.0.0.1:{server.server_address[1]}/mnist"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield mirror
    finally:
        over.set()
        server.shutdown()
        server.server_close()
        thread.join()
