"""Wrong answers to chapter 5: the learning rate, minibatches, bytes."""

from __future__ import annotations

import itertools

import numpy as np

from solutions.batches import batch_slices
from solutions.memory_plan import training_bytes
from solutions.schedule import warmup_linear
from tests.mutants import mutant


@mutant("warmup_linear")
def _starts_at_zero(step, total_steps, warmup_steps, peak):
    """the climb counts from 0, and the first step is wasted"""
    if step < warmup_steps:
        return peak * step / warmup_steps
    return warmup_linear(step, total_steps, warmup_steps, peak)


@mutant("warmup_linear")
def _ends_at_zero(step, total_steps, warmup_steps, peak):
    """the way down ends at 0, and the last step is wasted"""
    if step < warmup_steps:
        return warmup_linear(step, total_steps, warmup_steps, peak)
    return peak * (total_steps - 1 - step) / (total_steps - 1 - warmup_steps)


@mutant("warmup_linear")
def _over_all_steps(step, total_steps, warmup_steps, peak):
    """the way down is spread over all steps, warm-up included"""
    if step < warmup_steps:
        return warmup_linear(step, total_steps, warmup_steps, peak)
    return peak * (total_steps - step) / total_steps


@mutant("warmup_linear")
def _one_step_ahead(step, total_steps, warmup_steps, peak):
    """the way down is a step ahead"""
    if step < warmup_steps:
        return warmup_linear(step, total_steps, warmup_steps, peak)
    return peak * (total_steps - step - 1) / (total_steps - warmup_steps)


@mutant("warmup_linear")
def _factor_only(step, total_steps, warmup_steps, peak):
    """the factor without the peak"""
    return warmup_linear(step, total_steps, warmup_steps, 1.0)


@mutant("warmup_linear")
def _stays_up(step, total_steps, warmup_steps, peak):
    """no way down"""
    return min(peak, peak * (step + 1) / max(1, warmup_steps))


@mutant("warmup_linear")
def _cosine(step, total_steps, warmup_steps, peak):
    """half a cosine instead of a line"""
    if step < warmup_steps:
        return warmup_linear(step, total_steps, warmup_steps, peak)
    return 0.5 * peak * (1 + np.cos(np.pi * (step - warmup_steps) / (total_steps - warmup_steps)))


