"""The learning rate over time."""

from __future__ import annotations


def warmup_linear(step: int, total_steps: int, warmup_steps: int, peak: float) -> float:
    """Learning rate of a step: up in a straight line, then down in a straight line.

    Args:
        step: 0 for the first step, ``total_steps - 1`` for the last.
        total_steps: how many steps there are; more than ``warmup_steps``.
        warmup_steps: how many steps the climb takes; 0 starts at the peak.
        peak: the highest rate.

    Returns:
        ``peak * (step + 1) / warmup_steps`` during the climb (its last step is at the peak), then
        ``peak * (total_steps - step) / (total_steps - warmup_steps)``: never 0, so no step is wasted.
    """
    ### BEGIN SOLUTION
    if step < warmup_steps:
        return peak * (step + 1) / warmup_steps
    return peak * (total_steps - step) / (total_steps - warmup_steps)
    ### END SOLUTION
