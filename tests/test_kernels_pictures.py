"""Pictures of launches: the same to the byte as the golden ones, true to the trace, and legible.

``python -m tests.test_kernels_pictures`` draws the golden pictures again, after a change that is meant.
"""

from __future__ import annotations

import dataclasses
import itertools
import os
import re
import stat
import xml.etree.ElementTree as ET
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.ft2font import FT2Font

import kernels
from kernels.emulator.counters import Access, BranchCount, Counters, LineCount, passes_of, sectors_of
from kernels.emulator.faults import Fault
from kernels.emulator.launch import Report
from kernels.pictures import Picture, PictureError, access_picture, counters_picture
from kernels.pictures.lanes import QUARTERS, spans
from kernels.pictures.sheet import DARK_PINK, GREY, INK, PAPER, shorten, wrap
from solutions.errors import CourseError

GOLDEN = Path(__file__).parent / "pictures_golden"
SVG = "{http://www.w3.org/2000/svg}"


# --- traces by hand ---------------------------------------------------------------------------------------------------


def access(offsets: Iterable[tuple[int, int]] | Callable[[int], int], *, size: int = 4, array: str = "x", line: int = 3,
           op: str = "load", space: str = "global", warp: int = 0, block: int = 0) -> Access:
    """A request; ``offsets`` are (lane, byte) pairs, or the byte of each of 32 lanes."""
    lanes = tuple((lane, offsets(lane)) for lane in range(32)) if callable(offsets) else tuple(offsets)
    is_global = space == "global"
    return Access(block, warp, line, op, space, array, size, lanes,
                  sectors_of([offset for _, offset in lanes], size) if is_global else 0,
                  0 if is_global else passes_of(lanes, size, op)[0])


NOTHING = Counters((), (), 32, 1, 1, 0, None, None)


def report(*trace: Access, faults: Sequence[Fault] = (), counters: Counters = NOTHING) -> Report:
    return Report(tuple(faults), counters, trace, "")


def tile(columns: int) -> Access:
    return access(lambda lane: lane * columns * 4, array="tile", space="shared", line=8)


