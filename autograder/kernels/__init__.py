"""Kernels as answers: their text is read and refused or compiled, launched in a process of its own, and judged."""
