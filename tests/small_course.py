"""A course of one chapter and two exercises, small enough to build in a test."""

from __future__ import annotations

import tempfile
from pathlib import Path

from autograder.release.build import Course, read_course, reference_notebook, release
from autograder.release.editions import SITE, STUDENT, build, to_text

MODULE = '''"""Numbers."""

from __future__ import annotations

from collections.abc import Sequence

SCALE = 3


def scaled(values: Sequence[int], factor: int = SCALE, *, shift: int = 0) -> list[int]:
    """Every value times factor, plus shift.

    Args:
        values: whole numbers.
    """
    result = []
    ### BEGIN SOLUTION
    for value in values:
        # a remark for teachers
        result.append(value * factor + shift)  # the whole idea
    ### END SOLUTION
    return result


def total(values: Sequence[int]) -> int:
    """Their sum."""
    ### BEGIN SOLUTION
    running_total_of_values = 0
    for value in values:
        running_total_of_values += value
    return running_total_of_values
    ### END SOLUTION


def untouched(x: int) -> int:
    """No exercise."""
    return x + 1
'''

KERNEL = """\
// Doubles x [n] in place; one thread an element; moves 8 n bytes.
__global__ void twice(float *x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  // BEGIN SOLUTION
  if (i < n) x[i] *= 2.0f;
  // END SOLUTION
}
"""

CHAPTER = '''---
jupytext:
  text_representation:
    extension: .md
    format_name: myst
kernelspec:
  display_name: Python 3
  language: python
  name: python3
---

# 1 · Numbers

A question first. See [the contract](contract.md) and [numbers](01_numbers.md).

```{code-cell} ipython3
:tags: [setup]

SCALE = 3


def check(function):
    print("checked", function.__name__)
```

```{figure} figures/01-line.svg
:alt: A line.

A line
of memory.
```

## Scaling

```{exercise} solutions/numbers.py::scaled
:points: 5
:hint: One loop.

Scale the values.

Mind the shift.
```

```{code-cell} ipython3
print(scaled([1, 2]))
```

```{admonition} What you should see
:class: tip

Two numbers, `3` and `6`.

And nothing else.
```

```{exercise} solutions/numbers.py::total
:points: 10
:hint: Start with nothing.

Add them up.
```

```{dropdown} Answer
It is [here](01_numbers.md#scaling).
```
'''

TOC = """format: jb-book
root: intro
chapters:
  - file: 01_numbers
  - file: contract
"""

CONFIG = """title: Small
author: ""
logo: ""
only_build_toc_files: true
execute: {execute_notebooks: "off"}
sphinx: {config: {myst_heading_anchors: 3}}
"""


def write_small_course(root: Path) -> Path:
    """Write it below ``root``; returns ``root``."""
    files = {
        "solutions/__init__.py": '"""Solutions."""\n',
        "solutions/numbers.py": MODULE,
        "kernels/__init__.py": '"""Kernels."""\n',
        "book/01_numbers.md": CHAPTER,
        "book/_toc.yml": TOC,
        "book/intro.md": "# Small\n\nBegin with [numbers](01_numbers.md).\n",
        "book/contract.md": "# Contract\n\nNone.\n",
        "book/_config.yml": CONFIG,
        "book/figures/01-line.svg": '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"/>\n',
        "autograder/__init__.py": '"""Here so that the notebook finds its course."""\n',
    }
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def write_golden(folder: Path) -> None:
    """Write what a release of the small course makes of its chapter: ``python -m tests.small_course`` renews it."""
    with tempfile.TemporaryDirectory() as name:
        root = write_small_course(Path(name))
        release(root)
        course = read_course(root)
        for edition, text in editions(course).items():
            (folder / f"{edition}.ipynb").write_text(text, encoding="utf-8", newline="\n")


def editions(course: Course) -> dict[str, str]:
    """Edition → the text of the one chapter's notebook; the reference with the outputs that are in the folder."""
    [chapter] = course.chapters
    reference, _ = reference_notebook(course, chapter)
    return {
        "student": to_text(build(chapter, course.of(chapter), STUDENT)),
        "reference": to_text(reference),
        "site": to_text(build(chapter, course.of(chapter), SITE)),
    }


GOLDEN = Path(__file__).parent / "release_golden"

if __name__ == "__main__":
    write_golden(GOLDEN)
