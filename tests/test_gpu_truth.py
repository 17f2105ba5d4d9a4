"""The readers of NVIDIA's tools, and the comparison: every planted difference must be caught."""

from __future__ import annotations

import copy
import json
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from benchmarks.gpu_truth import measure as measuring
from benchmarks.gpu_truth.compare import (
    DIFFERENT,
    EQUAL,
    EXPLAINED,
    MISSING,
    check_file,
    compare,
    compare_banks,
    compare_occupancy,
    markdown,
)
from benchmarks.gpu_truth.measure import Measurement, matched, profiler
from benchmarks.gpu_truth.parse import available_metrics, number, read_ncu_csv, read_sanitizer
from benchmarks.gpu_truth.reasons import COUNTERS, Reason, exactly
from solutions.errors import CourseError

LOADS = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"
SECTORS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
CONFLICTS = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"
FUSED = "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"

NCU = f'''==PROF== Connected to process 1234 (/usr/bin/python3.12)
==PROF== Profiling "matmul_naive" - 0: 0%....50%....100% - 4 passes
==PROF== Profiling "matmul_tiled" - 1: 0%....50%....100% - 4 passes
2 launches
==PROF== Disconnected from process 1234
"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC",\
"{LOADS}","{SECTORS}","{FUSED}","{CONFLICTS}"
"","","","","","","","","","","","request","sector","inst",""
"0","1234","python3.12","127.0.0.1","matmul_naive","1","7","(16, 16, 1)","(16, 6, 1)","0","9.0",\
"1,204,224","2,408,448","19,267,584","0"
"1","1234","python3.12","127.0.0.1","matmul_tiled(const float *, int)","1","7","(16, 16, 1)","(16, 6, 1)","0","9.0",\
"75,264","301,056","19267584.00","n/a"
'''


def test_ncu_table_with_units_separators_and_chatter() -> None:
    first, second = read_ncu_csv(NCU)
    assert (first.position, first.kernel, first.grid, first.block) == (0, "matmul_naive", (16, 6, 1), (16, 16, 1))
    assert first.metrics == {LOADS: 1_204_224, SECTORS: 2_408_448, FUSED: 19_267_584, CONFLICTS: 0}
    assert second.kernel == "matmul_tiled"
    assert second.metrics == {LOADS: 75_264, SECTORS: 301_056, FUSED: 19_267_584, CONFLICTS: None}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission\n", "ERR_NVGPUCTRPERM"),
        ("", "no table"),
        ("\n".join(NCU.splitlines()[:7]) + "\n", "no launch"),
        (NCU.replace(',"19267584.00","n/a"', ""), "cut short"),
        (NCU.replace("75,264", "75.264,5x"), "locale"),
    ],
)
def test_ncu_table_that_is_none(text: str, said: str) -> None:
    with pytest.raises(CourseError, match=said):
        read_ncu_csv(text)


def test_numbers() -> None:
    cells = ("1,234,567", "0", "2.50", "", "n/a", "12 (4; 8)")
    assert [number(cell) for cell in cells] == [1234567, 0, 2.5, None, None, 12]


def test_metrics_that_the_machine_lists() -> None:
    listing = """Device NVIDIA H200 (GH100)
-------------------------------------------------------------------------------- ----------- -------
Metric Name                                                                      Metric Type Metric Unit
-------------------------------------------------------------------------------- ----------- -------
l1tex__t_requests_pipe_lsu_mem_global_op_ld                                      Counter     request  # of requests
smsp__sass_thread_inst_executed_op_ffma_pred_on                                  Counter     inst     # of FFMA

"""
    assert available_metrics(listing, (SECTORS, FUSED, LOADS)) == (FUSED, LOADS)
    assert available_metrics("==ERROR== no device\n", (LOADS,)) == ()


SANITIZER = {
    "memcheck": """========= COMPUTE-SANITIZER
========= Invalid __global__ write of size 4 bytes
=========     at planted+0x90
=========     by thread (40,0,0) in block (0,0,0)
=========     Access at 0x7f2d3ba000a0 is out of bounds
========= Program hit unspecified launch failure (error 719) on CUDA API call to cuStreamSynchronize.
========= ERROR SUMMARY: 2 errors
""",
    "racecheck": """========= COMPUTE-SANITIZER
========= Error: Race reported between Write access at planted+0x70
=========     and Read access at planted+0xb0 [1024 hazards]
========= Warning: Race reported between Read access at planted+0x70
========= RACECHECK SUMMARY: 2 hazards displayed (1 error, 1 warning)
""",
}


