"""``test_accuracy.py``: right counts on a test set made for it, and one line for every file that cannot be used."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autograder.contract import accuracy
from solutions.command_line import run
from solutions.mnist import Mnist
from solutions.network import parameter_shapes
from solutions.recipe import MNIST_LAYERS
from solutions.weights import save_weights

TOTAL = 10_000
ABOUT = {"seconds": 312.0, "backend": "index", "seed": 0}


def perfect_weights() -> dict[str, np.ndarray]:
    """A network that reads the label off the first ten pixels: 1 on the diagonal from end to end."""
    arrays = {name: np.zeros(shape, np.float32) for name, shape in parameter_shapes(MNIST_LAYERS).items()}
    for name in ("w0", "w1", "w2"):
        arrays[name][range(10), range(10)] = 1
    return arrays


def data_with(wrong: int) -> Mnist:
    """10,000 images that show their label in the first ten pixels, ``wrong`` of them another's."""
    labels = (np.arange(TOTAL) % 10).astype(np.uint8)
    shown = labels.copy()
    shown[:wrong] = (shown[:wrong] + 1) % 10
    images = np.zeros((TOTAL, 28, 28), np.uint8)
    images.reshape(TOTAL, 784)[np.arange(TOTAL), shown] = 255
    return Mnist(images[:0], labels[:0], images, labels)


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    path = tmp_path / "weights.npz"
    save_weights(path, perfect_weights(), ABOUT)
    return path


def replay(monkeypatch: pytest.MonkeyPatch, wrong: int, *arguments: object) -> int:
    """The command on a test set with ``wrong`` images that nobody could classify."""
    monkeypatch.setattr(accuracy.mnist, "load", lambda folder: data_with(wrong))
    return run(accuracy.main, ["--backend", "blas", *map(str, arguments)])


@pytest.mark.parametrize(
    ("wrong", "card", "status"),
    [(0, None, 0), (159, None, 0), (160, None, 1), (177, "gtx 1060 6gb", 0), (178, "gtx 1060 6gb", 1), (9999, None, 1)],
)
def test_counts_and_exit_status(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], weights: Path, wrong: int, card: str | None,
    status: int,
) -> None:  # fmt: skip
    chosen = [] if card is None else ["--card", card]
    assert replay(monkeypatch, wrong, "--weights", weights, *chosen) == status
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"weights {weights} (trained in 5 m 12 s by backend index); replayed by backend blas"
    assert f"({TOTAL - wrong:,} of 10,000 correct)" in lines[1]
    assert lines[-1].startswith("verdict ✗" if status else "verdict ✓")


def test_time_on_a_processor_never_passes_for_a_cards(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], weights: Path
) -> None:
    """312 s would be far under 1 h 52 m, but no GTX 1060 took part."""
    assert replay(monkeypatch, 0, "--weights", weights, "--card", "GTX 1060 6GB", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert [clause["status"] for clause in told["clauses"]] == ["pass", "unverified"]
    assert told["card"] == "GTX 1060 6GB"


def test_json(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], weights: Path) -> None:
    assert replay(monkeypatch, 100, "--weights", weights, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["correct"], told["total"], told["accuracy"], told["seconds"]) == (9900, TOTAL, 0.99, 312.0)
    assert told["weights"] == {"path": str(weights), "about": ABOUT}
    assert told["backend"] == "blas"
    assert told["passed"] is True


@pytest.mark.parametrize(
    "about",
    [{}, {"seconds": "soon", "backend": 3}, {"seconds": -1.0}, {"seconds": True}, {"seconds": float("inf")}]
)
def test_files_that_say_little_of_their_training(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, about: dict[str, Any]
) -> None:
    path = tmp_path / "w.npz"
    save_weights(path, perfect_weights(), about)
    assert replay(monkeypatch, 0, "--weights", path) == 0
    assert capsys.readouterr().out.splitlines()[0] == f"weights {path}; replayed by backend blas"


@pytest.mark.filterwarnings("ignore:overflow|invalid value")
def test_logits_that_are_nan_are_wrong(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Finite weights can still overflow: infinity times a weight of 0 is NaN, and a row of NaN has no highest logit."""
    arrays = perfect_weights()
    arrays["w0"][range(10), range(10)] = arrays["w1"][range(10), range(10)] = 3e38  # 3e38 · 3e38 is infinity
    path = tmp_path / "w.npz"
    save_weights(path, arrays, {})
    assert replay(monkeypatch, 0, "--weights", path) == 1
    assert "(0 of 10,000 correct)" in capsys.readouterr().out


def with_nan(path: Path) -> None:
    arrays = perfect_weights()
    arrays["b1"][7] = np.nan
    save_weights(path, arrays, ABOUT)


def other_network(path: Path) -> None:
    shapes = parameter_shapes((784, 128, 64, 10))
    save_weights(path, {name: np.zeros(shape, np.float32) for name, shape in shapes.items()}, ABOUT)


def layer_missing(path: Path) -> None:
    arrays = perfect_weights()
    del arrays["w2"]
    save_weights(path, arrays, ABOUT)


def pickled(path: Path) -> None:
    path.write_bytes(pickle.dumps(perfect_weights()))


def pickled_inside(path: Path) -> None:
    np.savez(path, **perfect_weights(), meta=np.array([{"seed": 0}], dtype=object))  # type: ignore[arg-type]


def cut_short(path: Path) -> None:
    save_weights(path, perfect_weights(), ABOUT)
    path.write_bytes(path.read_bytes()[:5000])


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (with_nan, "array b1 holds NaN"),
        (other_network, "array w0 is [784, 128], expected [784, 256]"),
        (layer_missing, "has no array w2"),
        (pickled, "pickle"),
        (pickled_inside, "pickle"),
        (cut_short, "damaged or cut short"),
        (lambda path: path.write_bytes(b""), "damaged or cut short"),
        (lambda path: path.mkdir(), "no weights at"),
        (lambda path: None, "no weights at"),
    ],
)
def test_weights_that_cannot_be_used_are_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, spoil: Any, words: str
) -> None:
    path = tmp_path / "spoiled.npz"
    spoil(path)
    assert replay(monkeypatch, 0, "--weights", path) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert "spoiled.npz" in err
    assert words in err
    assert "make train" in err


def test_data_that_are_not_there(capsys: pytest.CaptureFixture[str], tmp_path: Path, weights: Path) -> None:
    assert run(accuracy.main, ["--weights", str(weights), "--data", str(tmp_path / "nowhere")]) == 2
    err = capsys.readouterr().err
    assert err.startswith("error: ")
    assert "nowhere" in err


def test_a_wrong_card_is_told_before_anything_is_read(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert run(accuracy.main, ["--weights", str(tmp_path / "nowhere.npz"), "--card", "Voodoo 2"]) == 2
    assert "no card 'Voodoo 2' in the contract; there are: GTX 1060 6GB" in capsys.readouterr().err


def test_an_unknown_backend_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        run(accuracy.main, ["--backend", "abacus"])
    assert ended.value.code == 2
    err = capsys.readouterr().err
    assert err.startswith("error: ")
    assert err.count("\n") == 1
