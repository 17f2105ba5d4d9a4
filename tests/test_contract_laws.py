"""The laws: 96 on the GTX 1060 and why; exact bounds; PCIe ceilings."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from autograder.contract.cards import Card, Figure, load_card, load_cards
from autograder.contract.laws import bandwidth_law, max_batch_size, memory_law, pcie_nominal_gb_s
from solutions.errors import CourseError
from solutions.memory_plan import training_bytes
from solutions.recipe import MNIST_LAYERS, Recipe

GTX_1060 = load_card("GTX 1060 6GB")


def with_memory(memory_mb: int) -> Card:
    return replace(GTX_1060, memory_mb=Figure(memory_mb, "a test"))


def needs(layer_sizes: tuple[int, ...], batch: int) -> int:
    return sum(training_bytes(layer_sizes, batch, "adam"))


def test_96_follows_from_the_card_and_128_from_the_articles_formula() -> None:
    derived = max_batch_size(MNIST_LAYERS, GTX_1060)
    assert derived.value == 96
    words = "\n".join(derived.steps)
    for figure in ("70 %", "6,144 MB", "4.2 GiB", "3,762,336 bytes", "4,712", "956,271", "waves of 32"):
        assert figure in words
    assert "min(956,271, 96) = 96" in words
    assert "min(956,271, 128) = 128" in derived.steps[-1]


def test_the_default_recipe_keeps_to_the_law() -> None:
    assert Recipe().batch_size == max_batch_size(Recipe().layer_sizes, GTX_1060).value


@pytest.mark.parametrize("card", load_cards(), ids=lambda card: card.name)
def test_every_card_of_the_contract_has_a_largest_batch(card: Card) -> None:
    assert max_batch_size(MNIST_LAYERS, card).value == 96


def test_a_card_with_waves_of_64_gets_64() -> None:
    assert bandwidth_law(replace(GTX_1060, wave_width=Figure(64, "GCN"))).value == 64


def test_memory_binds_where_it_is_short() -> None:
    derived = max_batch_size((4096, 4096, 4096), with_memory(735))
    assert 1 <= derived.value < 96
    assert f", 96) = {derived.value}" in derived.steps[-2]


def test_a_network_that_does_not_fit_is_told_before_anything_is_allocated() -> None:
    with pytest.raises(CourseError, match="20000-20000 does not fit on GTX 1060 6GB even with a batch of 1") as error:
        max_batch_size((20000, 20000), GTX_1060)
    assert "\n" not in str(error.value)


layers = st.lists(st.integers(1, 2000), min_size=2, max_size=5).map(tuple)


@given(layers, st.integers(64, 200_000))
@example((200_000, 1), 5)  # the parameters fit, one sample does not
def test_the_memory_law_is_tight(layer_sizes: tuple[int, ...], memory_mb: int) -> None:
    """Its batch stays under 70 % of the card, in whole numbers; one sample more does not."""
    try:
        samples = memory_law(layer_sizes, with_memory(memory_mb)).value
        assert samples >= 1
    except CourseError:
        samples = 0
    assert 10 * needs(layer_sizes, samples) <= 7 * memory_mb * 1024**2 or samples == 0
    assert 10 * needs(layer_sizes, samples + 1) > 7 * memory_mb * 1024**2


@given(st.integers(64, 100_000), st.integers(1, 100_000))
def test_more_memory_never_means_a_smaller_batch(memory_mb: int, more: int) -> None:
    small = max_batch_size(MNIST_LAYERS, with_memory(memory_mb)).value
    assert small <= max_batch_size(MNIST_LAYERS, with_memory(memory_mb + more)).value <= 96


def test_pcie_ceilings() -> None:
    """Published one-way figures: 4 GB/s for 1.0 ×16, 8 for 2.0, 15.75 for 3.0, 31.5 for 4.0, 63 for 5.0."""
    figures = [round(pcie_nominal_gb_s(generation, 16), 2) for generation in (1, 2, 3, 4, 5)]
    assert figures == [4.0, 8.0, 15.75, 31.51, 63.02]
    assert pcie_nominal_gb_s(3, 4) == pytest.approx(3.938, abs=1e-3)
    with pytest.raises(CourseError, match="generations 1 to 5, not 6"):
        pcie_nominal_gb_s(6, 16)
