"""The laws that turn a card's data sheet into the constants of the code. No constant of a card is written elsewhere.

This holds what bounds the batch. Each law gives a number together with its derivation in words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from autograder.contract.cards import Card
from solutions.errors import CourseError
from solutions.memory_plan import training_bytes

BYTES_PER_MB = 1024**2
RED_LINE = Fraction(7, 10)
"""Memory law: the part of a card's memory that training may fill; 4.2 GiB of the GTX 1060's 6 GiB."""
PLANNED_OPTIMIZER = "adam"
"""Memory law: planned for the optimiser with the largest state, two remembered numbers a parameter."""
SATURATION_BATCH = 128
"""Bandwidth law: from this batch up, says the article of the GTX 1060, over 43 % of the multiprocessors wait for memory
and throughput falls. Not measured here; until it is, the law keeps the batch below it on every card."""
PCIE_GT_S = {1: 2.5, 2: 5.0, 3: 8.0, 4: 16.0, 5: 32.0}
"""PCIe law: generation → 10⁹ transfers a second and lane. Source: PCI Express base specifications 1.0 to 5.0."""


@dataclass(frozen=True)
class Derivation:
    """A number, and how it follows from the card, step by step."""

    value: int
    steps: tuple[str, ...]


def memory_law(layer_sizes: Sequence[int], card: Card) -> Derivation:
    """The largest batch whose parameters, gradients, optimiser state and activations stay under the red line.

    Args:
        layer_sizes: widths from input to output.
        card: whose memory counts.

    Raises:
        CourseError: not even a batch of one fits.
    """
    one = training_bytes(layer_sizes, 1, PLANNED_OPTIMIZER)
    fixed = one.parameters + one.gradients + one.optimizer_state
    budget = int(card.memory_mb.value * BYTES_PER_MB * RED_LINE)
    samples = (budget - fixed) // one.activations
    name = "-".join(map(str, layer_sizes))
    if samples < 1:
        raise CourseError(
            f"{name} does not fit on {card.name} even with a batch of 1: it needs {fixed + one.activations:,} bytes, "
            f"the red line is {budget:,}; use a smaller network or a larger card"
        )
    red_line_gib = float(card.memory_mb.value * RED_LINE / 1024)
    step = (
        f"memory law: the red line is {int(100 * RED_LINE)} % of {card.memory_mb.value:,} MB = {red_line_gib:.4g} GiB; "
        f"parameters, gradients and Adam's two moments of {name} take {fixed:,} bytes, "
        f"each sample {one.activations:,} more: at most {samples:,}"
    )
    return Derivation(samples, (step,))


def bandwidth_law(card: Card) -> Derivation:
    """The largest batch of whole waves below the one at which memory bandwidth, by claim, stops the card."""
    wave = int(card.wave_width.value)
    samples = (SATURATION_BATCH - 1) // wave * wave
    step = (
        f"bandwidth law: from {SATURATION_BATCH} up the multiprocessors wait for memory (the article's claim for the "
        f"GTX 1060, not measured), so stay below, in whole waves of {wave} threads: at most {samples}"
    )
    return Derivation(samples, (step,))


def max_batch_size(layer_sizes: Sequence[int], card: Card) -> Derivation:
    """MAX_BATCH_SIZE: the smaller of what the memory law and the bandwidth law allow.

    Args:
        layer_sizes: widths from input to output, e.g. ``(784, 256, 128, 10)``.
        card: whose data sheet counts.

    Returns:
        96 for 784-256-128-10 on the GTX 1060. The last step shows what the article's own formula gives: 128.

    Raises:
        CourseError: not even a batch of one fits.
    """
    memory, bandwidth = memory_law(layer_sizes, card), bandwidth_law(card)
    value = min(memory.value, bandwidth.value)
    article = min(memory.value, SATURATION_BATCH)
    steps = (
        f"MAX_BATCH_SIZE = min({memory.value:,}, {bandwidth.value}) = {value}",
        f"beside it: the article's formula admits {SATURATION_BATCH} itself, min({memory.value:,}, {SATURATION_BATCH}) "
        f"= {article}, while the article prints 96",
    )
    return Derivation(value, memory.steps + bandwidth.steps + steps)


def pcie_nominal_gb_s(generation: int, lanes: int) -> float:
    """PCIe law: the ceiling of a link, 10⁹ bytes a second one way, after line coding and before packet headers.

    Generations 1 and 2 send 10 bits for 8, from 3 on 130 for 128. 15.75 for 3.0 ×16, of which copies reach about 80 %.

    Raises:
        CourseError: a generation that the law does not know.
    """
    if generation not in PCIE_GT_S:
        raise CourseError(f"the PCIe law knows generations {min(PCIE_GT_S)} to {max(PCIE_GT_S)}, not {generation}")
    payload = Fraction(8, 10) if generation <= 2 else Fraction(128, 130)
    return float(PCIE_GT_S[generation] * lanes * payload / 8)