COLUMN = report(*(access(lambda lane, k=k: (lane * 32 + k) * 4, array="a", line=5) for k in range(4)))
PRODUCT = report(*itertools.chain.from_iterable(
    (access(lambda lane, k=k: (lane // 16 * 16 + k) * 4, array="a", line=5),
     access(lambda lane, k=k: (k * 16 + lane % 16) * 4, array="b", line=5)) for k in range(16)
))
FLOAT4 = report(access(lambda lane: 16 * lane, size=16, op="store", array="s", space="shared", line=4),
                access(lambda lane: 16 * lane, size=16, array="x", line=4))
TEXT = """__global__ void transpose(const float* a, float* out) {
  __shared__ float tile[32][32];
  if (threadIdx.x < 16)  // <&> and a comment that is far too long to be drawn beside the number of its line
    tile[threadIdx.y][threadIdx.x] = a[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
"""
COUNTERS = Counters(
    (LineCount(4, "load", "global", 4, 32, 1024, 128, 0, 0), LineCount(4, "store", "shared", 4, 32, 1024, 0, 32, 32),
     LineCount(6, "load", "shared", 4, 1_204_224, 32 * 1_204_224, 0, 38_535_168, 1_204_224),
     LineCount(6, "store", "global", 4, 1_204_224, 32 * 1_204_224, 38_535_168, 0, 0)),
    (BranchCount(3, 32, 32), BranchCount(5, 32, 0)), 1024, 32, 1, 32, None, None,
)

PICTURES: dict[str, Callable[[], Picture]] = {
    "copy": lambda: access_picture(report(access(lambda lane: 4 * lane), access(lambda lane: 128 + 4 * lane, warp=1))),
    "stride_8": lambda: access_picture(report(access(lambda lane: 32 * lane))),
    "shifted": lambda: access_picture(report(access(lambda lane: 4 + 4 * lane)), shape=33),
    "column": lambda: access_picture(COLUMN, shape=(32, 32)),
    "wide_column": lambda: access_picture(report(access(lambda lane: (lane * 784 + 40) * 4)), shape=(32, 784)),
    "short_rows": lambda: access_picture(report(access(lambda lane: lane * 10 * 4)), shape=(32, 10)),
    "broadcast": lambda: access_picture(PRODUCT, title="The naive product: a warp is half a row of a, twice"),
    "two_in_a_cell": lambda: access_picture(PRODUCT, array="b", shape=(16, 16)),
    "labels": lambda: access_picture(report(access(lambda lane: 3 * lane, size=1, array="labels"))),
    "tile_32": lambda: access_picture(report(tile(32)), shape=(32, 32)),
    "tile_33": lambda: access_picture(report(tile(33)), shape=(32, 33)),
    "two_way": lambda: access_picture(report(access(lambda lane: 8 * lane, array="s", space="shared"))),
    "float4": lambda: access_picture(FLOAT4),
    "counters": lambda: counters_picture(COUNTERS, TEXT),
    "counters_without_text": lambda: counters_picture(COUNTERS),
}


@pytest.mark.parametrize("name", PICTURES)
def test_equals_the_golden_picture(name: str) -> None:
    assert PICTURES[name]().svg == (GOLDEN / f"{name}.svg").read_text(encoding="utf-8")


def test_no_golden_picture_is_left_over() -> None:
    assert {path.stem for path in GOLDEN.glob("*.svg")} == set(PICTURES)


# --- legible ----------------------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Text:
    """Where a text of a picture is, set in DejaVu Sans: left, top, right, bottom."""

    words: str
    box: tuple[float, float, float, float]


_FONTS: dict[str, FT2Font] = {}


def font(mono: bool, bold: bool) -> FT2Font:
    name = f"DejaVuSans{'Mono' if mono else ''}{'-Bold' if bold else ''}.ttf"
    if name not in _FONTS:
        _FONTS[name] = FT2Font(str(Path(matplotlib.get_data_path()) / "fonts" / "ttf" / name))
        _FONTS[name].set_size(100, 72)
    return _FONTS[name]


def measured(words: str, size: float, mono: bool = False, bold: bool = False) -> float:
    """The advances of the letters, in units."""
    face = font(mono, bold)
    return sum(face.load_char(ord(letter)).linearHoriAdvance for letter in words) / 65536 * size / 100


def texts(svg: str) -> list[Text]:
    found = []
    for element in ET.fromstring(svg).iter(f"{SVG}text"):
        size, words = float(element.attrib["font-size"]), element.text or ""
        mono, bold = "monospace" in element.get("font-family", ""), "font-weight" in element.attrib
        wide = float(element.get("textLength", 0)) or measured(words, size, mono, bold)
        left = float(element.attrib["x"]) - {"start": 0, "middle": wide / 2, "end": wide}[
            element.get("text-anchor", "start")]
        base = float(element.attrib["y"])
        found.append(Text(words, (left, base - 0.75 * size, left + wide, base + 0.2 * size)))
    return found


def illegible(svg: str) -> list[str]:
    """Texts that are cut off, lie on one another, or are too small for a phone of 390 pixels."""
    _, _, width, height = map(float, ET.fromstring(svg).attrib["viewBox"].split())
    found, wrong = texts(svg), []
    for text in found:
        left, top, right, bottom = text.box
        if left < 4 or top < 0 or right > width - 4 or bottom > height:
            wrong.append(f"{text.words!r} is cut off")
    for one, other in itertools.combinations(found, 2):
        if all(max(one.box[i], other.box[i]) + 0.2 < min(one.box[i + 2], other.box[i + 2]) for i in (0, 1)):
            wrong.append(f"{one.words!r} lies on {other.words!r}")
    sizes = [float(e.attrib["font-size"]) for e in ET.fromstring(svg).iter(f"{SVG}text")]
    for element in ET.fromstring(svg).iter(f"{SVG}text"):
        if float(element.get("textLength", "inf")) / len(element.text or "-") < 3.4:
            wrong.append(f"{element.text!r} is squeezed")
    if min(sizes) * 366 / width < 8.5:
        wrong.append("text is smaller than 8.5 pixels on a phone")
    return wrong


@pytest.mark.parametrize("name", PICTURES)
def test_text_is_neither_cut_off_nor_covered(name: str) -> None:
    assert illegible(PICTURES[name]().svg) == []


@pytest.mark.parametrize(("change", "why"), [
    ((' x="8" ', ' x="1" '), "is cut off"),
    ((' x="8" ', ' x="300" '), "is cut off"),
    (('y="22"', 'y="1"'), "is cut off"),
    (('y="22"', 'y="33"'), "lies on"),
    (('font-size="9"', 'font-size="7"'), "smaller"),
    (('lengthAdjust="spacingAndGlyphs">31<', 'lengthAdjust="spacingAndGlyphs">8, 31<'), "squeezed"),
])
def test_the_judge_of_legibility_sees_what_is_wrong(change: tuple[str, str], why: str) -> None:
    svg = PICTURES["copy"]().svg
    assert change[0] in svg
    assert any(why in words for words in illegible(svg.replace(*change)))


@pytest.mark.parametrize("name", PICTURES)
def test_stands_alone_and_scales(name: str) -> None:
    svg = PICTURES[name]().svg
    root = ET.fromstring(svg)
    assert [child.tag for child in root][:2] == [f"{SVG}title", f"{SVG}desc"]
    assert all(len(child.text or "") > 10 for child in list(root)[:2])
    assert root.get("role") == "img"
    assert root.get("style") == "width:100%;max-width:640px;height:auto"
    assert re.fullmatch(r"0 0 380 [\d.]+", root.attrib["viewBox"])
    assert "href" not in svg
    assert "url(" not in svg
    assert " id=" not in svg  # two pictures in one page would share it
    assert not list(root.iter(f"{SVG}style"))
    assert root[2].attrib["fill"] == PAPER


def test_long_names_and_odd_text_stay_inside() -> None:
    long = "a_name_that_goes_on_" * 5
    drawn = access_picture(report(access(lambda lane: 4 * lane, array=long), access(lambda lane: 4 * lane, array="y")),
                           title="& <b> \x00\x1b \ud800 多 " + "word " * 40 + "x" * 300)
    assert illegible(drawn.svg.replace("多", "W").replace("\ufffd", "W")) == []
    lines = "\n".join(["\tif (a < b && c > d) \x0b" + "y" * 200] * 3)
    assert illegible(counters_picture(dataclasses.replace(COUNTERS, lines=tuple(
        dataclasses.replace(row, line=3, requests=10**10, passes=row.passes and 10**12) for row in COUNTERS.lines
    )), lines).svg.replace("\ufffd", "W")) == []


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=80), st.booleans(), st.booleans())
def test_width_is_that_of_the_widest_font(words: str, bold: bool, mono: bool) -> None:
    """Shortened and wrapped text fits, to a few hundredths that the margins allow for."""
    for line in [shorten(words, 150, 10, bold, mono), *wrap(words, 150, 10, bold)]:
        assert measured(line, 10, mono, bold) <= 150 * 1.06


