"""Between compiler and assembler: number the sites of a kernel file and tell the runtime what they are.

The compiler's assembly already holds what a debugger would need: ``.loc`` names the source line of every instruction,
and each hook is a call. This pass puts the site's number into a register in front of the call, a label behind it, and
lays down a table from labels to lines: no debug information has to be read when something goes wrong. It also counts
fused multiply-adds in each basic block, puts a gap behind every ``__shared__`` array, and gives dynamic shared arrays
their memory.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

SOURCE_NAME = "kernel.cu"
"""The name under which a kernel's text is compiled; ``.file`` and error messages carry it."""
DYNAMIC_BYTES = 228 * 1024
"""Room for dynamic shared memory: what a Hopper multiprocessor has, the most of any card."""
MAX_SITES = 60_000
"""Sites are logged in 16 bits."""

READ, WRITE, ATOMIC, BASIC_BLOCK, CODE = range(5)

_CALL = re.compile(r"^\s+(?:call|callq|bl)\s+\*?([\w.$]+)")
_HOOK = re.compile(r"^__tsan_(?:unaligned_)?(?:volatile_)?(read_write|read|write)(\d+|_range)$")
_LOC = re.compile(r"^\s+\.loc\s+(\d+)\s+(\d+)")
_FILE = re.compile(r'^\s+\.file\s+(\d+)\s+(?:"[^"]*"\s+)?"([^"]*)"')
_LABEL = re.compile(r"^([\w.$]+):")
_SECTION = re.compile(r"^\s+\.(?:section\s+([\w.]+)|(text|data|bss)\b)")
_DATA = re.compile(r"^\s+\.(zero|skip|byte|short|long|quad|[248]byte|word|hword|xword)\s+(\S.*)$")
_WIDTH = {"byte": 1, "short": 2, "2byte": 2, "hword": 2, "long": 4, "4byte": 4, "quad": 8, "8byte": 8, "xword": 8}
_TLS_USE = re.compile(r"([A-Za-z_$][\w$]*)@(?:tlsgd|tlsld|dtpoff|gottpoff|tpoff|tlsdesc|tlscall)", re.IGNORECASE)
_TLS_USE_ARM = re.compile(r":(?:tlsdesc|tlsdesc_lo12|gottprel|gottprel_lo12|dtprel\w*|tprel\w*):([A-Za-z_$][\w$]*)")
_FUSED = re.compile(r"^\s+(?:vfn?m(?:add|sub)\w*s[sd]|fn?m(?:add|sub))\s")
_FLOP = re.compile(r"^\s+(?:v?(?:add|sub|mul|div|sqrt)s[sd]|f(?:add|sub|mul|div|sqrt))\s")
_BRANCH = re.compile(r"^\s+(?:j(?!mp)[a-z]+|b\.\w+|cbn?z|tbn?z)\s")
_SIZE = re.compile(r"^\s+\.size\s+([\w.$]+)\s*,\s*(\d+)")
_COMMON = re.compile(r"^\s+\.comm\s+([\w.$]+)\s*,\s*(\d+)\s*,\s*(\d+)")
_NAMESPACE_NAME = re.compile(r"^_ZL?(\d+)(\w+)$")
VARIABLE_SECTIONS = (".data", ".bss", "emu_constant")
VARIABLE_GAP = 256
"""Bytes of nothing in front of each ``__device__`` and ``__constant__`` variable, so that an overrun is seen."""
_LOCAL_NAME = re.compile(r"^_ZZ.*?E(\d+)(\w+?)(?:_\d+)?$")

_X86 = {
    "access": "\tmovl\t${}, %esi",
    "range": "\tmovl\t${}, %edx",
    "block": "\tmovl\t${}, %edi",
    "copy": "\tmovl\t${}, %ecx",
}
_ARM = {"access": "\tmov\tw1, #{}", "range": "\tmov\tw2, #{}", "block": "\tmov\tw0, #{}", "copy": "\tmov\tw3, #{}"}
_SYNC = {"emu_syncthreads_fast", "emu_syncthreads_checked", "emu_syncthreads_count", "emu_syncthreads_and",
         "emu_syncthreads_or", "emu_syncwarp", "emu_ballot", "emu_shuffle", "emu_match_any"}


@dataclass
class Site:
    """A record of the runtime's table: what the label ``.Lemu_N`` stands behind."""

    label: int
    line: int
    kind: int
    size: int = 0
    branch_line: int = 0
    fused: int = 0
    flops: int = 0


@dataclass
class SharedArray:
    """A ``__shared__`` array; ``size`` 0 is dynamic."""

    symbol: str
    name: str
    function: str
    size: int


@dataclass
class Variable:
    """A ``__device__`` or ``__constant__`` variable."""

    symbol: str
    name: str
    size: int
    constant: bool


@dataclass
class Annotated:
    """The assembly to assemble, and what Python must know of it."""

    text: str
    sites: list[Site]
    shared: list[SharedArray]
    variables: list[Variable] = field(default_factory=list)
    waits: list[bool] = field(default_factory=list)
    """For each kernel of the table, in order: can it reach a barrier or a warp operation?"""


