"""The emulator's check finds every planted mistake, where it is, in every order, and says nothing of right kernels."""

from __future__ import annotations

import numpy as np
import pytest

import kernels
from kernels.emulator.faults import KINDS, Fault
from kernels.module import Module
from tests.planted import FAULTY, FOLDER, RIGHT, Planted, problems, read_marks

FAULTY_ORDERS = (0, 1, 5)
RIGHT_ORDERS = range(8)


def load(case: Planted) -> Module:
    """The kernel in a process of its own: some of them crash, overflow a stack or never end."""
    return kernels.load(case.path, target="emulator")


@pytest.mark.parametrize("case", FAULTY, ids=lambda case: case.name)
def test_mistake_is_found_where_it_is(case: Planted) -> None:
    module = load(case)
    for order in FAULTY_ORDERS:
        report, arguments = case.inspect(module, order)
        assert problems(case, report.faults, arguments) == [], f"order {order}"


@pytest.mark.parametrize("case", RIGHT, ids=lambda case: case.name)
def test_right_kernel_is_left_alone(case: Planted) -> None:
    module = load(case)
    assert case.reference is not None
    right = case.reference(case.fresh())
    for order in RIGHT_ORDERS:
        report, arguments = case.inspect(module, order)
        assert problems(case, report.faults, arguments) == [], f"order {order}"
        for name, expected in right.items():
            found = np.sort(arguments[name]) if name == "kept" else arguments[name]
            np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5, err_msg=f"{name}, order {order}")
