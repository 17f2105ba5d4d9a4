"""The static book of a small course: what its pages show, what they load, and that a warning is an error."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path

import pytest
from bs4 import BeautifulSoup, Tag

from autograder.__main__ import main
from autograder.release import site
from autograder.release.build import release
from autograder.release.site import build_site
from solutions.command_line import run
from solutions.errors import CourseError
from tests.small_course import CHAPTER, write_small_course

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parent.parent
FORMULA = "\n$$\\text{offset} = i_0 \\cdot s_0$$\n"


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small course with the real book's looks, after one release."""
    root = write_small_course(tmp_path_factory.mktemp("course"))
    shutil.copyfile(ROOT / "book/_config.yml", root / "book/_config.yml")
    shutil.copytree(ROOT / "book/_static", root / "book/_static")
    (root / "book/01_numbers.md").write_text(CHAPTER + FORMULA, encoding="utf-8")
    release(root)
    return root


@pytest.fixture(scope="module")
def book(released: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of its pages."""
    return build_site(released, tmp_path_factory.mktemp("out")).parent


@pytest.fixture
def course(released: Path, tmp_path: Path) -> Path:
    """A copy, to be spoiled."""
    return shutil.copytree(released, tmp_path / "copy")


def page(book: Path, name: str) -> BeautifulSoup:
    return BeautifulSoup((book / name).read_text(encoding="utf-8"), "html.parser")


def classes(node: Tag) -> list[str]:
    found = node.get("class")
    return list(found) if isinstance(found, list) else []


def test_a_chapter_shows_its_outputs_and_folds_its_solutions(book: Path) -> None:
    chapter = page(book, "01_numbers.html")
    text = chapter.get_text()
    assert "[3, 6]" in text
    assert "Exercise 1.1" in text
    assert "sys.path" not in text  # the cell that finds the packages is of no interest here
    folded = chapter.select("details.hide")
    assert [fold.get_text().count("running_total_of_values = 0") for fold in folded] == [0, 1]
    assert all("Show a solution" in fold.get_text() for fold in folded)
    for fold in folded:
        fold.extract()
    assert "running_total_of_values" not in chapter.get_text()


def test_a_task_stands_in_a_frame_with_its_hint(book: Path) -> None:
    frames = page(book, "01_numbers.html").select("div.exercise")
    assert len(frames) == 2
    assert "Mind the shift." in frames[0].get_text()
    assert "One loop." in frames[0].select_one("details").get_text()  # type: ignore[union-attr]
    assert "The reference solution has 2 lines." in frames[0].get_text()


def test_links_lead_to_pages_of_the_book(book: Path) -> None:
    checked = 0
    for name in ("intro.html", "01_numbers.html", "contract.html"):
        for link in page(book, name).select("article a[href]"):
            target = str(link["href"]).partition("#")[0]
            if target and "://" not in target:
                assert (book / target).is_file(), (name, target)
                checked += 1
    assert checked >= 2


def test_no_page_loads_anything_from_outside(book: Path) -> None:
    for path in book.rglob("*.html"):
        document = BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")
        loaded = [tag[key] for tag, key in ((t, k) for t in document.find_all(["script", "img", "link", "source"])
                                            for k in ("src", "href") if t.get(k))]
        for address in map(str, loaded):
            assert not address.startswith(("http:", "https:", "//")), (path.name, address)
    scripts = [str(tag["src"]).partition("?")[0] for tag in page(book, "01_numbers.html").select("script[src]")]
    assert "_static/mathjax/tex-svg.js" in scripts
    assert all((book / script).is_file() for script in scripts)


def test_the_style_of_the_course_is_loaded(book: Path) -> None:
    sheets = [str(tag["href"]) for tag in page(book, "intro.html").select("link[rel=stylesheet]")]
    assert any("course.css" in sheet for sheet in sheets)


def test_answers_are_not_left_lying_about_as_notebooks(book: Path) -> None:
    assert not list(book.rglob("*.ipynb"))
    assert not page(book, "01_numbers.html").select(".dropdown-download-buttons")


@pytest.mark.parametrize(
    ("name", "old", "new", "words"),
    [
        ("contract.md", "None.", "See [this](nowhere.md).", r"book/contract\.md, line 3: .*nowhere"),
        ("01_numbers.md", "A question first.", "See [this](nowhere.md).", r"book/01_numbers\.md, line 14: .*nowhere"),
        ("01_numbers.md", "And nothing else.", "See [it](nowhere.md).", r"book/01_numbers\.md, line 53: .*nowhere"),
        ("_toc.yml", "  - file: contract\n", "", "contract"),
    ],
)
def test_a_warning_is_an_error_and_says_where(
    course: Path, tmp_path: Path, name: str, old: str, new: str, words: str
) -> None:
    text = (course / "book" / name).read_text(encoding="utf-8")
    assert old in text
    (course / "book" / name).write_text(text.replace(old, new), encoding="utf-8")
    (tmp_path / "out/html").mkdir(parents=True)
    (tmp_path / "out/html/index.html").write_text("yesterday's")
    with pytest.raises(CourseError, match=rf"^the book does not build without warnings:\n.*{words}") as error:
        build_site(course, tmp_path / "out")
    assert str(tmp_path) not in str(error.value)
    assert str(error.value).count("nowhere") <= 1
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["html"]  # a failed build leaves the old pages
    assert (tmp_path / "out/html/index.html").read_text() == "yesterday's"


def test_a_page_without_its_outputs_is_not_built(
    course: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    module = course / "solutions/numbers.py"
    module.write_text(module.read_text().replace("* factor", "* 1 * factor"))
    arguments = ["book", "--root", str(course), "--out", str(tmp_path / "out")]
    for reason in ("of other code", "missing"):
        assert run(main, arguments) == 2
        told = capsys.readouterr().err
        assert told == f"error: the reference edition of 01_numbers is {reason}; run: make release\n"
        (course / "solutions/01_numbers.ipynb").unlink(missing_ok=True)


def test_a_folder_that_cannot_be_written_is_named(course: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CourseError, match=r"cannot write the book into .*file"):
        build_site(course, tmp_path / "file")


def test_mathjax_missing_is_said(course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(site.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(CourseError, match=r"MathJax .* is not installed; run: make setup"):
        build_site(course, tmp_path / "out")


def test_the_place_of_the_pages_is_fought_for_and_then_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another build puts its pages back into the place each time before ours arrive."""
    for name in ("new", "place", "aside", "aside2"):
        (tmp_path / name).mkdir()
    (tmp_path / "new/index.html").write_text("ours")
    (tmp_path / "place/index.html").write_text("theirs")
    real, rounds = site.os.replace, [3]

    def contested(source: Path, target: Path) -> None:
        if source.name == "new" and rounds[0]:
            rounds[0] -= 1
            (tmp_path / "place").mkdir()
            raise OSError(39, "Directory not empty")
        real(source, target)

    monkeypatch.setattr(site.os, "replace", contested)
    site._swap(tmp_path / "new", tmp_path / "place", tmp_path / "aside")
    assert (tmp_path / "place/index.html").read_text() == "ours"
    (tmp_path / "new").mkdir()
    rounds[0] = 10**6
    with pytest.raises(CourseError, match="something else keeps writing there"):
        site._swap(tmp_path / "new", tmp_path / "place", tmp_path / "aside2")


def test_a_disk_that_does_not_move_folders_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(site.os, "replace", refused)
    with pytest.raises(PermissionError):
        site._swap(tmp_path / "new", tmp_path / "place", tmp_path / "aside")


def test_the_command_says_where_the_book_is(
    course: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(main, ["book", "--root", str(course), "--out", str(tmp_path / "out")]) == 0
    assert capsys.readouterr().out == f"the book is in {tmp_path / 'out/html/index.html'}\n"


def test_two_builds_at_a_time_do_not_meet(course: Path, tmp_path: Path) -> None:
    pages: list[Path] = []
    builds = [threading.Thread(target=lambda: pages.append(build_site(course, tmp_path / "out"))) for _ in range(2)]
    for build in builds:
        build.start()
    for build in builds:
        build.join()
    assert pages == [tmp_path / "out/html/index.html"] * 2
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["html"]
    assert (tmp_path / "out/html/01_numbers.html").is_file()
