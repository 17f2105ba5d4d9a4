"""Other right answers: what a student may hand in that looks nothing like the reference, and must get full marks."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

Function = Callable[..., Any]
RIGHT_ANSWERS: list[tuple[str, Function]] = []


def right(exercise: str) -> Callable[[Function], Function]:
    """Enter an answer to an exercise; its docstring says what is unlike the reference."""

    def enter(function: Function) -> Function:
        RIGHT_ANSWERS.append((exercise, function))
        return function

    return enter


@right("row_major_strides")
def _product_of_what_follows(shape):
    """a product for each axis"""
    return tuple(math.prod(shape[axis + 1 :]) for axis in range(len(shape)))


@right("row_major_strides")
def _numpy_integers(shape):
    """NumPy's integers in the tuple"""
    return tuple(np.cumprod((1, *shape[:0:-1]), dtype=np.int64)[::-1]) if shape else ()


@right("flat_offset")
def _one_line(index, strides):
    """a sum over pairs"""
    return sum(i * s for i, s in zip(index, strides))  # noqa: B905


@right("unravel")
def _from_the_left(offset, shape):
    """from the left, by strides"""
    index = []
    for axis in range(len(shape)):
        position, offset = divmod(offset, math.prod(shape[axis + 1 :]))
        index.append(position)
    return tuple(index)


@right("broadcast_strides")
def _padded_with_ones(shape, target_shape):
    """the shape padded with ones first"""
    padded = [1] * (len(target_shape) - len(shape)) + list(shape)
    if len(padded) != len(target_shape):
        raise ValueError("too many axes")
    strides, step = [], 1
    for length, target in zip(reversed(padded), reversed(target_shape), strict=True):
        if length == target:
            strides.insert(0, step)
        elif length == 1:
            strides.insert(0, 0)
        else:
            raise ValueError("does not stretch")
        step *= length
    return tuple(strides)


@right("add")
def _all_indices(a, b):
    """walks over indices, and lets NumPy look up the elements"""
    shape = np.broadcast_shapes(a.shape, b.shape)
    out = np.empty(shape, dtype=np.float32)
    for index in itertools.product(*map(range, shape)):
        terms = []
        for array in (a, b):
            own = index[len(shape) - array.ndim :]
            terms.append(array[tuple(0 if n == 1 else i for i, n in zip(own, array.shape, strict=True))])
        out[index] = float(terms[0]) + float(terms[1])
    return out


@right("matmul_loops")
@right("matmul_reordered")
def _in_float32(a, b):
    """rounds to float32 after every step"""
    out = np.zeros((a.shape[0], b.shape[1]), dtype=np.float32)
    for i, p, j in itertools.product(range(a.shape[0]), range(a.shape[1]), range(b.shape[1])):
        out[i, j] += a[i, p] * b[p, j]
    return out


@right("matmul_loops")
@right("matmul_reordered")
@right("matmul_rank1")
def _exact_sums(a, b, out=None):
    """sums that are rounded only once"""
    result = [
        [math.fsum(x * y for x, y in zip(row, column, strict=True)) for column in b.T.tolist()] for row in a.tolist()
    ]
    if out is None:
        out = np.empty((a.shape[0], b.shape[1]), dtype=np.float32)
    out[...] = result
    return out


@right("matmul_rank1")
def _last_product_first(a, b, out=None):
    """sums from the last product to the first"""
    out = np.empty((a.shape[0], b.shape[1]), dtype=np.float32) if out is None else out
    out.fill(0)
    for p in reversed(range(a.shape[1])):
        out += a[:, p].reshape(-1, 1) * b[p].reshape(1, -1)
    return out


@right("matmul_rank1")
def _three_axes(a, b, out=None):
    """all products at once, then one sum"""
    products = a[:, :, None] * b[None, :, :]
    return np.add.reduce(products, axis=1, out=out)


@right("matmul_blocked")
def _while_loop(a, b, block_rows, out=None):
    """a while loop, and slices that end by themselves"""
    if out is None:
        out = np.empty((a.shape[0], b.shape[1]), dtype=np.float32)
    start = 0
    while start < a.shape[0]:
        _last_product_first(a[start : start + block_rows], b, out[start : start + block_rows])
        start += block_rows
    return out


