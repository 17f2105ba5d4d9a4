"""Names for the array types that run through the package."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float32]
DoubleArray = npt.NDArray[np.float64]
ByteArray = npt.NDArray[np.uint8]
IntArray = npt.NDArray[np.int64]
