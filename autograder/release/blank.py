"""The course's code without its answers: for students' copies, and for the process that runs a student's notebook."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from autograder.release.markers import Region, blank_lines, module_parts, split

ROOT = Path(__file__).resolve().parents[2]
CODE = (".py", ".cu", ".cuh", ".h", ".cpp", ".toml")


def blank_module(source: str, names: set[str] | None = None, file: str = "module.py") -> str:
    """Python source with the marked regions of some functions replaced by ``raise NotImplementedError``.

    Args:
        source: text of a module.
        names: functions to blank; all that have a marked region if None. Markers of the others are dropped.
        file: name for error messages.

    Raises:
        CourseError: not Python, or markers that do not pair up or stand outside of a function.
    """
    out: list[str] = []
    for node, parts in module_parts(source, file):
        for part in parts:
            if not isinstance(part, Region):
                out.append(part)
            elif node is not None and (names is None or node.name in names):
                out += blank_lines(part, node.name, ".py")
            else:
                out += part.lines
    return "\n".join(out) + "\n"


def blank_kernel(source: str, blank: bool = True, file: str = "kernel.cu") -> str:
    """Kernel source with its marked regions blank, or (``blank=False``) filled in, without markers.

    Raises:
        CourseError: markers that do not pair up.
    """
    out: list[str] = []
    for part in split(source.splitlines(), ".cu", file):
        if not isinstance(part, Region):
            out.append(part)
        else:
            out += blank_lines(part, Path(file).stem, ".cu") if blank else part.lines
    return "\n".join(out) + "\n"


def write_student_solutions(target: Path, blank: set[str] | None, root: Path = ROOT) -> None:
    """Write ``target/solutions`` and ``target/kernels``: the packages with exercises blanked.

    Args:
        target: an existing folder.
        blank: identities, ``"solutions/tensor.py::add"``; all exercises if None. A kernel's file holds one exercise,
            so the file alone will do.
        root: the course.
    """

    def names_in(file: str) -> set[str] | None:
        if blank is None:
            return None
        return {name.partition("::")[2] for name in blank if name.partition("::")[0] == file}

    def python(text: str, file: str) -> str:
        return blank_module(text, names_in(file), file)

    def kernel(text: str, file: str) -> str:
        return blank_kernel(text, names_in(file) != set(), file)

    blanking: dict[str, Callable[[str, str], str]] = {".py": python, ".cu": kernel}
    for package in ("solutions", "kernels"):
        for path in code_files(root / package):
            file = path.relative_to(root).as_posix()
            text = path.read_text(encoding="utf-8")
            if path.suffix in blanking and "SOLUTION" in text:
                text = blanking[path.suffix](text, file)
            (target / file).parent.mkdir(parents=True, exist_ok=True)
            (target / file).write_text(text, encoding="utf-8", newline="\n")


def code_files(package: Path) -> list[Path]:
    """Code and tables of a package and of what lies below it, less what editors leave in hidden folders."""
    return [
        path
        for path in sorted(package.rglob("*"))
        if path.suffix in CODE and not any(part.startswith(".") for part in path.relative_to(package).parts)
    ]