def annotate(assembly: str, *, checked: bool, machine: str) -> Annotated:
    """Annotate the assembly of one kernel file.

    Args:
        assembly: what ``g++ -S -g1`` or ``clang++ -S -g1`` wrote.
        checked: number the hooks and put gaps behind shared arrays; otherwise only lines are noted.
        machine: ``x86_64`` or ``aarch64``.

    Raises:
        ValueError: more than MAX_SITES sites.
    """
    work = _Pass(checked, _ARM if machine == "aarch64" else _X86)
    for line in assembly.splitlines():
        work.take(line)
    if len(work.sites) > MAX_SITES:
        raise ValueError(
            f"the text has {len(work.sites)} places that touch memory; the emulator can number {MAX_SITES}"
        )
    work.add_dynamic_arrays()
    work.add_tables(machine)
    text = "\n".join(work.out) + "\n"
    return Annotated(text, work.sites, work.shared, work.variables(), work.kernels_that_wait())


def _short(symbol: str) -> str:
    """The name as the text has it."""
    match = _LOCAL_NAME.match(symbol) or _NAMESPACE_NAME.match(symbol)
    return match[2][: int(match[1])] if match else symbol.split(".")[0]


class _Pass:
    def __init__(self, checked: bool, numbers: dict[str, str]) -> None:
        self.checked, self.numbers = checked, numbers
        self.out: list[str] = []
        self.sites: list[Site] = []
        self.shared: list[SharedArray] = []
        self.files: dict[str, str] = {}
        self.line, self.section, self.function = 0, ".text", ""
        self.block: Site | None = None
        self.labels = 0
        self.defined: set[str] = set()
        self.used: dict[str, None] = {}
        self.calls: dict[str, set[str]] = {}
        self.table: list[str] = []
        self.places: dict[str, str] = {}
        self.sizes: dict[str, int] = {}

    def take(self, line: str) -> None:
        """Copy one line, with what belongs around it."""
        for pattern in (_TLS_USE, _TLS_USE_ARM):
            for name in pattern.findall(line):
                self.used.setdefault(name)
        if match := _SECTION.match(line):
            self._end_shared()
            self.section = match[1] or "." + match[2]
        elif match := _LABEL.match(line):
            self._label(match[1])
        elif match := _SIZE.match(line):
            self.sizes[match[1]] = int(match[2])
        elif match := _COMMON.match(line):
            self._common(match[1], int(match[2]), int(match[3]))
            return
        elif match := _FILE.match(line):
            self.files[match[1]] = match[2]
        elif match := _LOC.match(line):
            self._location(match[1], int(match[2]), line)
            return
        elif match := _CALL.match(line):
            self._call(match[1], line)
            return
        elif self.section == ".tbss" and (match := _DATA.match(line)):
            self._shared_bytes(match[1], match[2])
        elif self.function == "emu_kernels" and line.lstrip().startswith((".quad", ".xword")):
            self.table.append(line.split()[1])
        elif self.block is not None:
            self._instruction(line)
        self.out.append(line)

    def _label(self, name: str) -> None:
        if name.startswith("."):
            return
        self._end_shared()
        self.defined.add(name)
        if self.checked and self.section in VARIABLE_SECTIONS and not name.startswith(("emu_", "_ZGV")):
            self.places[name] = self.section
            self.out.append(f"\t.zero\t{VARIABLE_GAP}")
        self.function, self.block, self.line = name, None, 0
        if self.section == ".tbss":
            self.shared.append(SharedArray(name, _short(name), name, 0))

    def _common(self, name: str, size: int, alignment: int) -> None:
        """A variable of zeros that the compiler leaves to the linker: defined here, with its gap."""
        self.out += ["\t.bss", f"\t.balign\t{max(alignment, 16)}"]
        section, self.section, self.sizes[name] = self.section, ".bss", size
        self._label(name)
        self.out += [f"{name}:", f"\t.zero\t{size}", "\t.text" if section == ".text" else f"\t.section\t{section}"]
        self.section = section

    def variables(self) -> list[Variable]:
        """All that lie in sections of variables and have a size."""
        return [
            Variable(symbol, _short(symbol), self.sizes[symbol], section == "emu_constant")
            for symbol, section in self.places.items()
            if self.sizes.get(symbol)
        ]

    def _location(self, file: str, number: int, line: str) -> None:
        self.out.append(line)
        if self.files.get(file, "").rsplit("/", 1)[-1] != SOURCE_NAME:
            return
        self.line = number
        if not self.checked:
            self._site(CODE)

    def _call(self, callee: str, line: str) -> None:
        name = callee.split("@")[0]
        self.calls.setdefault(self.function, set()).add(name)
        hook = _HOOK.match(name)
        if self.checked and name == "__sanitizer_cov_trace_pc":
            self._numbered("block", line, [(BASIC_BLOCK, 0)])
            self.block = self.sites[-1]
        elif self.checked and hook:
            kinds = {"read": [READ], "write": [WRITE], "read_write": [READ, WRITE]}[hook[1]]
            if hook[2] == "_range":  # a site for each word of the struct
                self._numbered("range", line, [(kinds[0], 4)] * 16)
            else:
                self._numbered("access", line, [(kind, int(hook[2])) for kind in kinds])
        elif self.checked and name in ("memcpy", "memmove", "memset"):
            words = [(READ, 4)] * 16 if name != "memset" else []
            hooked = line.replace(name, "emu_memset" if name == "memset" else "emu_memcpy")
            self._numbered("copy", hooked, words + [(WRITE, 4)] * 16)
        else:
            self.out.append(line)
            self._site(ATOMIC if re.match(r"_Z\d+atomic", name) else CODE)

    def _numbered(self, register: str, call: str, kinds: list[tuple[int, int]]) -> None:
        first = len(self.sites)
        self.out += [self.numbers[register].format(first), call]
        for kind, size in kinds:
            self._site(kind, size)

    def _site(self, kind: int, size: int = 0) -> None:
        self.out.append(f".Lemu_{self.labels}:")
        self.sites.append(Site(self.labels, self.line, kind, size))
        self.labels += 1

    def _instruction(self, line: str) -> None:
        assert self.block is not None
        if _FUSED.match(line):
            self.block.fused += 1
        elif _FLOP.match(line):
            self.block.flops += 1
        elif _BRANCH.match(line) and not self.block.branch_line:
            self.block.branch_line = self.line

    def _shared_bytes(self, directive: str, operands: str) -> None:
        values = operands.split(",")
        size = int(values[0]) if directive in ("zero", "skip") else _WIDTH[directive] * len(values)
        if self.shared:
            self.shared[-1].size += size

    def _end_shared(self) -> None:
        """Behind a shared array a gap of its own size: an overrun of up to as much is seen, nothing else lies there."""
        if self.checked and self.section == ".tbss" and self.shared:
            self.out.append(f"\t.zero\t{-(-max(self.shared[-1].size, 256) // 128) * 128}")

    def add_dynamic_arrays(self) -> None:
        """``extern __shared__`` arrays are used and nowhere defined: all of them begin at one address, as in CUDA."""
        self._end_shared()
        dynamic = [name for name in self.used if name not in self.defined and not name.startswith("emu_")]
        if not dynamic:
            return
        self.out += ['\t.section\t.tbss,"awT",@nobits', "\t.balign\t128"]
        for name in dynamic:
            self.out += [f"\t.globl\t{name}", f"\t.hidden\t{name}", f"\t.type\t{name},@object",
                         f"\t.size\t{name},{DYNAMIC_BYTES}", f"{name}:"]
            self.shared.append(SharedArray(name, name, "", 0))
        self.out.append(f"\t.zero\t{DYNAMIC_BYTES + 4096}")

    def add_tables(self, machine: str) -> None:
        """``emu_sites`` and ``emu_shared_arrays``, as emulator.h declares them; the anchor is shared array 0."""
        self.shared.sort(key=lambda array: array.symbol != "emu_shared_anchor")
        offset = ".xword\t%dtprel({})" if machine == "aarch64" else ".quad\t{}@dtpoff"
        out = ['\t.section\temu_tables,"aw"', "\t.balign\t8"]
        for name in ("emu_sites", "emu_site_count", "emu_shared_arrays", "emu_shared_count"):
            out.append(f"\t.globl\t{name}")
        out.append("emu_sites:")
        for site in self.sites:
            out.append(f"\t.quad\t.Lemu_{site.label} - .\n\t.long\t{site.line}, {site.branch_line}\n"
                       f"\t.short\t{site.kind}, {site.size}\n\t.long\t{site.fused}, {site.flops}, 0")
        out += ["\t.quad\t0, 0, 0, 0", "emu_shared_arrays:"]
        for array in self.shared:
            out.append(f"\t{offset.format(array.symbol)}\n\t.quad\t{array.size}")
        out += [
            "\t.quad\t0, 0",
            f"emu_site_count:\n\t.long\t{len(self.sites)}",
            f"emu_shared_count:\n\t.long\t{len(self.shared)}",
        ]
        self.out += [*out, *self._variable_table(".xword" if machine == "aarch64" else ".quad")]

    def _variable_table(self, word: str) -> list[str]:
        found = self.variables()
        rows = [f"\t{word}\t{variable.symbol}, {variable.size}, {int(variable.constant)}" for variable in found]
        return [
            "\t.globl\temu_variables",
            "\t.globl\temu_variable_count",
            "emu_variables:",
            *rows,
            f"\t{word}\t0, 0, 0",
            f"emu_variable_count:\n\t.long\t{len(found)}",
        ]

    def kernels_that_wait(self) -> list[bool]:
        """Follow the calls from each entry of the kernel table."""
        entries = [symbol for symbol in self.table if "EmuEntry" in symbol and "parameters" not in symbol]
        result = []
        for entry in entries:
            seen, todo = set(), [entry]
            while todo:
                function = todo.pop()
                if function not in seen:
                    seen.add(function)
                    todo += self.calls.get(function, ())
            result.append(bool(seen & _SYNC))
        return result
