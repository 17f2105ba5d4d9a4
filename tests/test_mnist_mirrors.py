"""Mirrors on 127.0.0.1: good, dead, slow, lying, and gone in the middle of a file."""

from __future__ import annotations

import socket
import time

import pytest

from solutions.errors import CourseError
from solutions.mnist_files import SourceError
from solutions.mnist_mirrors import CHUNK, LIMITS, MIRRORS, Limits, from_mirrors
from tests.mnist_samples import CONTENT, IMAGES, IMAGES_GZ, LABELS, PACKED, SMALL, serve

QUICK = Limits(reply=0.5, chunk=0.5, total=20.0)
PART = f"{IMAGES.gz_name}.part"
PAGE = b"<html>Please log in to the hotel's network</html>"


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "*")


def fetch(folder, *mirrors, files=SMALL, limits=QUICK):
    """All of ``files``; asserts that what comes is right and that nothing stays behind."""
    arrays = dict(from_mirrors(files, folder, [getattr(mirror, "url", mirror) for mirror in mirrors], limits))
    assert list(arrays) == list(files)
    for file, array in arrays.items():
        assert (array == CONTENT[file]).all()
    assert list(folder.iterdir()) == []


def refused_url():
    """A URL at whose port nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}/mnist"


def test_a_good_mirror_is_asked_once_for_each_file(tmp_path, capfd):
    with serve() as mirror:
        fetch(tmp_path, mirror, refused_url())
        assert mirror.requests == [(IMAGES.gz_name, None), (LABELS.gz_name, None)]
    assert capfd.readouterr().err == f"MNIST: downloading from {mirror.url}\n"


def test_a_part_is_completed_with_a_range_request(tmp_path):
    (tmp_path / PART).write_bytes(IMAGES_GZ[:1000])
    with serve() as mirror:
        fetch(tmp_path, mirror)
        assert mirror.requests[0] == (IMAGES.gz_name, "bytes=1000-")


def test_a_complete_part_is_not_downloaded_again(tmp_path):
    (tmp_path / PART).write_bytes(IMAGES_GZ)
    with serve() as mirror:
        fetch(tmp_path, mirror)
        assert mirror.requests == [(LABELS.gz_name, None)]


def test_a_mirror_that_cannot_resume_sends_the_whole_file(tmp_path):
    (tmp_path / PART).write_bytes(IMAGES_GZ[:1000])
    with serve(can_resume=False) as mirror:
        fetch(tmp_path, mirror)
        assert len(mirror.requests) == 2


def test_a_mirror_that_announces_no_length_will_do(tmp_path):
    with serve(announce_length=False) as mirror:
        fetch(tmp_path, mirror)


@pytest.mark.parametrize("length", [1000, len(IMAGES_GZ), len(IMAGES_GZ) + 1])
def test_a_bad_part_is_begun_anew_at_the_same_mirror(tmp_path, length):
    (tmp_path / PART).write_bytes(b"x" * length)
    with serve() as mirror:
        fetch(tmp_path, mirror)
        assert mirror.requests[-2] == (IMAGES.gz_name, None)


@pytest.mark.parametrize("announce_length", [True, False])
def test_the_next_mirror_goes_on_where_one_broke_off(tmp_path, capfd, announce_length):
    with serve(stop_after=3 * CHUNK, announce_length=announce_length) as first, serve() as second:
        fetch(tmp_path, first, second)
        (name, wanted), *rest = second.requests
    assert name == IMAGES.gz_name
    assert wanted is not None
    assert 2 * CHUNK <= int(wanted.removeprefix("bytes=").removesuffix("-")) <= 3 * CHUNK
    assert rest == [(LABELS.gz_name, None)]
    assert f"no use: {first.url}/{IMAGES.gz_name}" in capfd.readouterr().err


def test_an_interrupted_download_goes_on_in_the_next_run(tmp_path):
    with serve(stop_after=3 * CHUNK) as mirror:
        with pytest.raises(SourceError, match="none of 1 mirrors"):
            fetch(tmp_path, mirror)
        kept = (tmp_path / PART).read_bytes()
        assert len(kept) >= 2 * CHUNK
        assert IMAGES_GZ.startswith(kept)
        mirror.stop_after = None
        fetch(tmp_path, mirror)
        assert mirror.requests[1] == (IMAGES.gz_name, f"bytes={len(kept)}-")


def test_a_part_stays_until_its_content_is_stored(tmp_path):
    with serve() as mirror:
        download = from_mirrors(SMALL, tmp_path, [mirror.url], QUICK)
        assert next(download)[0] is IMAGES
        assert (tmp_path / PART).read_bytes() == IMAGES_GZ
        next(download)
        assert [path.name for path in tmp_path.iterdir()] == [f"{LABELS.gz_name}.part"]


FLIPPED = IMAGES_GZ[:-9] + bytes([IMAGES_GZ[-9] ^ 1]) + IMAGES_GZ[-8:]


@pytest.mark.parametrize(
    ("behaviour", "complaint"),
    [
        ({"files": {}}, "answers 404 Not Found"),
        ({"files": PACKED | {IMAGES.gz_name: FLIPPED}}, "is not MNIST's file (MD5 "),
        (
            {"files": PACKED | {IMAGES.gz_name: PAGE}},
            f"offers {len(PAGE)} bytes where MNIST's file has {len(IMAGES_GZ)}",
        ),
        ({"files": PACKED | {IMAGES.gz_name: PAGE}, "announce_length": False}, f"ended after {len(PAGE)} of "),
        ({"files": PACKED | {IMAGES.gz_name: IMAGES_GZ + b"x"}, "announce_length": False}, "sends more than the "),
        ({"seconds_before_reply": 60.0}, "no answer within 0.5 s"),
        ({"seconds_per_kilobyte": 0.1}, "too slow: not even 64 KiB within 0.5 s"),
        ({"stop_after": 0}, "broke off"),
    ],
    ids=["404", "one bit", "login page", "login page, no length", "too long", "dead", "trickle", "hangs up"],
)
def test_a_bad_mirror_costs_little_and_the_next_one_serves(tmp_path, capfd, behaviour, complaint):
    start = time.monotonic()
    with serve(**behaviour) as bad, serve() as good:
        fetch(tmp_path, bad, good)
    assert time.monotonic() - start < 5.0
    errors = capfd.readouterr().err
    assert f"no use: {bad.url}/{IMAGES.gz_name}" in errors
    assert complaint in errors


def test_a_refused_connection_is_said_in_words(tmp_path, capfd):
    with serve() as good:
        fetch(tmp_path, refused_url(), good)
    assert f"{IMAGES.gz_name}: cannot be reached\n" in capfd.readouterr().err


def test_one_mirror_has_a_limit_for_all_its_files(tmp_path, capfd):
    limits = Limits(reply=5.0, chunk=5.0, total=0.4)
    with serve(seconds_per_kilobyte=0.01) as slow, pytest.raises(SourceError):
        fetch(tmp_path, slow, limits=limits)
    assert "not done after 0.4 s" in capfd.readouterr().err


def test_without_any_mirror_the_error_says_so(tmp_path):
    with pytest.raises(SourceError, match="none of 0 mirrors is of use"):
        fetch(tmp_path)


def test_a_folder_that_cannot_be_written_to_is_not_the_mirrors_fault(tmp_path):
    (tmp_path / "file").touch()
    with serve() as mirror, pytest.raises(CourseError, match=r"cannot write .*\.part: .*; free some space"):
        dict(from_mirrors(SMALL, tmp_path / "missing", [mirror.url, mirror.url], QUICK))
    assert len(mirror.requests) == 1


def test_a_full_disk_ends_the_download(tmp_path):
    """/dev/full takes no byte: writing to it is a full disk."""
    (tmp_path / PART).symlink_to("/dev/full")
    with serve() as mirror, pytest.raises(CourseError, match="No space left on device; free some space"):
        dict(from_mirrors(SMALL, tmp_path, [mirror.url], QUICK))


def test_the_public_mirrors_are_asked_over_https_and_not_for_long():
    assert MIRRORS
    assert all(mirror.startswith("https://") and not mirror.endswith("/") for mirror in MIRRORS)
    assert len(MIRRORS) * LIMITS.reply <= 10.0