def test_sanitizer_summaries() -> None:
    memory = read_sanitizer(SANITIZER["memcheck"])
    assert (memory.errors, memory.clean) == (2, False)
    assert memory.details[0] == "Invalid __global__ write of size 4 bytes"
    race = read_sanitizer(SANITIZER["racecheck"])
    assert (race.errors, race.warnings, race.clean) == (1, 1, False)
    assert read_sanitizer("90 launches\n========= ERROR SUMMARY: 0 errors\n").clean
    assert read_sanitizer("========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)\n").clean


def test_a_warning_or_a_lost_summary_is_not_clean() -> None:
    assert not read_sanitizer("========= RACECHECK SUMMARY: 1 hazard displayed (0 errors, 1 warning)\n").clean
    cut = read_sanitizer("========= COMPUTE-SANITIZER\n========= Error: process didn't terminate successfully\n")
    assert cut.errors is None
    assert not cut.clean
    assert cut.details == ("Error: process didn't terminate successfully",)


def launch(kernel: str, size: str = "m=96", **counts: int | None) -> dict[str, Any]:
    """One launch of the emulator's half with every counter, zero unless it is said."""
    return {
        "kernel": kernel, "size": size, "grid": [16, 6, 1], "block": [16, 16, 1], "shared": 0, "inputs": "abc",
        "counters": {**{counter.name: 0 for counter in COUNTERS}, "threads": 24576, **counts}, "faults": [],
    }


def on_machine(predicted: dict[str, Any], **counts: int | None) -> dict[str, Any]:
    """The machine's half of the same launch, with ``counts`` where the machine counted something else."""
    metrics: dict[str, int | None] = {}
    for counter in COUNTERS:
        metrics |= dict.fromkeys((name.lstrip("-") for name in counter.metrics), 0)
        metrics[counter.metrics[0]] = counts.get(counter.name, predicted["counters"][counter.name])
    return {**predicted, "counters": metrics, "repeatable": True, "unsteady": {}}


