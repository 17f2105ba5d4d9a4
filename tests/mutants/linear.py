"""Wrong answers to chapter 3: the linear layer."""

from __future__ import annotations

import numpy as np

from tests.mutants import mutant


@mutant("linear_forward")
def _no_bias(x, weight, bias):
    """the bias is left out"""
    return x @ weight


@mutant("linear_forward")
def _bias_twice(x, weight, bias):
    """the bias is added for every input"""
    return (x[:, :, None] * weight + bias).sum(axis=1)


@mutant("linear_forward")
def _weight_transposed(x, weight, bias):
    """weight taken for [out, in]: fits only when it is square"""
    return x @ weight.T + bias


@mutant("linear_forward")
def _bias_down_the_batch(x, weight, bias):
    """the bias lies along the batch: fits only when batch and outputs are equal"""
    return x @ weight + bias[:, None]


@mutant("linear_forward")
def _clipped(x, weight, bias):
    """a ReLU too many"""
    return np.maximum(x @ weight + bias, 0)


@mutant("linear_forward")
def _first_bias(x, weight, bias):
    """only the first number of the bias is added"""
    return x @ weight + bias[0]


@mutant("linear_forward")
def _elementwise(x, weight, bias):
    """* instead of a matrix product"""
    return x * weight + bias


@mutant("linear_forward")
def _averaged_over_inputs(x, weight, bias):
    """the mean over the inputs instead of the sum"""
    return x @ weight / x.shape[1] + bias


@mutant("linear_forward", "edges")
def _batch_axis_lost(x, weight, bias):
    """a batch of one loses its axis"""
    return np.squeeze(x @ weight + bias)


@mutant("linear_forward", "edges")
def _in_double(x, weight, bias):
    """returns float64"""
    return x.astype(np.float64) @ weight + bias


@mutant("linear_forward", "edges")
def _bias_scaled_in_place(x, weight, bias):
    """writes into x on the way"""
    out = x @ weight + bias
    x *= 0.5
    return out


def _gradients(grad_output, x, weight):
    return grad_output @ weight.T, x.T @ grad_output, grad_output.sum(axis=0)


@mutant("linear_backward")
def _weight_not_transposed(grad_output, x, weight):
    """grad_input without the transpose: fits only when weight is square"""
    _, grad_weight, grad_bias = _gradients(grad_output, x, weight)
    return grad_output @ weight, grad_weight, grad_bias


@mutant("linear_backward")
def _grad_weight_transposed(grad_output, x, weight):
    """grad_weight as [out, in]"""
    grad_input, grad_weight, grad_bias = _gradients(grad_output, x, weight)
    return grad_input, grad_weight.T, grad_bias


@mutant("linear_backward")
def _x_not_transposed(grad_output, x, weight):
    """grad_weight as x times grad_output: fits only when all is square"""
    grad_input, _, grad_bias = _gradients(grad_output, x, weight)
    return grad_input, x @ grad_output, grad_bias


@mutant("linear_backward")
def _bias_mean(grad_output, x, weight):
    """grad_bias is the mean over the batch"""
    return *_gradients(grad_output, x, weight)[:2], grad_output.mean(axis=0)


@mutant("linear_backward")
def _bias_keeps_its_axis(grad_output, x, weight):
    """grad_bias is [1, outputs]"""
    return *_gradients(grad_output, x, weight)[:2], grad_output.sum(axis=0, keepdims=True)


@mutant("linear_backward")
def _bias_over_outputs(grad_output, x, weight):
    """grad_bias is summed along the outputs"""
    return *_gradients(grad_output, x, weight)[:2], grad_output.sum(axis=1)


@mutant("linear_backward")
def _divided_by_batch(grad_output, x, weight):
    """everything divided by the batch once more"""
    return tuple(g / len(x) for g in _gradients(grad_output, x, weight))


@mutant("linear_backward")
def _weight_only_divided(grad_output, x, weight):
    """grad_weight divided by the batch once more"""
    grad_input, grad_weight, grad_bias = _gradients(grad_output, x, weight)
    return grad_input, grad_weight / len(x), grad_bias


@mutant("linear_backward")
def _order(grad_output, x, weight):
    """grad_weight first, grad_input second"""
    grad_input, grad_weight, grad_bias = _gradients(grad_output, x, weight)
    return grad_weight, grad_input, grad_bias


@mutant("linear_backward")
def _bias_forgotten(grad_output, x, weight):
    """two gradients instead of three"""
    return _gradients(grad_output, x, weight)[:2]


@mutant("linear_backward")
def _last_sample(grad_output, x, weight):
    """grad_weight from the last sample only: = instead of +="""
    grad_input, _, grad_bias = _gradients(grad_output, x, weight)
    return grad_input, x[-1][:, None] * grad_output[-1], grad_bias


@mutant("linear_backward")
def _batch_axis_lost_backwards(grad_output, x, weight):
    """a batch of one loses its axis"""
    grad_input, grad_weight, grad_bias = _gradients(grad_output, x, weight)
    return np.squeeze(grad_input), grad_weight, grad_bias


@mutant("linear_backward", "edges")
def _bias_in_double(grad_output, x, weight):
    """grad_bias is float64"""
    return *_gradients(grad_output, x, weight)[:2], grad_output.sum(axis=0, dtype=np.float64)


@mutant("linear_backward", "edges")
def _grad_output_used_up(grad_output, x, weight):
    """grad_output is changed in place"""
    gradients = _gradients(grad_output, x, weight)
    grad_output /= len(x)
    return gradients


@mutant("linear_backward", "edges")
def _memory_order(grad_output, x, weight):
    """grad_output's memory is read as if it were row-major"""
    flat = grad_output.ravel(order="K").reshape(grad_output.shape)
    return _gradients(flat, x, weight)