@right("access_offsets")
def _three_loops(order, m, k, n):
    """three plain loops"""
    rows, lengths = [], {"i": m, "j": n, "k": k}
    for x in range(lengths[order[0]]):
        for y in range(lengths[order[1]]):
            for z in range(lengths[order[2]]):
                at = {order[0]: x, order[1]: y, order[2]: z}
                rows.append([at["i"] * k + at["k"], at["k"] * n + at["j"], at["i"] * n + at["j"]])
    return np.array(rows, dtype=np.int64)


@right("line_changes")
def _step_by_step(offsets, line_elements):
    """one step at a time, counted in a NumPy integer"""
    entered, current = np.int64(0), -1
    for offset in offsets:
        if offset // line_elements != current:
            entered += 1
            current = offset // line_elements
    return entered


@right("linear_forward")
def _bias_first(x, weight, bias):
    """starts from the bias"""
    out = np.repeat(bias[None, :], len(x), axis=0)
    for p in range(len(weight)):
        out += x[:, p, None] * weight[p]
    return out


@right("linear_forward")
def _rounded_once(x, weight, bias):
    """in float64, rounded at the end"""
    return ((x[:, :, None].astype(np.float64) * weight).sum(axis=1) + bias).astype(np.float32)


@right("linear_backward")
def _sample_by_sample(grad_output, x, weight):
    """one sample at a time"""
    grad_input, grad_weight, grad_bias = np.zeros_like(x), np.zeros_like(weight), np.zeros(weight.shape[1], np.float32)
    for sample in range(len(x)):
        grad_input[sample] = (weight * grad_output[sample]).sum(axis=1)
        grad_weight += x[sample][:, None] * grad_output[sample]
        grad_bias += grad_output[sample]
    return grad_input, grad_weight, grad_bias


@right("numerical_gradient")
def _fresh_copies(f, x, eps=1e-6):
    """two fresh copies for each element"""
    x = np.asarray(x, dtype=np.float64)
    gradient = np.zeros(x.shape)
    for index in np.ndindex(x.shape):
        step = np.zeros(x.shape)
        step[index] = eps
        gradient[index] = (f(x + step) - f(x - step)) / (2.0 * eps)
    return gradient


@right("numerical_gradient")
def _real_distance(f, x, eps=1e-6):
    """divides by the distance that rounding has left"""
    x = np.array(x, dtype=np.float64)
    gradient = np.zeros(x.shape)
    for index in np.ndindex(x.shape):
        above, below = x.copy(), x.copy()
        above[index] += eps
        below[index] -= eps
        gradient[index] = (f(above) - f(below)) / (above[index] - below[index])
    return gradient


@right("relative_error")
def _norms(got, want):
    """NumPy's norm, and a NumPy float"""
    got, want = np.asarray(got, dtype=np.float64), np.asarray(want, dtype=np.float64)
    if np.isnan(got).any() or np.isnan(want).any():
        return np.inf
    size = np.linalg.norm(want)
    return np.linalg.norm(got - want) / (size if size else 1.0)


@right("relu_forward")
def _where_negative(x):
    """asks for what is below zero"""
    return np.where(x < 0, np.float32(0), x)


@right("relu_forward")
def _clip(x):
    """clips below"""
    return np.clip(x, 0, None)


@right("relu_backward")
@right("relu_backward_sign_bit")
def _copied_and_masked(grad_output, x):
    """a copy, with zeros written into it"""
    result = grad_output.copy()
    result[~(x > 0)] = 0
    return result


@right("relu_backward_sign_bit")
def _wrapping_subtraction(grad_output, x):
    """one comparison: bits - 1 wraps round at +0"""
    passes = (x.view(np.uint32) - np.uint32(1)) < np.uint32(0x7F800000)
    return np.where(passes, grad_output, np.zeros_like(grad_output))


@right("sign_bit")
def _masked(x):
    """masked, then shifted"""
    return (x.view(np.uint32) & np.uint32(0x80000000)) >> np.uint32(31)


@right("sign_bit")
def _copysign(x):
    """by NumPy's signbit"""
    return np.signbit(x).astype(np.uint32)


@right("softmax")
def _row_by_row(logits):
    """one row at a time, in Python's floats"""
    rows = []
    for row in logits.tolist():
        powers = [math.exp(value - max(row)) for value in row]
        rows.append([power / sum(powers) for power in powers])
    return np.array(rows, dtype=np.float32)


@right("softmax")
def _from_the_logarithm(logits):
    """exp of the log-softmax, in float64"""
    shifted = logits.astype(np.float64) - logits.max(axis=1, keepdims=True)
    return np.exp(shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))).astype(np.float32)


