"""Cutting an epoch into minibatches."""

from __future__ import annotations


def batch_slices(n: int, batch_size: int) -> list[tuple[int, int]]:
    """Where each minibatch of an epoch starts and stops.

    Args:
        n: number of samples.
        batch_size: samples in a batch, at least 1.

    Returns:
        ``[(start, stop), …]``: every sample once, in order; the last batch is smaller when ``batch_size`` does not
        divide ``n``.
    """
    ### BEGIN SOLUTION
    return [(start, min(start + batch_size, n)) for start in range(0, n, batch_size)]
    ### END SOLUTION
