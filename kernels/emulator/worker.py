"""The process in which kernels run: whatever a kernel does, the caller lives on.

Started by file name with ``python -I -S``, so that it is up in the time Python needs (about 30 ms): it imports the
standard library and ``native`` beside it, nothing else. Requests and answers are JSON behind their length over a
socket; the arrays lie in memory that both processes map, whose descriptor travels with the request.
"""

from __future__ import annotations

import ctypes
import json
import mmap
import os
import resource
import signal
import socket
import struct
import sys
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

PR_SET_PDEATHSIG = 1


def serve(channel: socket.socket) -> None:
    """Answer requests until the other side closes."""
    from native import Runtime  # type: ignore[import-not-found]  # beside this file; the package is not on the path

    runtime: Any = None
    memory: mmap.mmap | None = None
    base = 0
    while True:
        request, descriptors = receive(channel)
        if request is None:
            return
        for descriptor in descriptors:
            memory = mmap.mmap(descriptor, 0)
            base = ctypes.addressof(ctypes.c_char.from_buffer(memory))
            os.close(descriptor)
        try:
            if runtime is None:
                runtime = Runtime(request["runtime"])
            module = runtime.module(request["library"])
            if request["what"] == "parameters":
                answer: dict[str, Any] = {"parameters": {name: module.parameters(name) for name in module.kernels}}
            else:
                answer = module.launch(request["job"], base)
        except OSError as error:
            answer = {"error": str(error)}
        send(channel, answer)


def send(channel: socket.socket, message: dict[str, Any], descriptors: tuple[int, ...] = ()) -> None:
    """Send one message, with file descriptors where there are any."""
    data = json.dumps(message).encode()
    head = struct.pack("<Q", len(data))
    if descriptors:
        socket.send_fds(channel, [head], list(descriptors))
    else:
        channel.sendall(head)
    channel.sendall(data)


def receive(channel: socket.socket) -> tuple[dict[str, Any] | None, list[int]]:
    """Receive one message; None when the other side is gone."""
    head, descriptors = b"", []
    while len(head) < 8:
        part, found, _, _ = socket.recv_fds(channel, 8 - len(head), 4)
        if not part:
            return None, []
        head += part
        descriptors += found
    (length,) = struct.unpack("<Q", head)
    data = bytearray()
    while len(data) < length:
        part = channel.recv(min(1 << 20, length - len(data)))
        if not part:
            return None, []
        data += part
    message: dict[str, Any] = json.loads(data)
    return message, descriptors


def main() -> None:
    """Serve the socket whose descriptor is the only argument."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)  # not to outlive a parent that was killed
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in a notebook is the parent's to handle
    channel = socket.socket(fileno=int(sys.argv[1]))
    with open(os.devnull, "r+b") as nothing:  # a kernel has no business with the terminal
        os.dup2(nothing.fileno(), 0)
        os.dup2(nothing.fileno(), 1)
    serve(channel)


if __name__ == "__main__":
    main()
