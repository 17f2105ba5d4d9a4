"""Wrong answers to chapter 4: softmax and cross-entropy."""

from __future__ import annotations

import numpy as np

from solutions.loss import cross_entropy, softmax
from tests.mutants import mutant


@mutant("softmax", "edges")
def _no_maximum(logits):
    """no maximum subtracted: exp overflows"""
    with np.errstate(all="ignore"):
        e = np.exp(logits)
        return e / e.sum(axis=1, keepdims=True)


@mutant("softmax", "edges")
def _one_maximum_for_all(logits):
    """the maximum of the whole array: low rows underflow to 0 / 0"""
    with np.errstate(all="ignore"):
        e = np.exp(logits - logits.max())
        return e / e.sum(axis=1, keepdims=True)


@mutant("softmax", "edges")
def _minimum_subtracted(logits):
    """the minimum subtracted"""
    with np.errstate(all="ignore"):
        e = np.exp(logits - logits.min(axis=1, keepdims=True))
        return e / e.sum(axis=1, keepdims=True)


@mutant("softmax", "edges")
def _scores_cut_off(logits):
    """scores cut off at ±80"""
    return softmax(np.clip(logits, np.float32(-80), np.float32(80)))


@mutant("softmax")
def _along_the_batch(logits):
    """normalised along the batch"""
    return softmax(logits.T).T


@mutant("softmax")
def _over_everything(logits):
    """one sum for the whole array"""
    e = np.exp(logits - logits.max(axis=1, keepdims=True))
    return e / e.sum()


@mutant("softmax")
def _not_normalised(logits):
    """not divided by the sum"""
    return np.exp(logits - logits.max(axis=1, keepdims=True))


@mutant("softmax")
def _keepdims_forgotten(logits):
    """sums without keepdims: fits only when square, and then divides columns"""
    e = np.exp(logits - logits.max(axis=1, keepdims=True))
    return e / e.sum(axis=1)


@mutant("softmax")
def _logarithm(logits):
    """log-softmax"""
    return np.log(softmax(logits))


@mutant("softmax")
def _base_two(logits):
    """powers of 2 instead of e"""
    return softmax(logits * np.float32(np.log(2)))


@mutant("softmax")
def _without_exponent(logits):
    """divides the scores themselves"""
    shifted = logits - logits.min(axis=1, keepdims=True)
    return shifted / shifted.sum(axis=1, keepdims=True)


@mutant("softmax", "edges")
def _into_logits(logits):
    """works in the caller's array"""
    logits[...] = softmax(logits)
    return logits


@mutant("softmax", "edges")
def _softmax_in_double(logits):
    """returns float64"""
    return softmax(logits.astype(np.float64))


def _spoilt(loss=lambda value, batch: value, grad=lambda value, batch: value):
    """cross_entropy with its loss and its gradient passed through two spoilers."""

    def function(logits, labels):
        value, gradient = cross_entropy(logits, labels)
        return loss(value, len(labels)), grad(gradient, len(labels))

    return function


def _cross_entropy(description, fails="values", **spoilers):
    function = _spoilt(**spoilers)
    function.__doc__ = description
    mutant("cross_entropy", fails)(function)


_cross_entropy("the loss is a sum", loss=lambda value, batch: value * batch)
_cross_entropy("the gradient lacks 1 / batch", grad=lambda value, batch: value * batch)
_cross_entropy("the gradient is divided by batch twice", grad=lambda value, batch: value / batch)
_cross_entropy("the loss has no minus sign", loss=lambda value, batch: -value)
_cross_entropy("the gradient has the wrong sign", grad=lambda value, batch: -value)
_cross_entropy("the gradient is divided by the number of classes too", grad=lambda value, batch: value / value.shape[1])
_cross_entropy("the loss in base 2", loss=lambda value, batch: value / float(np.log(2)))
_cross_entropy("the loss for each sample", loss=lambda value, batch: np.full(batch, value))
_cross_entropy("a float64 gradient", "edges", grad=lambda value, batch: value.astype(np.float64))


@mutant("cross_entropy")
def _order(logits, labels):
    """gradient first, loss second"""
    return cross_entropy(logits, labels)[::-1]


@mutant("cross_entropy")
def _loss_only(logits, labels):
    """the loss without the gradient"""
    return cross_entropy(logits, labels)[0]


@mutant("cross_entropy")
def _one_hot_not_subtracted(logits, labels):
    """the gradient is softmax / batch: no 1 subtracted"""
    return cross_entropy(logits, labels)[0], softmax(logits) / np.float32(len(labels))


@mutant("cross_entropy")
def _subtracted_after_division(logits, labels):
    """the 1 is subtracted after dividing by batch"""
    gradient = softmax(logits) / np.float32(len(labels))
    gradient[np.arange(len(labels)), labels] -= 1
    return cross_entropy(logits, labels)[0], gradient


@mutant("cross_entropy")
def _every_row_every_label(logits, labels):
    """[:, labels] instead of [rows, labels]"""
    gradient = softmax(logits)
    gradient[:, labels] -= 1
    return cross_entropy(logits, labels)[0], gradient / np.float32(len(labels))


@mutant("cross_entropy")
def _best_class(logits, labels):
    """the most probable class instead of the label"""
    return cross_entropy(logits, logits.argmax(axis=1))


@mutant("cross_entropy", "edges")
def _logarithm_of_rounded_zero(logits, labels):
    """log of a probability that was rounded to 0"""
    p = softmax(logits)[np.arange(len(labels)), labels]
    with np.errstate(divide="ignore"):
        return float(-np.log(p).mean()), cross_entropy(logits, labels)[1]


@mutant("cross_entropy", "edges")
def _clipped_logarithm(logits, labels):
    """1e-7 inside the logarithm's reach: the loss stops at 16"""
    p = np.maximum(softmax(logits)[np.arange(len(labels)), labels], 1e-7)
    loss, gradient = cross_entropy(logits, labels)
    return (float(-np.log(p).mean()) if loss > 16 else loss), gradient


@mutant("cross_entropy", "edges")
def _negative_labels_wrap(logits, labels):
    """-1 takes the last class; only labels above are refused"""
    if labels.max() >= logits.shape[1]:
        raise ValueError("label too large")
    return cross_entropy(logits, labels % np.array(logits.shape[1], dtype=labels.dtype))


@mutant("cross_entropy", "edges")
def _index_error(logits, labels):
    """IndexError instead of ValueError"""
    try:
        return cross_entropy(logits, labels)
    except ValueError as error:
        raise IndexError(str(error)) from None


@mutant("cross_entropy", "edges")
def _large_labels_cut(logits, labels):
    """labels above the last class are cut to it"""
    return cross_entropy(logits, np.minimum(labels, logits.shape[1] - 1))


@mutant("cross_entropy", "edges")
def _shifts_logits(logits, labels):
    """the maximum is subtracted in place"""
    logits -= logits.max(axis=1, keepdims=True)
    return cross_entropy(logits, labels)


@mutant("cross_entropy", "edges")
def _int64_labels_only(logits, labels):
    """refuses byte labels"""
    if labels.dtype != np.int64:
        raise TypeError("labels must be int64")
    return cross_entropy(logits, labels)
