"""Wrong answers to chapter 5: the optimisers."""

from __future__ import annotations

import numpy as np

from solutions.optimizer import adam_step, sgd_momentum_step
from tests.mutants import mutant


@mutant("sgd_momentum_step")
def _names_moved(param, grad, velocity, lr, momentum):
    """= moves the names: the caller's arrays stay as they were"""
    velocity = momentum * velocity + grad
    param = param - lr * velocity


@mutant("sgd_momentum_step")
def _velocity_name_moved(param, grad, velocity, lr, momentum):
    """only param is changed in place, the velocity is forgotten"""
    velocity = momentum * velocity + grad
    param -= lr * velocity


@mutant("sgd_momentum_step")
def _uphill(param, grad, velocity, lr, momentum):
    """adds the step"""
    sgd_momentum_step(param, grad, velocity, -lr, momentum)


@mutant("sgd_momentum_step")
def _rate_in_velocity(param, grad, velocity, lr, momentum):
    """lr goes into the velocity"""
    velocity *= momentum
    velocity += lr * grad
    param -= velocity


@mutant("sgd_momentum_step")
def _damped(param, grad, velocity, lr, momentum):
    """the gradient is weighed with 1 - momentum"""
    velocity *= momentum
    velocity += (1 - momentum) * grad
    param -= lr * velocity


@mutant("sgd_momentum_step")
def _old_velocity(param, grad, velocity, lr, momentum):
    """moves by the velocity of the step before"""
    param -= lr * velocity
    velocity *= momentum
    velocity += grad


@mutant("sgd_momentum_step")
def _plain(param, grad, velocity, lr, momentum):
    """moves by the gradient, not by the velocity"""
    velocity *= momentum
    velocity += grad
    param -= lr * grad


@mutant("sgd_momentum_step")
def _nesterov(param, grad, velocity, lr, momentum):
    """Nesterov's step"""
    velocity *= momentum
    velocity += grad
    param -= lr * (grad + momentum * velocity)


@mutant("sgd_momentum_step")
def _always_nine_tenths(param, grad, velocity, lr, momentum):
    """momentum is always 0.9"""
    sgd_momentum_step(param, grad, velocity, lr, 0.9)


@mutant("sgd_momentum_step")
def _velocity_replaced(param, grad, velocity, lr, momentum):
    """the velocity starts afresh at every step"""
    velocity[...] = grad
    param -= lr * velocity


@mutant("sgd_momentum_step")
def _zero_taken_for_missing(param, grad, velocity, lr, momentum):
    """momentum 0 is taken for left out"""
    sgd_momentum_step(param, grad, velocity, lr, momentum or 0.9)


@mutant("sgd_momentum_step", "edges")
def _gradient_cleared(param, grad, velocity, lr, momentum):
    """clears the gradient after use"""
    sgd_momentum_step(param, grad, velocity, lr, momentum)
    grad[...] = 0.0


@mutant("sgd_momentum_step", "edges")
def _rows_and_columns(param, grad, velocity, lr, momentum):
    """only for one or two axes"""
    if param.ndim > 2:
        raise ValueError("too many axes")
    sgd_momentum_step(param, grad, velocity, lr, momentum)


def _adam(param, grad, m, v, step, lr, beta1=0.9, beta2=0.999, eps=1e-8, *, correct=(0, 0), root=np.sqrt, outside=True):
    """Adam with its places to go wrong: what is added to t, the root, and where eps stands."""
    m *= beta1
    m += (1 - beta1) * grad
    v *= beta2
    v += (1 - beta2) * grad * grad
    with np.errstate(all="ignore"):
        m_hat = m / np.float64(1 - beta1 ** (step + correct[0]))
        v_hat = v / np.float64(1 - beta2 ** (step + correct[1]))
        param -= lr * m_hat / (root(v_hat) + eps if outside else root(v_hat + eps))


@mutant("adam_step")
def _no_correction(*args):
    """no bias correction"""
    _adam(*args, correct=(10**6, 10**6))


@mutant("adam_step")
def _only_m_corrected(*args):
    """only m is corrected"""
    _adam(*args, correct=(0, 10**6))


@mutant("adam_step")
def _only_v_corrected(*args):
    """only v is corrected"""
    _adam(*args, correct=(10**6, 0))


@mutant("adam_step")
def _counted_from_zero(*args):
    """t counted from 0: the first step divides by 0"""
    _adam(*args, correct=(-1, -1))


@mutant("adam_step")
def _counted_from_two(*args):
    """t one too large"""
    _adam(*args, correct=(1, 1))


@mutant("adam_step")
def _no_root(*args):
    """divides by v instead of its root"""
    _adam(*args, root=lambda value: value)


