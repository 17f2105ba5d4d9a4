"""Grading filled-in notebooks: a process of its own for student code, a verdict from raw bytes, reports."""
