"""What the student's process may import: a copy of ``solutions`` with blanks, the runner, and stand-ins.

The tree is made once per chapter and kept in memory; every process gets a fresh copy on disk, so that nothing one
notebook does to its files reaches the next. For chapter N the exercises of chapter N and later are blank, and what
earlier chapters taught is there to be used.
"""

from __future__ import annotations

import compileall
import py_compile
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from autograder.cases import registry

RUNNER = "course_runner"
RUNNER_FILES = ("runner.py", "cells.py", "index_path.py", "probes.py", "wire.py")
KERNEL_RUNNER_FILES = (*RUNNER_FILES, "kernel_runner.py")

CHECK_STUB = '''"""Stands in for the course's feedback while a notebook is graded."""


def check(*functions, **options):
    """Does nothing: the verdict is not made here."""
'''

# Drawing takes half a second to import and is of no use to a grader. Any attribute, call or submodule is accepted.
DRAWING_STUB = '''\
"""Stands in for a drawing library while a notebook is graded: anything can be called, nothing is drawn."""

import importlib.abc
import importlib.machinery
import sys
import types


class _Anything(types.ModuleType):
    __path__ = []

    def __getattr__(self, name):
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return _Anything(name)

    def __call__(self, *args, **kwargs):
        return self

    def __iter__(self):
        return iter((_Anything("figure"), _Anything("axes")))

    def __getitem__(self, key):
        return self

    def __setitem__(self, key, value):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        pass


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path=None, target=None):
        if name.startswith(__name__ + "."):
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        return _Anything(spec.name)

    def exec_module(self, module):
        pass


sys.meta_path.insert(0, _Finder())
sys.modules[__name__] = _Anything(__name__)
'''
DRAWING = ("matplotlib", "mpl_toolkits", "seaborn", "plotly", "IPython", "ipywidgets")


@cache
def student_tree(chapter: int) -> Mapping[str, bytes]:
    """Files for the student's import path while chapter ``chapter`` is graded: relative path → contents."""
    from autograder.release.blank import write_student_solutions

    blank = {cases.exercise for n in registry.chapters() if n >= chapter for cases in registry.for_chapter(n)}
    with tempfile.TemporaryDirectory(prefix="course-tree-") as folder:
        root = Path(folder)
        write_student_solutions(root, blank)
        (root / "autograder.py").write_text(CHECK_STUB, encoding="utf-8")
        for name in DRAWING:
            (root / f"{name}.py").write_text(DRAWING_STUB, encoding="utf-8")
        write_tree(runner_files(RUNNER_FILES), root)
        # Compiled beforehand, without time stamps to check: a start takes 60 ms less.
        mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
        compileall.compile_dir(root, quiet=2, invalidation_mode=mode, stripdir=folder)
        return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


def runner_files(names: Sequence[str]) -> dict[str, bytes]:
    """The package of a process's program: relative path → contents."""
    files = {f"{RUNNER}/{name}": (Path(__file__).parent / name).read_bytes() for name in names}
    return {f"{RUNNER}/__init__.py": b"", **files}


def write_tree(tree: Mapping[str, bytes], target: Path) -> None:
    """Write a copy of ``tree`` into the folder ``target``."""
    for folder in {(target / name).parent for name in tree}:
        folder.mkdir(parents=True, exist_ok=True)
    for name, content in tree.items():
        (target / name).write_bytes(content)