@right("cross_entropy")
def _sample_at_a_time(logits, labels):
    """one sample at a time, in Python's floats"""
    classes, losses, rows = logits.shape[1], [], []
    for row, label in zip(logits.tolist(), labels.tolist(), strict=True):
        if not 0 <= label < classes:
            raise ValueError(f"label {label}")
        top = max(row)
        total = sum(math.exp(value - top) for value in row)
        losses.append(math.log(total) + top - row[label])
        rows.append([(math.exp(value - top) / total - (j == label)) / len(labels) for j, value in enumerate(row)])
    return sum(losses) / len(losses), np.array(rows, dtype=np.float32)


@right("cross_entropy")
def _one_hot(logits, labels):
    """with a one-hot array, and the loss as a float32"""
    classes = np.arange(logits.shape[1])
    one_hot = (labels[:, None] == classes).astype(np.float32)
    if not (one_hot.sum(axis=1) == 1).all():
        raise ValueError("label out of range")
    shifted = logits - logits.max(axis=1, keepdims=True)
    log_p = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return -(log_p * one_hot).sum() / np.float32(len(labels)), (np.exp(log_p) - one_hot) / np.float32(len(labels))


@right("sgd_momentum_step")
def _written_back(param, grad, velocity, lr, momentum):
    """worked out in float64, written back with [...]"""
    velocity[...] = momentum * velocity.astype(np.float64) + grad
    param[...] = param.astype(np.float64) - lr * velocity


@right("sgd_momentum_step")
def _element_by_element(param, grad, velocity, lr, momentum):
    """element by element"""
    for index in np.ndindex(param.shape):
        velocity[index] = momentum * velocity[index] + grad[index]
        param[index] -= lr * velocity[index]


@right("adam_step")
def _corrections_first(param, grad, m, v, step, lr, beta1=0.9, beta2=0.999, eps=1e-8):
    """both averages nudged towards the new value"""
    m += (1 - beta1) * (grad - m)
    v += (1 - beta2) * (np.square(grad) - v)
    param -= lr * (m / (1 - beta1**step)) / (np.sqrt(v / (1 - beta2**step)) + eps)


@right("adam_step")
def _adam_in_double(param, grad, m, v, step, lr, beta1=0.9, beta2=0.999, eps=1e-8):
    """worked out in float64, written back with [...]"""
    m[...] = beta1 * m.astype(np.float64) + (1 - beta1) * grad
    v[...] = beta2 * v.astype(np.float64) + (1 - beta2) * grad.astype(np.float64) ** 2
    m_hat, v_hat = m.astype(np.float64) / (1 - beta1**step), v.astype(np.float64) / (1 - beta2**step)
    param[...] = param - lr * m_hat / (v_hat**0.5 + eps)


@right("warmup_linear")
def _smaller_of_two(step, total_steps, warmup_steps, peak):
    """the smaller of two lines"""
    up = (step + 1) / warmup_steps if warmup_steps else 1.0
    return peak * min(up, (total_steps - step) / (total_steps - warmup_steps))


@right("warmup_linear")
def _interpolated(step, total_steps, warmup_steps, peak):
    """by interpolation, as a NumPy float"""
    if step < warmup_steps:
        return np.interp(step + 1, [0, warmup_steps], [0, peak])
    return np.interp(step, [warmup_steps, total_steps], [peak, 0])


@right("shift_images")
def _pixel_by_pixel(images, dy, dx):
    """pixel by pixel"""
    out = np.zeros_like(images)
    _, height, width = images.shape
    for i, (down, side) in enumerate(zip(dy.tolist(), dx.tolist(), strict=True)):
        for y in range(max(0, down), min(height, height + down)):
            for x in range(max(0, side), min(width, width + side)):
                out[i, y, x] = images[i, y - down, x - side]
    return out


@right("batch_slices")
def _counted(n, batch_size):
    """a while loop"""
    slices, start = [], 0
    while start < n:
        stop = start + batch_size if start + batch_size < n else n
        slices.append((start, stop))
        start = stop
    return slices


@right("training_bytes")
def _plain_tuple(layer_sizes, batch_size, optimizer):
    """a plain tuple, worked out in NumPy's integers"""
    sizes = np.array(layer_sizes, dtype=np.int64)
    parameters = 4 * int((sizes[:-1] * sizes[1:] + sizes[1:]).sum())
    moments = 0 if optimizer == "sgd" else 1 if optimizer == "momentum" else 2
    return parameters, parameters, moments * parameters, 4 * batch_size * sizes.sum()