@mutant("adam_step")
def _betas_swapped(param, grad, m, v, step, lr, beta1=0.9, beta2=0.999, eps=1e-8):
    """beta1 and beta2 change places"""
    adam_step(param, grad, m, v, step, lr, beta2, beta1, eps)


@mutant("adam_step")
def _weights_swapped(param, grad, m, v, step, lr, beta1=0.9, beta2=0.999, eps=1e-8):
    """beta weighs the new gradient, 1 - beta the old average"""
    m *= 1 - beta1
    m += beta1 * grad
    v *= 1 - beta2
    v += beta2 * grad * grad
    param -= lr * (m / (1 - beta1**step)) / (np.sqrt(v / (1 - beta2**step)) + eps)


@mutant("adam_step")
def _corrected_values_stored(param, grad, m, v, step, lr, beta1=0.9, beta2=0.999, eps=1e-8):
    """m and v keep their corrected values"""
    adam_step(param, grad, m, v, step, lr, beta1, beta2, eps)
    m /= 1 - beta1**step
    v /= 1 - beta2**step


@mutant("adam_step")
def _v_from_gradient(param, grad, m, v, step, lr, beta1=0.9, beta2=0.999, eps=1e-8):
    """v averages the size of the gradient, not its square"""
    m *= beta1
    m += (1 - beta1) * grad
    v *= beta2
    v += (1 - beta2) * np.abs(grad)
    param -= lr * (m / (1 - beta1**step)) / (np.sqrt(v / (1 - beta2**step)) + eps)


@mutant("adam_step")
def _v_from_m(param, grad, m, v, step, lr, beta1=0.9, beta2=0.999, eps=1e-8):
    """v averages the square of m"""
    m *= beta1
    m += (1 - beta1) * grad
    v *= beta2
    v += (1 - beta2) * m * m
    param -= lr * (m / (1 - beta1**step)) / (np.sqrt(v / (1 - beta2**step)) + eps)


@mutant("adam_step")
def _adam_names_moved(param, grad, m, v, step, lr, beta1=0.9, beta2=0.999, eps=1e-8):
    """= moves the names m and v: the caller's averages stay as they were"""
    adam_step(param, grad, m.copy(), v.copy(), step, lr, beta1, beta2, eps)


@mutant("adam_step")
def _param_name_moved(param, grad, m, v, step, lr, beta1=0.9, beta2=0.999, eps=1e-8):
    """param = param - …: the caller's parameters stay as they were"""
    adam_step(param.copy(), grad, m, v, step, lr, beta1, beta2, eps)


@mutant("adam_step")
def _adam_uphill(param, grad, m, v, step, lr, beta1=0.9, beta2=0.999, eps=1e-8):
    """adds the step"""
    adam_step(param, grad, m, v, step, -lr, beta1, beta2, eps)


@mutant("adam_step")
def _betas_ignored(param, grad, m, v, step, lr, beta1=0.9, beta2=0.999, eps=1e-8):
    """the betas are always 0.9 and 0.999"""
    adam_step(param, grad, m, v, step, lr, eps=eps)


@mutant("adam_step", "edges")
def _other_default(param, grad, m, v, step, lr, beta1=0.9, beta2=0.99, eps=1e-8):
    """beta2 is 0.99 when left out"""
    adam_step(param, grad, m, v, step, lr, beta1, beta2, eps)


@mutant("adam_step", "edges")
def _eps_ignored(param, grad, m, v, step, lr, beta1=0.9, beta2=0.999, eps=1e-8):
    """eps is always 1e-8"""
    adam_step(param, grad, m, v, step, lr, beta1, beta2)


@mutant("adam_step", "edges")
def _eps_under_the_root(*args):
    """eps is added under the root"""
    _adam(*args, outside=False)


@mutant("adam_step", "edges")
def _no_eps(*args):
    """no eps: 0 / 0 where nothing flowed"""
    _adam(*args[:6], *args[6:8], 0.0)


@mutant("adam_step", "edges")
def _eps_before_correction(param, grad, m, v, step, lr, beta1=0.9, beta2=0.999, eps=1e-8):
    """eps is added before v is corrected (the paper's rearranged form with another eps)"""
    correction = np.sqrt(1 - beta2**step)
    adam_step(param, grad, m, v, step, lr, beta1, beta2, eps / correction)


@mutant("adam_step", "edges")
def _gradient_squared(param, grad, m, v, step, lr, beta1=0.9, beta2=0.999, eps=1e-8):
    """squares the gradient in place"""
    adam_step(param, grad, m, v, step, lr, beta1, beta2, eps)
    grad *= grad
