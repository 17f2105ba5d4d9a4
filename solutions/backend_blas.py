"""The index path's yardstick: the same steps with NumPy's own matrix product. The only module here that may use it."""

from __future__ import annotations

import numpy as np

from solutions.arrays import FloatArray
from solutions.backend_numpy import NumpyBackend


def blas_product(a: FloatArray, b: FloatArray) -> FloatArray:
    """float32 ``[m, k]`` times ``[k, n]`` by BLAS."""
    out = np.empty((a.shape[0], b.shape[1]), dtype=np.float32)
    np.matmul(a, b, out=out)
    return out


def blas_backend() -> NumpyBackend:
    """The NumPy backend with BLAS inside."""
    return NumpyBackend("blas", blas_product)
