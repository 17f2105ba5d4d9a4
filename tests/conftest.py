"""Shared by all tests: hypothesis without deadlines, since two busy cores are not a failure."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("course", deadline=None, max_examples=60)
settings.load_profile("course")