@mutant("warmup_linear")
def _whole_division(step, total_steps, warmup_steps, peak):
    """divides whole numbers"""
    if step < warmup_steps:
        return peak * ((step + 1) // warmup_steps)
    return peak * ((total_steps - step) // (total_steps - warmup_steps))


@mutant("warmup_linear", "edges")
def _one_step_too_long(step, total_steps, warmup_steps, peak):
    """<= instead of <: a rate above the peak"""
    if step <= warmup_steps and warmup_steps:
        return peak * (step + 1) / warmup_steps
    return warmup_linear(step, total_steps, warmup_steps, peak)


@mutant("warmup_linear", "edges")
def _divides_by_no_warmup(step, total_steps, warmup_steps, peak):
    """divides by warmup_steps before it looks"""
    return min(peak * (step + 1) / warmup_steps, warmup_linear(step, total_steps, warmup_steps, peak))


@mutant("warmup_linear", "edges")
def _last_step_zero(step, total_steps, warmup_steps, peak):
    """nothing at the last step"""
    return 0.0 if step == total_steps - 1 else warmup_linear(step, total_steps, warmup_steps, peak)


@mutant("batch_slices")
def _last_dropped(n, batch_size):
    """the smaller last batch is dropped"""
    return [(i * batch_size, (i + 1) * batch_size) for i in range(n // batch_size)]


@mutant("batch_slices")
def _beyond_the_end(n, batch_size):
    """the last batch runs beyond n"""
    return [(start, start + batch_size) for start in range(0, n, batch_size)]


@mutant("batch_slices")
def _empty_batch_at_the_end(n, batch_size):
    """an empty batch at the end when it comes out even"""
    return [(i * batch_size, min((i + 1) * batch_size, n)) for i in range(n // batch_size + 1)]


@mutant("batch_slices")
def _sizes(n, batch_size):
    """(start, size) instead of (start, stop)"""
    return [(start, stop - start) for start, stop in batch_slices(n, batch_size)]


@mutant("batch_slices")
def _stop_included(n, batch_size):
    """stop is the last sample instead of the one after it"""
    return [(start, stop - 1) for start, stop in batch_slices(n, batch_size)]


@mutant("batch_slices")
def _overlapping(n, batch_size):
    """one step at a time: batches overlap"""
    return [(start, min(start + batch_size, n)) for start in range(n)]


@mutant("batch_slices")
def _starts_only(n, batch_size):
    """starts without stops"""
    return [start for start, _ in batch_slices(n, batch_size)]


@mutant("batch_slices")
def _rest_joins_the_last(n, batch_size):
    """the rest joins the last whole batch"""
    whole = batch_slices(n - n % batch_size, batch_size)
    return [*whole[:-1], (whole[-1][0], n)] if whole else [(0, n)]


@mutant("batch_slices", "edges")
def _nothing_is_a_batch(n, batch_size):
    """no samples make one empty batch"""
    return batch_slices(n, batch_size) or [(0, 0)]


@mutant("batch_slices", "edges")
def _small_sets_refused(n, batch_size):
    """fewer samples than a batch are refused"""
    if 0 < n < batch_size:
        raise ValueError("not enough samples")
    return batch_slices(n, batch_size)


def _bytes(sizes, batch, optimizer, numbers=None, width=4, values=None, moments=None):
    """The count, with its parts to get wrong."""
    if numbers is None:
        numbers = sum(a * b + b for a, b in itertools.pairwise(sizes))
    if moments is None:
        moments = {"sgd": 0, "momentum": 1, "adam": 2}
    values = batch * sum(sizes) if values is None else values
    return numbers * width, numbers * width, moments[optimizer] * numbers * width, values * width


@mutant("training_bytes")
def _no_biases(layer_sizes, batch_size, optimizer):
    """biases are left out"""
    numbers = sum(a * b for a, b in itertools.pairwise(layer_sizes))
    return _bytes(layer_sizes, batch_size, optimizer, numbers)


@mutant("training_bytes")
def _bias_for_inputs(layer_sizes, batch_size, optimizer):
    """a bias for every input as well"""
    numbers = training_bytes(layer_sizes, 0, "sgd")[0] // 4 + layer_sizes[0]
    return _bytes(layer_sizes, batch_size, optimizer, numbers)


@mutant("training_bytes")
def _numbers_not_bytes(layer_sizes, batch_size, optimizer):
    """counts numbers, not bytes"""
    return _bytes(layer_sizes, batch_size, optimizer, width=1)


@mutant("training_bytes")
def _double(layer_sizes, batch_size, optimizer):
    """eight bytes a number"""
    return _bytes(layer_sizes, batch_size, optimizer, width=8)


@mutant("training_bytes")
def _input_not_held(layer_sizes, batch_size, optimizer):
    """the input layer is not counted"""
    return _bytes(layer_sizes, batch_size, optimizer, values=batch_size * sum(layer_sizes[1:]))


@mutant("training_bytes")
def _one_sample(layer_sizes, batch_size, optimizer):
    """activations of a single sample"""
    return _bytes(layer_sizes, batch_size, optimizer, values=sum(layer_sizes))


@mutant("training_bytes")
def _hidden_only(layer_sizes, batch_size, optimizer):
    """the last layer is not counted"""
    return _bytes(layer_sizes, batch_size, optimizer, values=batch_size * sum(layer_sizes[:-1]))


@mutant("training_bytes")
def _always_adam(layer_sizes, batch_size, optimizer):
    """two moments whatever the optimiser"""
    return _bytes(layer_sizes, batch_size, "adam")


@mutant("training_bytes")
def _sgd_remembers(layer_sizes, batch_size, optimizer):
    """one number a parameter for plain SGD"""
    return _bytes(layer_sizes, batch_size, optimizer, moments={"sgd": 1, "momentum": 1, "adam": 2})


@mutant("training_bytes")
def _gradients_for_each_sample(layer_sizes, batch_size, optimizer):
    """a gradient for every sample"""
    parameters, gradients, state, activations = training_bytes(layer_sizes, batch_size, optimizer)
    return parameters, gradients * batch_size, state, activations


@mutant("training_bytes")
def _first_layer_only(layer_sizes, batch_size, optimizer):
    """the first layer alone"""
    return _bytes(layer_sizes, batch_size, optimizer, (layer_sizes[0] + 1) * layer_sizes[1])


@mutant("training_bytes")
def _names(layer_sizes, batch_size, optimizer):
    """a dictionary instead of a tuple"""
    return training_bytes(layer_sizes, batch_size, optimizer)._asdict()


@mutant("training_bytes", "edges")
def _thirty_two_bits(layer_sizes, batch_size, optimizer):
    """wraps at 32 bits"""
    return tuple((n + 2**31) % 2**32 - 2**31 for n in training_bytes(layer_sizes, batch_size, optimizer))


@mutant("training_bytes", "edges")
def _three_layers(layer_sizes, batch_size, optimizer):
    """no more than three layers"""
    return training_bytes(layer_sizes[:4], batch_size, optimizer)
