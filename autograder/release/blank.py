"""The course's code without its answers: for students' copies, and for the process that runs a student's notebook."""

from __future__ import annotations

from pathlib import Path

from autograder.release.exercise import functions, last_line
from autograder.release.markers import Region, blank_lines, split

ROOT = Path(__file__).resolve().parents[2]


def blank_module(source: str, names: set[str] | None = None, file: str = "module.py") -> str:
    """Python source with the marked regions of some functions replaced by ``raise NotImplementedError``.

    Args:
        source: text of a module.
        names: functions to blank; all that have a marked region if None. Markers of the others are dropped.
        file: name for error messages.

    Raises:
        CourseError: not Python, or markers that do not pair up.
    """
    lines = source.splitlines()
    out: list[str] = []
    position = 0
    for node in functions(source, file):
        out += lines[position : node.lineno - 1]
        position = last_line(node, lines)
        for part in split(lines[node.lineno - 1 : position], Path(file).suffix, f"{file}::{node.name}"):
            if not isinstance(part, Region):
                out.append(part)
            elif names is None or node.name in names:
                out += blank_lines(part, node.name, ".py")
            else:
                out += part.lines
    out += lines[position:]
    return "\n".join(out) + "\n"


def write_student_solutions(target: Path, blank: set[str] | None, root: Path = ROOT) -> None:
    """Write ``target/solutions`` and ``target/kernels``: the packages with exercises blanked.

    Args:
        target: an existing folder.
        blank: identities, ``"solutions/tensor.py::add"``; all exercises if None.
        root: the course.
    """
    for package in ("solutions", "kernels"):
        (target / package).mkdir(parents=True, exist_ok=True)
        for path in sorted((root / package).glob("*.py")):
            file = f"{package}/{path.name}"
            text = path.read_text(encoding="utf-8")
            names = None if blank is None else {name.partition("::")[2] for name in blank if name.startswith(file)}
            if "SOLUTION" in text:
                text = blank_module(text, names, file)
            (target / package / path.name).write_text(text, encoding="utf-8", newline="\n")
        for path in sorted((root / package).glob("*.cu")):
            parts = split(path.read_text(encoding="utf-8").splitlines(), ".cu", f"{package}/{path.name}")
            text = "\n".join(
                line for part in parts
                for line in ([part] if isinstance(part, str) else blank_lines(part, path.stem, ".cu"))
            )
            (target / package / path.name).write_text(text + "\n", encoding="utf-8", newline="\n")
