"""What a launch did, counted exactly: by source line, as a table and as JSON.

Requests, sectors and passes are the units of NVIDIA's profiler (``l1tex__t_requests…``, ``l1tex__t_sectors…``): a
request is one load or store of a warp, a sector 32 bytes of memory, a pass one turn of the 32 banks of shared memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

SCHEMA = 1
SECTOR = 32
BANKS = 32
_WORD = 4


@dataclass(frozen=True)
class LineCount:
    """Accesses of one kind in one source line.

    Attributes:
        op: ``load``, ``store`` or ``atomic``.
        space: ``global`` or ``shared``. A thread's own arrays are not counted: whether they are in registers, the
            compiler decides.
        size: bytes that each lane moves.
        requests: by warps.
        lanes: that took part, summed over the requests.
        sectors: of 32 bytes (global).
        passes, ideal_passes: over the banks, and without any conflict (shared).
    """

    line: int
    op: str
    space: str
    size: int
    requests: int
    lanes: int
    sectors: int
    passes: int
    ideal_passes: int

    @property
    def bytes(self) -> int:
        """Bytes that the lanes asked for."""
        return self.lanes * self.size

    @property
    def sectors_per_request(self) -> float:
        """4 is ideal for a warp of 4-byte lanes; 32 the worst."""
        return self.sectors / self.requests if self.requests else 0.0

    @property
    def conflicts(self) -> int:
        """Passes that a better layout would save."""
        return self.passes - self.ideal_passes


@dataclass(frozen=True)
class BranchCount:
    """Branches of one line: how many warps came by, how many of them split."""

    line: int
    warps: int
    divergent: int


@dataclass(frozen=True)
class Counters:
    """A whole launch. ``barriers`` counts each warp at each block-wide barrier; ``fused_multiply_adds`` and ``flops``
    each thread, and are None where they cannot be told: on a CPU that cannot fuse, and ``flops`` with a compiler that
    does several at once (clang)."""

    lines: tuple[LineCount, ...]
    branches: tuple[BranchCount, ...]
    threads: int
    warps: int
    blocks: int
    barriers: int
    fused_multiply_adds: int | None
    flops: int | None

    def total(self, what: str, op: str | None = None, space: str | None = None) -> int:
        """A field of :class:`LineCount`, summed over the lines of one kind."""
        return sum(getattr(row, what) for row in self.lines if op in (None, row.op) and space in (None, row.space))

    @property
    def global_load_requests(self) -> int:
        """``l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum``."""
        return self.total("requests", "load", "global")

    @property
    def global_load_sectors(self) -> int:
        """``l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum``."""
        return self.total("sectors", "load", "global")

    @property
    def global_store_requests(self) -> int:
        """``l1tex__t_requests_pipe_lsu_mem_global_op_st.sum``."""
        return self.total("requests", "store", "global")

    @property
    def global_store_sectors(self) -> int:
        """``l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum``."""
        return self.total("sectors", "store", "global")

    @property
    def atomic_requests(self) -> int:
        """Atomic operations of warps, on global and shared memory."""
        return self.total("requests", "atomic")

    @property
    def shared_load_requests(self) -> int:
        """Loads of warps from shared memory."""
        return self.total("requests", "load", "shared")

    @property
    def shared_load_passes(self) -> int:
        """Passes over the banks for loads."""
        return self.total("passes", "load", "shared")

    @property
    def shared_load_conflicts(self) -> int:
        """``l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum``."""
        return self.total("conflicts", "load", "shared")

    @property
    def shared_store_requests(self) -> int:
        """Stores of warps to shared memory."""
        return self.total("requests", "store", "shared")

    @property
    def shared_store_passes(self) -> int:
        """Passes over the banks for stores."""
        return self.total("passes", "store", "shared")

    @property
    def shared_store_conflicts(self) -> int:
        """``l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum``."""
        return self.total("conflicts", "store", "shared")

    @property
    def shared_conflicts(self) -> int:
        """``memory_l1_wavefronts_shared`` less ``memory_l1_wavefronts_shared_ideal``: loads and stores."""
        return self.shared_load_conflicts + self.shared_store_conflicts

    @property
    def divergent_branches(self) -> int:
        """How often a warp split."""
        return sum(branch.divergent for branch in self.branches)

    @property
    def sectors_per_request(self) -> float:
        """Of global loads and stores together."""
        requests = self.global_load_requests + self.global_store_requests
        return (self.global_load_sectors + self.global_store_sectors) / requests if requests else 0.0

    def table(self, source_text: str | None = None) -> str:
        """The counters by line, at most 120 columns; with ``source_text``, each line's text beside them."""
        text = source_text.splitlines() if source_text is not None else []
        rows = [
            f"{'line':>5} {'':6} {'memory':6} {'bytes':>5} {'requests':>11} {'lanes/req':>9} {'sectors':>11} "
            f"{'sect/req':>8} {'passes':>10} {'conflicts':>9}"
        ]
        for row in self.lines:
            code = f"  {text[row.line - 1].strip()[:28]}" if 0 < row.line <= len(text) else ""
            rows.append(
                f"{row.line:5} {row.op:6} {row.space:6} {row.size:5} {_number(row.requests, 11)} "
                f"{_ratio(row.lanes, row.requests, 9)} {_number(row.sectors, 11)} "
                f"{_ratio(row.sectors, row.requests, 8)} {_number(row.passes, 10)} "
                f"{_number(row.conflicts if row.passes else 0, 9, bool(row.passes))}{code}"
            )
        rows += [
            f"{branch.line:5} branch: {branch.divergent:,} of {branch.warps:,} warps split"
            for branch in self.branches
            if branch.divergent
        ]
        fused = f", {self.fused_multiply_adds:,} fused multiply-adds" if self.fused_multiply_adds is not None else ""
        rows.append(f"{self.threads:,} threads in {self.warps:,} warps of {self.blocks:,} blocks; "
                    f"{self.barriers:,} barriers passed by warps{fused}")
        return "\n".join(rows)

    def to_json(self) -> dict[str, Any]:
        """All fields, with the version of this form."""
        return {"schema": SCHEMA, **asdict(self)}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Counters:
        """The counters that :meth:`to_json` wrote.

        Raises:
            ValueError: another version of the form.
        """
        if data.get("schema") != SCHEMA:
            raise ValueError(f"counters of schema {data.get('schema')}, this version reads {SCHEMA}")
        rest = {key: value for key, value in data.items() if key not in ("schema", "lines", "branches")}
        return cls(lines=tuple(LineCount(**row) for row in data["lines"]),
                   branches=tuple(BranchCount(**row) for row in data["branches"]), **rest)


