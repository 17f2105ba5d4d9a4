"""Kernels without barriers, sixteen threads at a time.

A compiler vectorises a loop over threads only where a thread has no loop of its own. Here such a kernel is rewritten: a
variable that differs between the threads of a strip becomes an array of ``LANES`` values, a statement becomes a loop
over the lanes, and a loop that all threads walk alike stays outside of it. Where lanes would part ways on such a path,
the strip is run again, thread by thread, from its start; so that is done only where nothing has been stored yet.

Whatever is not understood leaves the kernel as it is. The parser is tree-sitter's; without it nothing is rewritten.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kernels.emulator.syntax import (
    DEFINE,
    WORDS,
    UnknownError,
    bare,
    children_of,
    declared_name,
    field_of,
    function_name,
    nodes,
    number_macros,
    stars,
    stores,
    text_of,
    top_level,
    written_to,
)

if TYPE_CHECKING:
    from tree_sitter import Node

LANES = 16
_CALLS = {"min", "max", *(word for word in WORDS if word.startswith("__") or (word[-1] == "f" and word != "if"))}
_POSITIONS = {"threadIdx": None, "blockIdx": "emu_b", "blockDim": "emu_d", "gridDim": "emu_g"}
_THREAD = {"x": "(emu_x0 + (unsigned)emu_l)", "y": "emu_y", "z": "emu_z"}
_INSIDE = frozenset((
    "binary_expression", "unary_expression", "update_expression", "assignment_expression", "conditional_expression",
    "parenthesized_expression", "cast_expression", "subscript_expression", "subscript_argument_list",
    "pointer_expression", "comma_expression", "call_expression", "argument_list", "condition_clause", "else_clause",
    "expression_statement", "declaration", "init_declarator", "pointer_declarator", "abstract_pointer_declarator",
    "type_descriptor", "type_qualifier", "primitive_type", "sized_type_specifier", "compound_statement",
    "if_statement", "for_statement", "while_statement", "break_statement", "continue_statement", "number_literal",
    "true", "false",
))
_DECLARED = ("type_qualifier", "primitive_type", "sized_type_specifier", "init_declarator", "identifier",
             "pointer_declarator")
_MEMORY = ("subscript_expression", "pointer_expression")
_QUALIFIED = ("const", "__restrict__", "__restrict")
_LOOPS = ("for_statement", "while_statement")
_QUALIFIERS = re.compile(r"\b(__global__|__device__|__forceinline__|__launch_bounds__\s*\([^()]*\))")


def lanes(text: str, kernels: tuple[str, ...], source_name: str) -> str:
    """C++ to put behind a kernel file: a specialisation of ``EmuLanes`` for each kernel that gains by it.

    Args:
        text: CUDA C++.
        kernels: names in the order of the table.
        source_name: the file that debug lines of the generated code name.

    Returns:
        The C++; empty where nothing is rewritten.
    """
    try:
        return _lanes(text, kernels, source_name)
    except RecursionError:  # nested deeper than any kernel that a person writes
        return ""


def _lanes(text: str, kernels: tuple[str, ...], source_name: str) -> str:
    try:
        import tree_sitter
        import tree_sitter_cpp
    except ImportError:
        return ""
    macros = number_macros(text)
    if macros is None or "emu_" in text:
        return ""
    blanked = _QUALIFIERS.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    root = tree_sitter.Parser(tree_sitter.Language(tree_sitter_cpp.language())).parse(blanked.encode()).root_node
    functions = [node for node in top_level(root) if node.type == "function_definition"]
    names = [function_name(node) for node in functions]
    declarators = [node for node in nodes(root) if node.type == "function_declarator"]
    if any(text_of(node).split("(")[0].strip() in WORDS for node in declarators):
        return ""
    parts = []
    for node, name in zip(functions, names, strict=True):
        later = DEFINE.search(blanked.encode()[node.start_byte:].decode())  # would mean something else behind the text
        if name in kernels and names.count(name) == 1 and not later:
            try:
                parts.append(_Rewriter(macros, source_name).kernel(node, name))
            except UnknownError:
                continue
    return "\n".join(parts)


@dataclass
class _Rewriter:
    macros: frozenset[str]
    source_name: str
    scopes: list[dict[str, bool]] = field(default_factory=list)
    """For each name whether it has a value for each lane."""
    assigned: set[str] = field(default_factory=set)
    integers: set[str] = field(default_factory=set)
    """Names that are int or unsigned wherever they are declared."""
    others: set[str] = field(default_factory=set)
    once: set[str] = field(default_factory=set)
    twice: set[str] = field(default_factory=set)
    linear: set[str] = field(default_factory=set)
    """Variables that grow by one from lane to lane (modulo 2^32)."""
    runs: list[tuple[str, str]] | None = None
    """While a statement is written: (index, its name) of what lanes read or write side by side."""
    stored: bool = False
    loops: int = 0

    def kernel(self, node: Node, name: str) -> str:
        declarator, body = field_of(node, "declarator"), field_of(node, "body")
        parameters = field_of(declarator, "parameters")
        if node.has_error or any(inner.type.startswith("preproc") for inner in nodes(node)):
            raise UnknownError("text")
        if any(inner.type == "type_qualifier" and text_of(inner) not in _QUALIFIED for inner in nodes(node)):
            raise UnknownError("qualifier")
        for parameter in children_of(parameters):
            if parameter.type != "parameter_declaration":
                raise UnknownError(parameter.type)
        self._collect(body, frozenset())
        own = {declared_name(field_of(parameter, "declarator")) for parameter in children_of(parameters)}
        if own & self.assigned:
            raise UnknownError("a parameter changes")
        for one in nodes(node):
            if one.type in ("declaration", "parameter_declaration"):
                whole = text_of(field_of(one, "type")) in ("int", "unsigned",
                    "unsigned int") and "*" not in text_of(one)
                names = {declared_name(part) for part in one.children_by_field_name("declarator")}
                (self.integers if whole else self.others).update(names)
                self.twice |= names & self.once
                self.once |= names
        self.scopes.append(dict.fromkeys(own, False))
        code = self.statement(body)
        if not self.loops:
            raise UnknownError("nothing to gain")
        listed = ", ".join(text_of(parameter) for parameter in children_of(parameters))
        return (f"template <> struct EmuLanes<&{name}> {{\nstatic constexpr bool exists = true;\n"
                f"static bool strip({listed}, unsigned emu_x0, unsigned emu_y, unsigned emu_z) {{\n"
                "const uint3 emu_b = blockIdx, emu_d = blockDim, emu_g = gridDim;\n"
                f"{code}\nreturn true;\n}}\n}};\n")

    def _collect(self, node: Node, spared: frozenset[str]) -> None:
        """Names that change after their declaration, but for a loop's own counter in the loop's head."""
        target = written_to(node)
        if target is not None:
            if target.type not in ("identifier", "subscript_expression", "pointer_expression"):
                raise UnknownError(target.type)
            if target.type == "identifier" and text_of(target) not in spared:
                self.assigned.add(text_of(target))
        start = node.child_by_field_name("initializer") if node.type == "for_statement" else None
        update = node.child_by_field_name("update") if start is not None and start.type == "declaration" else None
        for child in node.children:
            if update is not None and start is not None and child == update:
                own = {declared_name(one) for one in start.children_by_field_name("declarator")}
                self._collect(child, frozenset(own))
            else:
                self._collect(child, frozenset())

    def varies(self, node: Node) -> bool:
        """Whether an expression's value may differ between lanes. What lies in memory may."""
        for inner in nodes(node):
            if inner.type in _MEMORY or written_to(inner) is not None:
                return True
            if inner.type == "field_expression" and re.sub(r"\s", "", text_of(inner)) == "threadIdx.x":
                return True
            if inner.type == "identifier" and self._kind(text_of(inner)):
                return True
        return False

    def _kind(self, name: str) -> bool:
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        if name in self.macros or name in _POSITIONS or name in _CALLS or name == "warpSize":
            return False
        raise UnknownError(name)

    # ---- statements that all lanes reach together ----
    def statement(self, node: Node) -> str:
        match node.type:
            case "compound_statement":
                self.scopes.append({})
                code = "\n".join(self.statement(child) for child in children_of(node))
                self.scopes.pop()
                return f"{{\n{code}\n}}"
            case "declaration":
                return self._declaration(node)
            case "return_statement" if not children_of(node):
                return "return true;"
            case "if_statement" if self._has_path(node):
                return self._if(node)
            case "for_statement" if self._is_uniform_loop(node):
                return self._loop(node)
        code = self._side_by_side(node, node, "") if node.type == "expression_statement" else self._each(
            node, self.inside(node))
        self.stored = self.stored or stores(node)
        return code

    def _side_by_side(self, line: Node, node: Node, before: str) -> str:
        """A statement in two versions. An index that grows by one from lane to lane could still wrap around between
        two of them; a compiler that cannot rule that out reads lane by lane. So that is compared, at the two ends."""
        end = "" if node.type == "expression_statement" else ";"
        plain = self._each(line, before + self.inside(node) + end)
        self.runs = []
        code = self._each(line, before + self.inside(node) + end)
        runs, self.runs = self.runs, None
        if not runs:
            return plain
        ends = [(name, *(re.sub(r"\bemu_l\b", str(lane), index) for lane in (0, LANES - 1))) for index, name in runs]
        firsts = "\n".join(f"const long long {name} = (long long)({first});" for name, first, _ in ends)
        test = " && ".join(f"(long long)({last}) - {name} == {LANES - 1}" for name, _, last in ends)
        return f"{{\n{firsts}\nif ({test}) {{\n{code}\n}} else {{\n{plain}\n}}\n}}"

    def _grows(self, node: Node) -> int | None:
        """By how much an int or unsigned expression grows from lane to lane, modulo 2^32; None: that is not known."""
        node = bare(node)
        grows: int | None = None
        if node.type == "field_expression":
            grows = int(re.sub(r"\s", "", text_of(node)) == "threadIdx.x")
        elif node.type == "number_literal":
            grows = 0 if re.fullmatch(r"\d+[uU]?", text_of(node)) else None
        elif node.type == "identifier" and (name := text_of(node)) in self.integers - self.others:
            grows = 0 if not self._kind(name) else 1 if name in self.linear else None
        elif node.type == "binary_expression":
            left, right = self._grows(field_of(node, "left")), self._grows(field_of(node, "right"))
            operator = text_of(field_of(node, "operator"))
            if left is None or right is None:
                grows = None
            elif operator == "+" and not (left and right):  # one term that grows: the two ends tell of all between
                grows = left + right
            elif (operator == "-" and not right) or (operator == "*" and not left and not right):
                grows = left
        return grows

    def _each(self, node: Node, code: str) -> str:
        line = f'#line {node.start_point[0] + 1} "{self.source_name}"'
        # gcc would unroll the loop before it comes to vectorise it
        head = f"#pragma GCC ivdep\n#pragma GCC unroll 1\n{line}\nfor (int emu_l = 0; emu_l < {LANES}; ++emu_l)"
        return f"{head} {{ {code}\n}}"

    def _declaration(self, node: Node) -> str:
        kind, parts = text_of(field_of(node, "type")), []
        if any(child.type not in _DECLARED for child in children_of(node)):
            raise UnknownError("declaration")
        const = any(child.type == "type_qualifier" for child in node.children)
        for one in node.children_by_field_name("declarator"):
            pointer = any(inner.type == "pointer_declarator" for inner in nodes(one))
            name, value = declared_name(one), one.child_by_field_name("value")
            if value is not None and value.type in ("initializer_list", "argument_list"):
                raise UnknownError(value.type)
            varies = value is None or name in self.assigned or self.varies(value)
            code = self.inside(value) if value is not None else ""
            self.scopes[-1][name] = varies
            typed = f"{'const ' if const and (pointer or not varies) else ''}{kind}{stars(one)} {name}"
            parts.append(f"{typed}[{LANES}];" if varies else f"{typed} = {code};")
            if varies and value is not None:
                if name in self.integers - self.others - self.assigned - self.twice and self._grows(value) == 1:
                    self.linear.add(name)
                parts.append(self._side_by_side(one, value, f"{name}[emu_l] = "))
        return "\n".join(parts)

    def _has_path(self, node: Node) -> bool:
        return any(inner.type in ("return_statement", "for_statement") for inner in nodes(node))

    def _if(self, node: Node) -> str:
        condition, then = field_of(node, "condition"), field_of(node, "consequence")
        other = node.child_by_field_name("alternative")
        if condition.type != "condition_clause" or [c.type
            for c in children_of(condition)][1:] or "constexpr" in text_of(node)[:20]:
            raise UnknownError("if")
        if any(inner.type == "declaration" for inner in nodes(condition)):
            raise UnknownError("declaration")
        code, varies = self.inside(condition), self.varies(condition)
        if varies and (self.stored or stores(condition)):
            raise UnknownError("lanes may part after a store")
        before = self.stored
        yes = self.statement(then)
        after, self.stored = self.stored, before
        no = self.statement(children_of(other)[0]) if other is not None else ""
        self.stored = self.stored or after
        if not varies:
            return f"if {code} {{\n{yes}\n}} else {{\n{no}\n}}"
        vote = self._each(condition, f"emu_votes += {code} ? 1 : 0;")
        return (f"{{\nint emu_votes = 0;\n{vote}\nif (emu_votes == {LANES}) {{\n{yes}\n}}\n"
                f"else if (emu_votes == 0) {{\n{no}\n}} else return false;\n}}")

    def _is_uniform_loop(self, node: Node) -> bool:
        start, update = node.child_by_field_name("initializer"), node.child_by_field_name("update")
        condition = node.child_by_field_name("condition")
        if start is None or update is None or condition is None or start.type != "declaration":
            return False
        declared = start.children_by_field_name("declarator")
        if len(declared) != 1 or (value := declared[0].child_by_field_name("value")) is None:
            return False
        name, target = declared_name(declared[0]), written_to(update)
        if target is None or target.type != "identifier" or text_of(target) != name or name in self.assigned:
            return False
        step = update.child_by_field_name("right")
        self.scopes.append({name: False})
        plain = not any(self.varies(part) for part in (value, condition, *([step] if step is not None else [])))
        self.scopes.pop()
        return plain

    def _loop(self, node: Node) -> str:
        start, body = field_of(node, "initializer"), field_of(node, "body")
        self.stored = self.stored or stores(body)
        self.loops += 1
        self.scopes.append({})
        head = self._declaration(start)
        condition, update = self.inside(field_of(node, "condition")), self.inside(field_of(node, "update"))
        code = self.statement(body)
        self.scopes.pop()
        return f"for ({head} {condition}; {update}) {{\n{code}\n}}"

    # ---- what one lane does by itself ----
    def inside(self, node: Node, loop: bool = False) -> str:
        """The text of a node within a loop over lanes."""
        if node.type == "comment":
            return " "
        if node.type == "identifier":
            name = text_of(node)
            return f"{name}[emu_l]" if self._kind(name) else name
        if node.type == "field_expression":
            return self._position(node)
        self._check_inside(node, loop)
        if self.runs is not None and node.type == "subscript_expression":
            array, index = bare(field_of(node, "argument")), children_of(field_of(node, "indices"))[0]
            if array.type == "identifier" and not self._kind(text_of(array)) and self._grows(index) == 1:
                runs, self.runs = self.runs, None
                written, self.runs = self.inside(index), runs
                names = dict(runs)
                if written not in names:
                    runs.append((written, f"emu_i{len(runs)}"))
                return f"{text_of(array)}[{dict(runs)[written]} + emu_l]"
        scope = node.type in ("compound_statement", *_LOOPS, "if_statement")
        if scope:
            self.scopes.append({})
        if node.type == "declaration":
            for one in node.children_by_field_name("declarator"):
                self.scopes[-1][declared_name(one)] = False
        code, at = "", node.start_byte
        source = node.text or b""
        for child in node.children:
            code += source[at - node.start_byte:child.start_byte - node.start_byte].decode()
            code += self.inside(child, loop or node.type in _LOOPS)
            at = child.end_byte
        code += source[at - node.start_byte:].decode()
        if scope:
            self.scopes.pop()
        return code

    def _check_inside(self, node: Node, loop: bool) -> None:
        if node.is_named and node.type not in _INSIDE:
            raise UnknownError(node.type)
        if node.type in ("break_statement", "continue_statement") and not loop:
            raise UnknownError(node.type)
        if node.type == "pointer_expression" and text_of(node).startswith("&"):
            raise UnknownError("&")
        if node.type == "call_expression" and text_of(field_of(node, "function")) not in _CALLS:
            raise UnknownError("call")

    def _position(self, node: Node) -> str:
        base, _, part = re.sub(r"\s", "", text_of(node)).partition(".")
        if base not in _POSITIONS or part not in _THREAD:
            raise UnknownError("field")
        name = _POSITIONS[base]
        return _THREAD[part] if name is None else f"{name}.{part}"