# --- true to the trace ------------------------------------------------------------------------------------------------


def with_data(svg: str, name: str) -> list[ET.Element]:
    return [element for element in ET.fromstring(svg).iter() if f"data-{name}" in element.attrib]


def drawn_lanes(svg: str) -> set[int]:
    return {int(lane) for element in with_data(svg, "lanes") for lane in element.attrib["data-lanes"].split()}


SIZES = st.sampled_from([1, 2, 4, 8, 16])


@st.composite
def requests(draw: st.DrawFn, space: str) -> Access:
    """Any lanes, anywhere, each aligned to its size, as the emulator demands."""
    size = draw(SIZES)
    lanes = sorted(draw(st.sets(st.integers(0, 31), min_size=1)))
    spread = draw(st.sampled_from([8, 64, 1024, 48 * 1024]))
    places = draw(st.lists(st.integers(0, spread // size), min_size=len(lanes), max_size=len(lanes)))
    return access([(lane, place * size) for lane, place in zip(lanes, places, strict=True)], size=size, space=space,
                  op=draw(st.sampled_from(["load", "store", "atomic"])))


SHAPES = st.one_of(st.none(), st.tuples(st.integers(1, 900)), st.tuples(st.integers(1, 4), st.integers(1, 900)))


@settings(deadline=None, max_examples=150)
@given(requests("global"), SHAPES, st.sampled_from([None, 1, 4, 8, 16]))
def test_as_many_sectors_as_counted(one: Access, row: tuple[int, ...] | None, element: int | None) -> None:
    shape = None if row is None else (10**6, *row)
    drawn = access_picture(report(one), shape=shape, element=element).svg
    sectors = [element.attrib["data-sector"] for element in with_data(drawn, "sector")]
    assert len(sectors) == len(set(sectors)) == one.sectors
    used = len({offset + byte for _, offset in one.lanes for byte in range(one.size)})
    words = f"1 request, {one.sectors} sector{'s' if one.sectors > 1 else ''}</text>"
    color = DARK_PINK if one.sectors > -(-used // 32) else INK
    assert f'fill="{color}" text-anchor="end" font-weight="600">{words}' in drawn
    assert_lanes_lie_in_sectors(drawn)
    assert drawn_lanes(drawn) == {lane for lane, _ in one.lanes}
    assert illegible(drawn) == []


def assert_lanes_lie_in_sectors(svg: str) -> None:
    """Every lane's cell lies in one highlighted sector, every sector has a lane, and no two sectors overlap."""
    sectors = {sector.attrib["data-sector"]: [tuple(map(float, part)) for part in re.findall(
        r"M([\d.]+) ([\d.]+)h([\d.]+)v([\d.]+)h-[\d.]+z", sector.attrib["d"])] for sector in with_data(svg, "sector")}
    middles = []
    for cell in with_data(svg, "lanes"):
        x, y, width, height = (float(cell.attrib[name]) for name in ("x", "y", "width", "height"))
        middles += [(x + 0.1, y + height / 2), (x + width - 0.1, y + height / 2)]
    full = set()
    for x, y in middles:
        around = [name for name, parts in sectors.items() for left, top, width, height in parts
                  if left <= x <= left + width and top <= y <= top + height]
        assert len(around) == 1
        full |= {*around}
    assert full == set(sectors)


@settings(deadline=None, max_examples=150)
@given(requests("shared"))
def test_as_many_passes_as_counted(one: Access) -> None:
    """Every rule of the banks is found again from its counts; marked banks are those that turn again."""
    drawn = access_picture(report(one)).svg
    passes, ideal = passes_of(one.lanes, one.size, one.op)
    assert f"passes: {passes} ({f'{ideal} without' if passes > ideal else 'no'} conflicts)" in drawn
    assert bool(with_data(drawn, "bank")) is (passes > ideal)
    assert drawn_lanes(drawn) == {lane for lane, _ in one.lanes}
    assert illegible(drawn) == []


@settings(deadline=None)
@given(st.lists(st.integers(0, 300), min_size=32, max_size=32))
def test_marked_banks_are_those_with_several_words(words: list[int]) -> None:
    drawn = access_picture(report(access([(lane, 4 * word) for lane, word in enumerate(words)], space="shared"))).svg
    wanted: dict[int, set[int]] = defaultdict(set)
    for word in words:
        wanted[word % 32].add(word)
    full = {bank: len(several) for bank, several in wanted.items() if len(several) > 1}
    marked = [int(element.attrib["data-bank"]) for element in with_data(drawn, "bank")]
    assert sorted(marked) == sorted([*full, *full])  # above and below the words
    said = [text.words for text in texts(drawn)]
    assert said.count("turns") == bool(full)
    if full:
        below = said.index("turns") + 1
        assert said[below:below + len(full)] == [str(full[bank]) for bank in sorted(full)]


def test_turns_of_all_groups_are_added() -> None:
    """8 bytes a lane, all in banks 0 and 1: two groups of 16 lanes, 16 turns each."""
    drawn = access_picture(report(access(lambda lane: 256 * lane, size=8, op="store", space="shared"))).svg
    said = [text.words for text in texts(drawn)]
    assert "passes: 32 (2 without conflicts)" in said
    assert said[said.index("turns") + 1:] == ["32", "32"]
    assert "served in 2 groups, 2 banks turn 32 times" in " ".join(said)


def test_a_sector_goes_on_in_the_next_row() -> None:
    """Rows of 10 floats: the sector of elements 8 to 15 is two cells of row 0 and six of row 1."""
    drawn = access_picture(report(access([(5, 36)])), shape=(4, 10)).svg
    (sector,) = with_data(drawn, "sector")
    widths = [float(width) for width in re.findall(r"h([\d.]+)v", sector.attrib["d"])]
    (cell,) = with_data(drawn, "lanes")
    assert [width / float(cell.attrib["width"]) for width in widths] == [pytest.approx(2), pytest.approx(6)]
    assert [text.words for text in texts(drawn)][-6:] == ["row", "0", "8", "0", "5", "1"]


def test_lanes_lie_where_they_read() -> None:
    """Column 2 of a 32 × 32 matrix: lane i in row i, all in one column."""
    drawn = access_picture(report(access(lambda lane: (lane * 32 + 2) * 4, array="a")), shape=(32, 32)).svg
    boxes = with_data(drawn, "lanes")
    assert [box.attrib["data-lanes"] for box in boxes] == [str(lane) for lane in range(32)]
    assert len({box.attrib["x"] for box in boxes}) == 1
    heights = [float(box.attrib["y"]) for box in boxes]
    assert {round(after - before, 1) for before, after in itertools.pairwise(heights)} == {15}
    assert [box[0].text for box in boxes][:2] == ["lane 0: a[0, 2]", "lane 1: a[1, 2]"]


def test_a_lane_of_float4_has_one_wide_cell() -> None:
    boxes = with_data(access_picture(FLOAT4, array="x").svg, "lanes")
    assert len(boxes) == 32
    assert boxes[5][0].text == "lane 5: x[20] to [23]"


def test_elements_of_eight_bytes() -> None:
    doubles = report(access(lambda lane: 8 * lane, size=8))
    boxes = with_data(access_picture(doubles, element=8, shape=(4, 8)).svg, "lanes")
    assert boxes[9][0].text == "lane 9: x[1, 1]"


def test_lanes_that_share_an_element_are_named_below() -> None:
    svg = access_picture(PRODUCT, array="a").svg
    assert "lanes a = 0–15; b = 16–31" in svg
    assert svg.count("lanes as in request 1<") == 7
    whole = access_picture(report(access(lambda lane: 0))).svg
    assert "lanes a = all 32" in whole
    assert "1 request, 1 sector<" in whole


def test_what_is_left_out_is_said() -> None:
    drawn = access_picture(COLUMN, shape=(32, 32)).svg
    assert drawn.count("1 request, 32 sectors</text>") == 2
    assert sum("the first 2 of 4 requests" in text.words for text in texts(drawn)) == 1
    assert "the first 2 of 4 requests" in (ET.fromstring(drawn)[1].text or "")
    assert "block 0, warp 0: 4 requests, 128 sectors" in drawn
    assert "the first 8 of 32 requests" in access_picture(PRODUCT).svg
    assert "left out" not in access_picture(report(tile(32))).svg


def test_warp_after_warp() -> None:
    mixed = report(*(access(lambda lane: 4 * lane, warp=warp, line=line) for line in (3, 4) for warp in (8, 1)))
    heads = [text.words for text in texts(access_picture(mixed).svg) if re.match(r"line|warp", text.words)]
    assert [words.split(":")[0] for words in heads] == [
        "line 3", "warp 1, request 1 of 2", "line 4", "warp 1, request 2 of 2",
        "line 3", "warp 8, request 1 of 2", "line 4", "warp 8, request 2 of 2"]


def test_rows_left_out_are_dotted() -> None:
    far = access_picture(report(access([(0, 0), (1, 4096)]))).svg
    assert far.count("stroke-dasharray") == 1
    assert "stroke-dasharray" not in access_picture(report(access([(0, 0), (1, 128)]))).svg


@pytest.mark.slow
def test_of_real_launches() -> None:
    """A traced launch gives the picture of the trace by hand."""
    module = kernels.load("""__global__ void turn(const float* a, float* out) {
  __shared__ float tile[32][33];
  for (int y = 0; y < 32; ++y)
    tile[y][threadIdx.x] = a[y * 32 + threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x][0];
}
""", target="emulator")
    seen = module["turn"].inspect(1, 32, (np.zeros((32, 32), np.float32), np.zeros(32, np.float32)), trace=True)
    assert not seen.faults
    by_hand = access_picture(report(access(lambda lane: 132 * lane, array="tile", space="shared", line=6)),
                             shape=(32, 33))
    assert access_picture(seen, array="tile", line=6, shape=(32, 33)) == by_hand
    drawn = access_picture(seen, array="a", shape=(32, 32)).svg
    assert len(with_data(drawn, "sector")) == 4 * 8
    assert illegible(access_picture(seen).svg) == []
    assert illegible(counters_picture(seen.counters, module.text).svg) == []
    plain = module["turn"].inspect(1, 32, (np.zeros((32, 32), np.float32), np.zeros(32, np.float32)))
    with pytest.raises(PictureError, match=r"^the report has no trace; call inspect\(..., trace=True\)$"):
        access_picture(plain)


# --- counters ---------------------------------------------------------------------------------------------------------


def test_bars_are_as_long_as_the_counts() -> None:
    bars = with_data(counters_picture(COUNTERS, TEXT).svg, "bar")
    lengths = defaultdict(list)
    for bar in bars:
        lengths[bar.attrib["data-bar"]].append(float(bar.attrib["width"]))
    full = max(lengths["requests"])
    assert lengths["passes"][1] == pytest.approx(full)
    assert lengths["conflicts"] == [pytest.approx(full * 31 / 32, abs=0.1)]  # the row without has no bar
    assert lengths["sectors a request"] == [pytest.approx(full / 8, abs=0.1), pytest.approx(full)]
    assert lengths["warps that split"] == [pytest.approx(full)]
    marks = [float(mark.attrib["d"][1:].split(" ")[0]) for mark in with_data(counters_picture(COUNTERS).svg, "ideal")]
    assert marks == [pytest.approx(float(bars[0].attrib["x"]) + full / 8, abs=0.1)] * 2


def test_bars_have_their_numbers_and_the_text() -> None:
    words = [text.words for text in texts(counters_picture(COUNTERS, TEXT).svg)]
    for wanted in ("4.00 (ideal 4)", "32.00 (ideal 4)", "1,204,224", "38,535,168", "37,330,944", "32 of 32",
                   "__syncthreads();"):
        assert (wanted in words) is (wanted != "__syncthreads();"), wanted  # a line without a bar is not drawn
    assert any(word.startswith("if (threadIdx.x < 16)") and word.endswith("…") for word in words)


def test_of_many_kinds_the_busiest_are_drawn() -> None:
    many = dataclasses.replace(COUNTERS, lines=tuple(
        LineCount(line, "load", "global", 4, line, line * 32, line * 4, 0, 0) for line in range(1, 31)))
    drawn = counters_picture(many).svg
    heads = [text.words for text in texts(drawn) if text.words.startswith("line ")]
    assert heads == ["line 3", *(f"line {line}" for line in range(7, 31))]  # line 3 for its branch
    assert "Left out: 6 kinds of access with fewer requests." in drawn


# --- errors -----------------------------------------------------------------------------------------------------------

MIXED = report(access(lambda lane: 4 * lane, array="a", line=3),
               access(lambda lane: 4 * lane, array="b", line=4, warp=2),
               access(lambda lane: 4 * lane, array="tile", line=7, space="shared", warp=1),
               access(lambda lane: 4 * lane, array="b", line=9, block=3))
BROKEN = Fault("global-out-of-bounds", 3, "line 3: f: thread (0, 0, 0) reads x[99]", "f")


@pytest.mark.parametrize(("seen", "asked", "message"), [
    (report(counters=COUNTERS), {}, "the report has no trace; call inspect(..., trace=True)"),
    (report(), {}, "the report has no trace; call inspect(..., trace=True) on a launch that touches memory"),
    (report(faults=[BROKEN]), {}, "the report has no trace, the launch went wrong; mend it first: "
                                  "line 3: f: thread (0, 0, 0) reads x[99]"),
    (COUNTERS, {}, "a picture is drawn from the report of kernel.inspect(..., trace=True), not from Counters"),
    (MIXED, {"block": 5}, "there is no block 5 in the trace; there are blocks 0, 3"),
    (MIXED, {"array": "c"}, "there is no array 'c' in block 0; there are arrays a, b, tile"),
    (MIXED, {"line": 5}, "there is no line 5 that touches memory in block 0; there are lines 3, 4, 7"),
    (MIXED, {"array": "a", "line": 4}, "there is no line 4 that touches a in block 0; there is line 3"),
    (MIXED, {"warp": 3}, "there is no warp 3 that touches memory in block 0; there are warps 0–2"),
    (MIXED, {"array": "b", "line": 4, "warp": 0},
     "there is no warp 0 that touches b in line 4, in block 0; there is warp 2"),
    (MIXED, {"shape": 8}, "a shape is that of one array; say which with array=, of a, tile, b"),
    (MIXED, {"array": "a", "shape": (3, 5)}, "shape (3, 5) has 15 elements, but line 3 touches element 31 of a; "
                                             "give the shape of the whole array"),
    (MIXED, {"array": "tile", "shape": 31}, "shape (31,) has 31 elements, but line 7 touches element 31 of tile; "
                                            "give the shape of the whole array"),
    (MIXED, {"array": "a", "shape": (0, 8)},
     "shape is one or more whole numbers from 1, such as (32, 33), not (0, 8)"),
    (MIXED, {"array": "a", "shape": "ab"}, "shape is one or more whole numbers from 1, such as (32, 33), not 'ab'"),
    (MIXED, {"array": "a", "shape": ()}, "shape is one or more whole numbers from 1, such as (32, 33), not ()"),
    (MIXED, {"element": 3}, "element is the number of bytes of one element, 1, 2, 4, 8, 16, not 3"),
    (report(dataclasses.replace(tile(32), passes=7)), {},
     "line 8: 7 passes do not follow from the addresses; take the report from kernel.inspect(..., trace=True)"),
])
def test_what_cannot_be_drawn_is_told_in_one_line(seen: Any, asked: dict[str, Any], message: str) -> None:
    with pytest.raises(PictureError) as caught:
        access_picture(seen, **asked)
    assert isinstance(caught.value, CourseError)
    assert str(caught.value) == message


def test_counters_that_cannot_be_drawn() -> None:
    with pytest.raises(PictureError, match=r"^counters come from kernel.inspect\(...\).counters, not from Report$"):
        counters_picture(MIXED)  # type: ignore[arg-type]
    with pytest.raises(PictureError, match=r"^the counters are empty: the launch touched no global"):
        counters_picture(NOTHING)


# --- the picture itself -----------------------------------------------------------------------------------------------


def test_saves_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    picture = PICTURES["copy"]()
    path = tmp_path / "new folder" / "copy.svg"
    picture.save(path)
    assert path.read_text(encoding="utf-8") == picture.svg == picture._repr_svg_()
    assert stat.S_IMODE(path.stat().st_mode) & stat.S_IRUSR
    path.write_text("old", encoding="utf-8")

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(CourseError, match=r"^cannot write .*copy\.svg: No space left on device"):
        picture.save(path)
    assert path.read_text(encoding="utf-8") == "old"
    assert [entry.name for entry in path.parent.iterdir()] == ["copy.svg"]


def test_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        PICTURES["copy"]().svg = ""  # type: ignore[misc]
    assert repr(PICTURES["copy"]()) == "Picture()"


# --- colours ----------------------------------------------------------------------------------------------------------

_BLIND = {  # Viénot, Brettel and Mollon 1999, on linear RGB; tritan: Machado, Oliveira and Fernandes 2009
    "none": np.eye(3),
    "protan": np.array([[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]]),
    "deutan": np.array([[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]]),
    "tritan": np.array([[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
                        [0.004733, 0.691367, 0.303900]]),
}


def seen_by(color: str, eye: str) -> np.ndarray[Any, Any]:
    """The colour in CIELAB as this eye sees it."""
    rgb = np.array([int(color[i:i + 2], 16) / 255 for i in (1, 3, 5)])
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    linear = np.clip(_BLIND[eye] @ linear, 0, 1)
    xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]) @ linear
    f = np.cbrt(xyz / np.array([0.9505, 1, 1.089]))
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def test_a_quarter_of_a_warp_has_one_colour() -> None:
    cells = with_data(access_picture(report(access(lambda lane: 4 * lane))).svg, "lanes")
    assert [cell.attrib["fill"] for cell in cells] == [QUARTERS[lane // 8] for lane in range(32)]


@pytest.mark.parametrize("eye", _BLIND)
def test_quarters_of_a_warp_are_told_apart(eye: str) -> None:
    for one, other in itertools.combinations([*QUARTERS, GREY, PAPER], 2):
        if {one, other} != {GREY, PAPER}:  # these two have a border between them
            assert np.linalg.norm(seen_by(one, eye) - seen_by(other, eye)) > 15, (one, other)


def test_numbers_stand_out_from_their_cells() -> None:
    """WCAG: 4.5 to 1 for text."""
    for svg in (PICTURES["copy"]().svg, PICTURES["broadcast"]().svg):
        fill = ""
        for element in ET.fromstring(svg).iter():
            if "data-lanes" in element.attrib:
                fill = element.attrib["fill"]
            elif element.tag == f"{SVG}text" and fill:
                assert contrast(element.attrib["fill"], fill) > 4.5
                fill = ""


def contrast(one: str, other: str) -> float:
    lights = []
    for color in (one, other):
        lightness = (seen_by(color, "none")[0] + 16) / 116
        lights.append(lightness ** 3)
    return float((max(lights) + 0.05) / (min(lights) + 0.05))


@pytest.mark.parametrize(("numbers", "words"), [
    ([3], "3"), ([3, 4], "3, 4"), ([0, 1, 2, 3], "0–3"), ([0, 16], "0, 16"), ([0, 2, 4, 6], "0, 2 … 6"),
    ([0, 1, 2, 8], "0–2, 8"), ([1000, 2000], "1,000, 2,000"),
])
def test_numbers_in_short(numbers: list[int], words: str) -> None:
    assert spans(numbers) == words


def draw_golden() -> None:
    GOLDEN.mkdir(exist_ok=True)
    for name, draw in PICTURES.items():
        draw().save(GOLDEN / f"{name}.svg")


if __name__ == "__main__":
    draw_golden()