def _number(value: int, width: int, show: bool = False) -> str:
    return f"{value:{width},}" if value or show else " " * (width - 1) + "-"


def _ratio(above: int, below: int, width: int) -> str:
    return f"{above / below:{width}.2f}" if below and above else " " * (width - 1) + "-"


@dataclass(frozen=True)
class Access:
    """One request of a traced launch: ``lanes`` holds (lane, byte offset in the array) of each lane that took part."""

    block: int
    warp: int
    line: int
    op: str
    space: str
    array: str
    size: int
    lanes: tuple[tuple[int, int], ...]
    sectors: int
    passes: int


def sectors_of(addresses: Sequence[int], size: int) -> int:
    """Sectors of 32 bytes that ``size`` bytes at each address touch together."""
    return len({sector for a in addresses for sector in range(a // SECTOR, (a + size - 1) // SECTOR + 1)})


def passes_of(lanes: Sequence[tuple[int, int]], size: int, op: str = "load") -> tuple[int, int]:
    """(passes, passes without conflicts) over the banks for (lane, address) pairs.

    Accesses of 8 bytes are served in two groups of 16 lanes, of 16 bytes in four groups of 8. In one pass a bank gives
    one word, to any number of lanes. Loads need half as many groups where all lanes 1 apart, or all lanes 2 apart, read
    one address. NVIDIA does not publish these rules; they reproduce the counters of an H200 on 600 patterns
    (``benchmarks/results/gpu_truth.json``).
    """
    group_size = {8: 16, 16: 8}.get(size, 32)
    of = dict(lanes)
    if group_size < BANKS and op == "load" and any(
        all(of.get(lane ^ apart, address) == address for lane, address in lanes) for apart in (1, 2)
    ):
        group_size *= 2
    passes = ideal = 0
    for group in range(32 // group_size):
        words = {
            word
            for lane, a in lanes
            if lane // group_size == group
            for word in range(a // _WORD, (a + size - 1) // _WORD + 1)
        }
        if words:
            banks = [word % BANKS for word in words]
            passes += max(banks.count(bank) for bank in set(banks))
            ideal += 1
    return passes, ideal