def halves(*pairs: tuple[dict[str, Any], dict[str, Any]]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Both files' contents, the machine's other steps without fault."""
    predicted = {"schema": 1, "half": "predict", "launches": [left for left, _ in pairs]}
    measured = {
        "schema": 1, "half": "measure", "launches": [right for _, right in pairs],
        "steps": [{"name": "ncu", "ok": True, "seconds": 1.0, "detail": ""}],
        "results": [{"kernel": "k", "size": "m=96", "array": "out", "passed": True, "detail": "1e-7"}],
        "sanitizer": [
            {"tool": "memcheck", "planted": planted, "errors": int(planted), "clean": not planted, "details": []}
            for planted in (False, True)
        ],
        "occupancy": [{"kernel": "k", "block_threads": 256, "active_blocks": 8}],
    }
    return predicted, measured


NAIVE = launch("naive", global_load_requests=1_204_224, global_load_sectors=2_408_448, fused_multiply_adds=19_267_584,
               atomic_requests=7)
TILED = launch("tiled", shared_load_requests=1_204_224, global_load_requests=75_264)
MERGED = exactly(("tiled",), ("shared_load_requests",), "shared_load_requests", "-3/8", "a row is read as float4")


def good() -> tuple[dict[str, Any], dict[str, Any]]:
    """Two launches: one equal everywhere, one with an explained difference."""
    return halves((NAIVE, on_machine(NAIVE)), (TILED, on_machine(TILED, shared_load_requests=752_640)))


def test_equal_and_explained_pass() -> None:
    table = compare(*good(), [MERGED])
    assert table.problems == []
    assert table.count(EQUAL) == 2 * len(COUNTERS) - 1
    row = next(row for row in table.rows if row.verdict == EXPLAINED)
    assert (row.kernel, row.counter, row.emulator, row.ncu) == ("tiled", "shared_load_requests", 1_204_224, 752_640)
    text = markdown(table)
    assert "| tiled | m=96 | shared_load_requests | 1,204,224 | 752,640 | explained (1) |" in text
    assert "(1) a row is read as float4" in text
    assert "| naive | m=96 | global_load_sectors | 2,408,448 | 2,408,448 | equal |" in text


@pytest.mark.parametrize("counter", [counter.name for counter in COUNTERS])
@pytest.mark.parametrize("off_by", [-1, 1])
def test_every_counter_off_by_one_is_caught(counter: str, off_by: int) -> None:
    predicted, measured = good()
    metrics = measured["launches"][0]["counters"]
    name = next(each for each in COUNTERS if each.name == counter).metrics[0]
    metrics[name] += off_by
    table = compare(predicted, measured, [MERGED])
    assert [row.counter for row in table.rows if row.verdict == DIFFERENT] == [counter]
    assert len(table.problems) == 1
    assert counter in table.problems[0]


@pytest.mark.parametrize("ncu", [752_639, 752_641, 1_204_223])
def test_a_reason_that_predicts_another_number_is_not_accepted(ncu: int) -> None:
    predicted, measured = halves((TILED, on_machine(TILED, shared_load_requests=ncu)))
    problems = compare(predicted, measured, [MERGED]).problems
    assert any("shared_load_requests: emulator 1,204,224" in problem for problem in problems)


@pytest.mark.parametrize(
    "reason",
    [
        exactly(("other",), ("shared_load_requests",), "shared_load_requests", "-3/8", "another kernel"),
        exactly(("tiled",), ("shared_store_requests",), "shared_load_requests", "-3/8", "another counter"),
        exactly(("tiled",), ("shared_load_requests",), "no_such_counter", "-3/8", "another base"),
    ],
)
def test_a_reason_for_something_else_is_not_accepted_and_is_stale(reason: Reason) -> None:
    predicted, measured = halves((TILED, on_machine(TILED, shared_load_requests=752_640)))
    problems = compare(predicted, measured, [reason]).problems
    assert any("emulator 1,204,224, ncu 752,640" in problem for problem in problems)
    assert any(problem.startswith("stale explanation") for problem in problems)


def test_a_reason_with_a_range_has_two_ends() -> None:
    divisions = Reason(("naive",), ("fused_multiply_adds",), "threads", Fraction(4), Fraction(8), "a division's steps")
    for extra, accepted in ((4 * 24576, True), (8 * 24576, True), (4 * 24576 - 1, False), (8 * 24576 + 1, False)):
        pair = halves((NAIVE, on_machine(NAIVE, fused_multiply_adds=19_267_584 + extra)))
        assert (compare(*pair, [divisions]).problems == []) == accepted


def test_an_explanation_of_what_is_equal_is_stale() -> None:
    table = compare(*halves((TILED, on_machine(TILED))), [MERGED])
    assert table.problems == ["stale explanation, fits no launch: tiled shared_load_requests: a row is read as float4"]


def broken(  # noqa: PLR0912  one branch for each thing that can be wrong
    what: str, predicted: dict[str, Any], measured: dict[str, Any]
) -> None:
    """Plant one thing that must not be."""
    first = measured["launches"][0]
    match what:
        case "no such launch":
            measured["launches"].pop()
        case "twice":
            predicted["launches"].append(copy.deepcopy(NAIVE))
        case "inputs differ":
            first["inputs"] = "abd"
        case "grid differ":
            first["grid"] = [6, 16, 1]
        case "changed between two runs":
            first |= {"repeatable": False, "unsteady": {LOADS: [0, 3]}}
        case "ncu -":
            first["counters"][CONFLICTS] = None
        case "emulator -":
            predicted["launches"][0]["counters"]["fused_multiply_adds"] = None
        case "shared-race":
            predicted["launches"][0]["faults"] = ["shared-race at line 7"]
        case "step ncu failed":
            measured["steps"][0] |= {"ok": False, "detail": "took over 260 s"}
        case "wrong by 1e-2":
            measured["results"][0] |= {"passed": False, "detail": "wrong by 1e-2"}
        case "Invalid __global__ read":
            measured["sanitizer"][0] |= {"clean": False, "errors": 1, "details": ["Invalid __global__ read of size 4"]}
        case "no summary":
            measured["sanitizer"][0] |= {"clean": False, "errors": None}
        case "missed the planted fault":
            measured["sanitizer"][1]["errors"] = 0


@pytest.mark.parametrize(
    "what",
    ["no such launch", "twice", "inputs differ", "grid differ", "changed between two runs", "ncu -", "emulator -",
     "shared-race", "step ncu failed", "wrong by 1e-2", "Invalid __global__ read", "no summary",
     "missed the planted fault"],
)
def test_whatever_else_is_wrong_is_one_problem(what: str) -> None:
    predicted, measured = copy.deepcopy(good())
    broken(what, predicted, measured)
    reasons = [] if what == "no such launch" else [MERGED]
    problems = compare(predicted, measured, reasons).problems
    assert len(problems) == 1
    assert what in problems[0]


def test_an_optional_metric_that_the_machine_lacks_is_shown_but_no_problem() -> None:
    pair = halves((NAIVE, on_machine(NAIVE, shared_load_passes=None)))
    table = compare(*pair, [])
    assert table.problems == []
    assert [row.counter for row in table.rows if row.verdict == MISSING] == ["shared_load_passes"]


def test_half_of_a_sum_is_not_the_sum() -> None:
    predicted, measured = halves((NAIVE, on_machine(NAIVE)))
    atomics = next(counter for counter in COUNTERS if counter.name == "atomic_requests")
    assert len(atomics.metrics) == 2
    measured["launches"][0]["counters"][atomics.metrics[0]] = None
    row = next(row for row in compare(predicted, measured, []).rows if row.counter == "atomic_requests")
    assert (row.ncu, row.verdict) == (None, MISSING)


def test_occupancy_rows() -> None:
    _, measured = good()
    table = compare(*good(), [MERGED])
    compare_occupancy(measured, lambda row: 8, table)
    assert table.problems == []
    compare_occupancy(measured, lambda row: 7, table)
    assert table.problems == ["occupancy of k with 256 threads a block: calculated 7 blocks, the driver says 8"]
    assert [row["calculated_blocks"] for row in table.to_json()["occupancy"]] == [8, 7]


@pytest.mark.parametrize(
    ("change", "said"),
    [({"schema": 0}, "layout"), ({"half": "measure"}, "predict"), ({"launches": [{"kernel": "k"}]}, "block, counters")],
)
def test_a_file_of_another_kind_is_refused(change: dict[str, Any], said: str) -> None:
    predicted, _ = good()
    check_file(predicted, "predict", "p.json")
    with pytest.raises(CourseError, match=said):
        check_file(predicted | change, "predict", "p.json")


def test_launches_meet_their_counters_in_order() -> None:
    listed = [
        {"kernel": kernel, "size": "m=96", "grid": [16, 6, 1], "block": [16, 16, 1]}
        for kernel in ("matmul_naive", "matmul_tiled")
    ]
    assert [row["counters"][LOADS] for row in matched(listed, read_ncu_csv(NCU))] == [1_204_224, 75_264]
    with pytest.raises(CourseError, match="launch 0 is matmul_tiled"):
        matched(listed[::-1], read_ncu_csv(NCU))
    with pytest.raises(CourseError, match="launched 1 kernels, ncu saw 2"):
        matched(listed[:1], read_ncu_csv(NCU))


def test_a_second_launch_with_other_counts_is_marked() -> None:
    again = NCU.replace("matmul_tiled(const float *, int)", "matmul_naive")
    listed = [{"kernel": "matmul_naive", "size": "m=96", "grid": [16, 6, 1], "block": [16, 16, 1]}] * 2
    (row,) = matched(listed, read_ncu_csv(again))
    assert not row["repeatable"]
    assert row["unsteady"][LOADS] == [1_204_224, 75_264]
    assert FUSED not in row["unsteady"]


def test_the_profiler_leaves_the_clocks_alone_and_watches_only_our_kernels() -> None:
    words = profiler((LOADS,), ("naive", "tiled"), Path("l.json"))
    assert words[words.index("--clock-control") + 1] == "none"
    assert words[words.index("--kernel-name") + 1] == "regex:^(naive|tiled)$"


def test_a_failing_step_is_recorded_and_the_rest_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measuring, "child", lambda *words: [sys.executable, "-c", "raise SystemExit(3)"])
    monkeypatch.setenv("PATH", str(tmp_path))  # no ncu, no compute-sanitizer
    record = measuring.measure(tmp_path / "out" / "m.json", ("naive",), {"schema": 1, "half": "measure"})
    names = [step["name"] for step in record["steps"]]
    assert names == ["card", "results", "occupancy", "ncu", "banks", "compute-sanitizer"]
    assert not any(step["ok"] for step in record["steps"])
    assert "status 3" in record["steps"][1]["detail"]
    assert "ncu is not on the PATH" in record["steps"][3]["detail"]
    assert json.loads((tmp_path / "out" / "m.json").read_text()) == record
    assert len(list((tmp_path / "out").iterdir())) <= 8


def test_a_command_that_takes_too_long_is_ended_with_its_children(tmp_path: Path) -> None:
    script = ("import subprocess, sys; print('begun', flush=True); "
              "subprocess.run([sys.executable, '-c', 'import time; time.sleep(60)'])")
    with pytest.raises(CourseError, match=r"took over 1 s; its last line: begun"):
        measuring.output([sys.executable, "-c", script], 1)


def test_no_step_gets_more_than_is_left(tmp_path: Path) -> None:
    work = Measurement(tmp_path / "m.json", (), {"steps": []})
    assert work.left(20) == 20
    work.started -= measuring.TOTAL_SECONDS - 12
    assert 11 < work.left(200) <= 12


def test_banks_are_held_against_the_model() -> None:
    row = {"name": "stride 2", "op": "load", "size": 4, "index": [2 * lane for lane in range(32)], "mask": 0xFFFFFFFF,
           "passes": 2, "conflicts": 1}
    table = compare(*good(), [MERGED])
    compare_banks({"banks": [row]}, table)
    assert table.problems == []
    compare_banks({"banks": [{**row, "passes": 3}]}, table)
    assert table.problems == ["banks, load of 4 bytes, stride 2: model 2 passes, 1 conflicts; ncu 3 and 1"]


def test_noise_of_a_hardware_counter_is_no_problem_but_has_to_be_explained() -> None:
    _, measured = good()
    measured["launches"][0] |= {"repeatable": False, "unsteady": {CONFLICTS: [0, 3]}}
    predicted, _ = good()
    assert compare(predicted, measured, [MERGED]).problems == []
