"""Weights and checkpoints: what is written comes back, what is damaged is named, what was there survives."""

from __future__ import annotations

import os
import pickle
import resource
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

from solutions.atomic import atomic_write
from solutions.checkpoint import Checkpoint, load_checkpoint, save_checkpoint
from solutions.errors import CourseError
from solutions.recipe import Recipe
from solutions.state import TrainState, first_state, state_shapes
from solutions.weights import load_weights, save_weights

SMALL = Recipe(layer_sizes=(12, 7, 5, 3), batch_size=4, epochs=2)
ROOT = Path(__file__).parent.parent


def small_weights() -> dict[str, np.ndarray]:
    state = first_state(SMALL)
    return {name: state.arrays[name] for name in ("w0", "b0", "w1", "b1", "w2", "b2")}


def one_line(error: pytest.ExceptionInfo[CourseError]) -> str:
    message = str(error.value)
    assert "\n" not in message
    return message


def test_weights_come_back_bit_for_bit(tmp_path: Path) -> None:
    weights = small_weights()
    save_weights(tmp_path / "deep" / "w.npz", weights, {"seed": 3})
    back = load_weights(tmp_path / "deep" / "w.npz", SMALL.layer_sizes)
    assert back.about == {"seed": 3}
    for name, array in weights.items():
        assert back.arrays[name].tobytes() == array.tobytes()


def test_checkpoint_comes_back_bit_for_bit(tmp_path: Path) -> None:
    state = first_state(SMALL)
    state.step = 17
    save_checkpoint(tmp_path / "c.npz", Checkpoint(SMALL, "index", 50, 1.5, state))
    back = load_checkpoint(tmp_path / "c.npz")
    assert (back.recipe, back.backend, back.samples, back.seconds, back.state.step) == (SMALL, "index", 50, 1.5, 17)
    assert set(back.state.arrays) == set(state_shapes(SMALL))
    assert all(back.state.arrays[name].tobytes() == state.arrays[name].tobytes() for name in state.arrays)


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda w: w.update(w1=np.full((7, 5), np.nan, np.float32)), "w1 holds NaN"),
        (lambda w: w.update(b2=np.array([1, np.inf, 0], np.float32)), "b2 holds NaN or infinity"),
        (lambda w: w.update(w1=w["w1"].T.copy()), r"w1 is \[5, 7\], expected \[7, 5\]"),
        (lambda w: w.pop("b1"), "no array b1"),
        (lambda w: w.update(w3=w["w2"]), "w3 too many"),
        (lambda w: w.update(w0=w["w0"].astype(np.float64)), "w0 is float64"),
    ],
)
def test_unfit_weights_are_refused(tmp_path: Path, spoil: object, words: str) -> None:
    weights = small_weights()
    spoil(weights)  # type: ignore[operator]
    save_weights(tmp_path / "w.npz", weights, {})
    with pytest.raises(CourseError, match=words) as error:
        load_weights(tmp_path / "w.npz", SMALL.layer_sizes)
    assert "make train" in one_line(error)


class Bomb:
    """Would leave a file behind if anybody unpickled it."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return (Path.touch, (self.mark,))


def test_pickles_are_never_opened(tmp_path: Path) -> None:
    mark = tmp_path / "exploded"
    (tmp_path / "plain.npz").write_bytes(pickle.dumps(Bomb(mark)))
    np.savez(tmp_path / "inside.npz", w0=np.array([Bomb(mark)], dtype=object), meta=np.array("{}"))
    for name in ("plain.npz", "inside.npz"):
        with pytest.raises(CourseError, match=r"\.npz") as error:
            load_weights(tmp_path / name)
        assert name in one_line(error)
    assert not mark.exists()


@pytest.mark.parametrize("content", [b"", b"not a zip", b"PK\x03\x04 then nothing"])
def test_files_that_are_no_archives_are_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "w.npz").write_bytes(content)
    with pytest.raises(CourseError, match=r"w\.npz is not an \.npz weights file") as error:
        load_weights(tmp_path / "w.npz")
    one_line(error)


def test_every_truncation_of_a_checkpoint_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "c.npz"
    save_checkpoint(path, Checkpoint(SMALL, "index", 50, 0.0, first_state(SMALL)))
    whole = path.read_bytes()
    for length in range(0, len(whole) - 1, 97):
        path.write_bytes(whole[:length])
        with pytest.raises(CourseError):
            load_checkpoint(path)


def test_a_flipped_byte_in_the_arrays_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "w.npz"
    save_weights(path, small_weights(), {})
    content = bytearray(path.read_bytes())
    content[600] ^= 0x40
    path.write_bytes(bytes(content))
    with pytest.raises(CourseError, match="damaged"):
        load_weights(path, SMALL.layer_sizes)


def test_missing_files_and_bare_arrays(tmp_path: Path) -> None:
    with pytest.raises(CourseError, match="no weights at"):
        load_weights(tmp_path / "nowhere.npz")
    np.save(tmp_path / "bare.npy", np.zeros(3, np.float32))
    with pytest.raises(CourseError, match="bare array"):
        load_weights(tmp_path / "bare.npy")


def test_a_checkpoint_of_another_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "c.npz"
    save_checkpoint(path, Checkpoint(SMALL, "index", 50, 0.0, first_state(SMALL)))
    with np.load(path) as archive:
        entries = dict(archive)
    entries["meta"] = np.array(str(entries["meta"]).replace('"format": 1', '"format": 99'))
    np.savez(path, **entries)
    with pytest.raises(CourseError, match="format 99"):
        load_checkpoint(path)
    save_weights(path, first_state(SMALL).arrays, {})
    with pytest.raises(CourseError, match="does not describe"):
        load_checkpoint(path)


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "kept.txt"
    path.write_text("old")

    def fail() -> None:
        with atomic_write(path) as handle:
            handle.write(b"half of the new")
            raise RuntimeError("power cut")

    with pytest.raises(RuntimeError):
        fail()
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["kept.txt"]


def test_a_full_disk_leaves_the_old_checkpoint(tmp_path: Path) -> None:
    """The kernel refuses bytes past RLIMIT_FSIZE as it does on a full disk, in the middle of the file."""
    path = tmp_path / "c.npz"
    save_checkpoint(path, Checkpoint(SMALL, "index", 50, 0.0, first_state(SMALL)))
    before = path.read_bytes()
    script = textwrap.dedent(
        f"""
        import resource, signal
        from solutions.checkpoint import Checkpoint, save_checkpoint
        from solutions.errors import CourseError
        from solutions.recipe import Recipe
        from solutions.state import first_state
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
        recipe = Recipe()
        try:
            save_checkpoint({str(path)!r}, Checkpoint(recipe, "index", 50, 0.0, first_state(recipe)))
        except CourseError as error:
            print(error)
        """
    )
    assert resource.RLIMIT_FSIZE is not None
    run = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert "cannot write" in run.stdout
    assert "untouched" in run.stdout
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["c.npz"]


def test_an_output_folder_that_cannot_be_is_named(tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("a file where a folder should be")
    with pytest.raises(CourseError, match="cannot write") as error:
        save_weights(tmp_path / "runs" / "w.npz", small_weights(), {})
    assert str(tmp_path / "runs") in one_line(error)


def test_state_shapes_name_every_array_that_a_run_has() -> None:
    for optimizer in ("adam", "momentum", "sgd"):
        recipe = Recipe(layer_sizes=(5, 4, 3), optimizer=optimizer)
        state: TrainState = first_state(recipe)
        assert {name: array.shape for name, array in state.arrays.items()} == state_shapes(recipe)
