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

if TYPE_CHECKING:
    from tree_sitter import Node

LANES = 16
_WORDS = frozenset(["bool", "const", "else", "false", "float", "for", "if", "int", "return", "static", "struct", "template", "true", "unsigned", "void", "uint3", "threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize", "min", "max", "ceilf", "cosf", "expf", "fabsf", "floorf", "fmaf", "fmaxf", "fminf", "logf", "log2f", "powf", "rsqrtf", "sinf", "sqrtf", "tanhf", "__expf", "__logf", "__fdividef", "__float_as_int", "__float_as_uint", "__int_as_float", "__uint_as_float"])
"""What a macro or a function of the text must not redefine."""
_CALLS = frozenset(word for word in _WORDS if word.startswith("__") or (word[-1] == "f" and word != "if")) | {"min", "max"}
_POSITIONS = {"threadIdx": None, "blockIdx": "emu_b", "blockDim": "emu_d", "gridDim": "emu_g"}
_THREAD = {"x": "(emu_x0 + (unsigned)emu_l)", "y": "emu_y", "z": "emu_z"}
_INSIDE = frozenset(["binary_expression", "unary_expression", "update_expression", "assignment_expression", "conditional_expression", "parenthesized_expression", "cast_expression", "subscript_expression", "subscript_argument_list", "pointer_expression", "comma_expression", "call_expression", "argument_list", "condition_clause", "else_clause", "expression_statement", "declaration", "init_declarator", "pointer_declarator", "abstract_pointer_declarator", "type_descriptor", "type_qualifier", "primitive_type", "sized_type_specifier", "compound_statement", "if_statement", "for_statement", "while_statement", "break_statement", "continue_statement", "number_literal", "true", "false"])
_QUALIFIED = ("const", "__restrict__", "__restrict")
_LOOPS = ("for_statement", "while_statement")
_DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)(.*)$", re.MULTILINE)
_NUMBER = re.compile(r"\s*\(?-?(0[xX][0-9a-fA-F]+|[0-9.]+([eE][-+]?\d+)?)[fFuUlL]*\)?\s*(//.*|/\*[^/]*\*/\s*)?")
_QUALIFIERS = re.compile(r"\b(__global__|__device__|__forceinline__|__launch_bounds__\s*\([^()]*\))")


class _Unknown(Exception):
    """Something in the kernel that this pass does not understand."""


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
        import tree_sitter
        import tree_sitter_cpp
    except ImportError:
        return ""
    macros = _macros(text)
    if macros is None or "emu_" in text:
        return ""
    blanked = _QUALIFIERS.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    root = tree_sitter.Parser(tree_sitter.Language(tree_sitter_cpp.language())).parse(blanked.encode()).root_node
    functions = [node for node in _top(root) if node.type == "function_definition"]
    names = [_function_name(node) for node in functions]
    if any(node.type == "function_declarator" and _text(node).split("(")[0].split()[-1] in _WORDS for node in _nodes(root)):
        return ""
    parts = []
    for node, name in zip(functions, names, strict=True):
        later = _DEFINE.search(blanked.encode()[node.start_byte:].decode())  # would mean something else behind the text
        if name in kernels and names.count(name) == 1 and not later:
            try:
                parts.append(_Rewriter(macros, source_name).kernel(node, name))
            except _Unknown:
                continue
    return "\n".join(parts)


def _macros(text: str) -> frozenset[str] | None:
    """Macros that are plain numbers, defined once; None where another one could change what words mean."""
    found = _DEFINE.findall(text)
    names = [name for name, _ in found]
    if "\\\n" in text or re.search(r"#[ \t]*undef", text) or any(name in _WORDS for name in names):
        return None
    return frozenset(name for name, value in found if names.count(name) == 1 and _NUMBER.fullmatch(value))


def _top(root: Node) -> list[Node]:
    """Functions of the file, also within ``extern "C"``; nothing below ``#if``, a namespace or a template."""
    found = []
    for node in root.named_children:
        if node.type == "linkage_specification" and (body := node.child_by_field_name("body")) is not None:
            found += [body] if body.type == "function_definition" else body.named_children
        else:
            found.append(node)
    return found


def _function_name(node: Node) -> str:
    declarator = node.child_by_field_name("declarator")
    inner = declarator.child_by_field_name("declarator") if declarator is not None else None
    return _text(inner) if inner is not None else ""


def _text(node: Node) -> str:
    return (node.text or b"").decode()


def _field(node: Node, name: str) -> Node:
    child = node.child_by_field_name(name)
    if child is None:
        raise _Unknown(name)
    return child


def _nodes(node: Node) -> list[Node]:
    found = [node]
    for child in node.children:
        found += _nodes(child)
    return found


def _children(node: Node) -> list[Node]:
    return [child for child in node.named_children if child.type != "comment"]


def _bare(node: Node) -> Node:
    while node.type == "parenthesized_expression":
        node = _children(node)[0]
    return node


def _target(node: Node) -> Node | None:
    """What an assignment or ``++`` writes to."""
    if node.type == "assignment_expression":
        return _bare(_field(node, "left"))
    return _bare(_field(node, "argument")) if node.type == "update_expression" else None


def _name(declarator: Node) -> str:
    """The name that a declarator without arrays, functions and references declares."""
    while declarator.type in ("init_declarator", "pointer_declarator"):
        declarator = _field(declarator, "declarator")
    if declarator.type != "identifier":
        raise _Unknown(declarator.type)
    return _text(declarator)


def _stores(node: Node) -> bool:
    targets = [target for inner in _nodes(node) if (target := _target(inner)) is not None]
    return any(target.type != "identifier" for target in targets)


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
        declarator, body = _field(node, "declarator"), _field(node, "body")
        parameters = _field(declarator, "parameters")
        if node.has_error or any(inner.type.startswith("preproc") for inner in _nodes(node)):
            raise _Unknown("text")
        if any(inner.type == "type_qualifier" and _text(inner) not in _QUALIFIED for inner in _nodes(node)):
            raise _Unknown("qualifier")
        for parameter in _children(parameters):
            if parameter.type != "parameter_declaration":
                raise _Unknown(parameter.type)
        self._collect(body, frozenset())
        own = {_name(_field(parameter, "declarator")) for parameter in _children(parameters)}
        if own & self.assigned:
            raise _Unknown("a parameter changes")
        for one in _nodes(node):
            if one.type in ("declaration", "parameter_declaration"):
                whole = _text(_field(one, "type")) in ("int", "unsigned", "unsigned int") and "*" not in _text(one)
                names = {_name(part) for part in one.children_by_field_name("declarator")}
                (self.integers if whole else self.others).update(names)
                self.twice |= names & self.once
                self.once |= names
        self.scopes.append(dict.fromkeys(own, False))
        code = self.statement(body)
        if not self.loops:
            raise _Unknown("nothing to gain")
        listed = ", ".join(_text(parameter) for parameter in _children(parameters))
        return (f"template <> struct EmuLanes<&{name}> {{\nstatic constexpr bool exists = true;\n"
                f"static bool strip({listed}, unsigned emu_x0, unsigned emu_y, unsigned emu_z) {{\n"
                "const uint3 emu_b = blockIdx, emu_d = blockDim, emu_g = gridDim;\n"
                f"{code}\nreturn true;\n}}\n}};\n")

    def _collect(self, node: Node, spared: frozenset[str]) -> None:
        """Names that change after their declaration, but for a loop's own counter in the loop's head."""
        target = _target(node)
        if target is not None:
            if target.type not in ("identifier", "subscript_expression", "pointer_expression"):
                raise _Unknown(target.type)
            if target.type == "identifier" and _text(target) not in spared:
                self.assigned.add(_text(target))
        start = node.child_by_field_name("initializer") if node.type == "for_statement" else None
        update = node.child_by_field_name("update") if start is not None and start.type == "declaration" else None
        for child in node.children:
            if update is not None and start is not None and child == update:
                own = {_name(one) for one in start.children_by_field_name("declarator")}
                self._collect(child, frozenset(own))
            else:
                self._collect(child, frozenset())

    def varies(self, node: Node) -> bool:
        """Whether an expression's value may differ between lanes. What lies in memory may."""
        for inner in _nodes(node):
            if inner.type in ("subscript_expression", "pointer_expression", "update_expression", "assignment_expression"):
                return True
            if inner.type == "field_expression" and re.sub(r"\s", "", _text(inner)) == "threadIdx.x":
                return True
            if inner.type == "identifier" and self._kind(_text(inner)):
                return True
        return False

    def _kind(self, name: str) -> bool:
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        if name in self.macros or name in _POSITIONS or name in _CALLS or name == "warpSize":
            return False
        raise _Unknown(name)

    # ---- statements that all lanes reach together ----
    def statement(self, node: Node) -> str:
        match node.type:
            case "compound_statement":
                self.scopes.append({})
                code = "\n".join(self.statement(child) for child in _children(node))
                self.scopes.pop()
                return f"{{\n{code}\n}}"
            case "declaration":
                return self._declaration(node)
            case "return_statement" if not _children(node):
                return "return true;"
            case "if_statement" if self._has_path(node):
                return self._if(node)
            case "for_statement" if self._is_uniform_loop(node):
                return self._loop(node)
        code = self._side_by_side(node, node, "") if node.type == "expression_statement" else self._each(
            node, self.inside(node))
        self.stored = self.stored or _stores(node)
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
        node = _bare(node)
        if node.type == "field_expression":
            return int(re.sub(r"\s", "", _text(node)) == "threadIdx.x")
        if node.type == "number_literal":
            return 0 if re.fullmatch(r"\d+[uU]?", _text(node)) else None
        if node.type == "identifier":
            name = _text(node)
            if name not in self.integers or name in self.others:
                return None
            return 0 if not self._kind(name) else 1 if name in self.linear else None
        if node.type != "binary_expression":
            return None
        left, right = self._grows(_field(node, "left")), self._grows(_field(node, "right"))
        if left is None or right is None:
            return None
        operator = _text(_field(node, "operator"))
        if operator == "+" and not (left and right):  # one term that grows: the two ends then tell of all between
            return left + right
        if (operator == "-" and not right) or (operator == "*" and not left and not right):
            return left
        return None

    def _each(self, node: Node, code: str) -> str:
        line = f'#line {node.start_point[0] + 1} "{self.source_name}"'
        return f"#pragma GCC ivdep\n#pragma GCC unroll 1\n{line}\nfor (int emu_l = 0; emu_l < {LANES}; ++emu_l) {{ {code}\n}}"

    def _declaration(self, node: Node) -> str:
        kind, parts = _text(_field(node, "type")), []
        if any(child.type not in ("type_qualifier", "primitive_type", "sized_type_specifier", "init_declarator",
                                  "identifier", "pointer_declarator") for child in _children(node)):
            raise _Unknown("declaration")
        const = any(child.type == "type_qualifier" for child in node.children)
        for one in node.children_by_field_name("declarator"):
            pointer = any(inner.type == "pointer_declarator" for inner in _nodes(one))
            name, value = _name(one), one.child_by_field_name("value")
            if value is not None and value.type in ("initializer_list", "argument_list"):
                raise _Unknown(value.type)
            varies = value is None or name in self.assigned or self.varies(value)
            code = self.inside(value) if value is not None else ""
            self.scopes[-1][name] = varies
            typed = f"{'const ' if const and (pointer or not varies) else ''}{kind}{_stars(one)} {name}"
            parts.append(f"{typed}[{LANES}];" if varies else f"{typed} = {code};")
            if varies and value is not None:
                if name in self.integers - self.others - self.assigned - self.twice and self._grows(value) == 1:
                    self.linear.add(name)
                parts.append(self._side_by_side(one, value, f"{name}[emu_l] = "))
        return "\n".join(parts)

    def _has_path(self, node: Node) -> bool:
        return any(inner.type in ("return_statement", "for_statement") for inner in _nodes(node))

    def _if(self, node: Node) -> str:
        condition, then = _field(node, "condition"), _field(node, "consequence")
        other = node.child_by_field_name("alternative")
        if condition.type != "condition_clause" or [c.type for c in _children(condition)][1:] or "constexpr" in _text(node)[:20]:
            raise _Unknown("if")
        if any(inner.type == "declaration" for inner in _nodes(condition)):
            raise _Unknown("declaration")
        code, varies = self.inside(condition), self.varies(condition)
        if varies and (self.stored or _stores(condition)):
            raise _Unknown("lanes may part after a store")
        before = self.stored
        yes = self.statement(then)
        after, self.stored = self.stored, before
        no = self.statement(_children(other)[0]) if other is not None else ""
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
        name, target = _name(declared[0]), _target(update)
        if target is None or target.type != "identifier" or _text(target) != name or name in self.assigned:
            return False
        step = update.child_by_field_name("right")
        self.scopes.append({name: False})
        plain = not any(self.varies(part) for part in (value, condition, *([step] if step is not None else [])))
        self.scopes.pop()
        return plain

    def _loop(self, node: Node) -> str:
        start, body = _field(node, "initializer"), _field(node, "body")
        self.stored = self.stored or _stores(body)
        self.loops += 1
        self.scopes.append({})
        head = self._declaration(start)
        condition, update = self.inside(_field(node, "condition")), self.inside(_field(node, "update"))
        code = self.statement(body)
        self.scopes.pop()
        return f"for ({head} {condition}; {update}) {{\n{code}\n}}"

    # ---- what one lane does by itself ----
    def inside(self, node: Node, loop: bool = False) -> str:
        """The text of a node within a loop over lanes."""
        if node.type == "comment":
            return " "
        if node.type == "identifier":
            name = _text(node)
            return f"{name}[emu_l]" if self._kind(name) else name
        if node.type == "field_expression":
            return self._position(node)
        self._check_inside(node, loop)
        if self.runs is not None and node.type == "subscript_expression":
            array, index = _bare(_field(node, "argument")), _children(_field(node, "indices"))[0]
            if array.type == "identifier" and not self._kind(_text(array)) and self._grows(index) == 1:
                runs, self.runs = self.runs, None
                written, self.runs = self.inside(index), runs
                names = dict(runs)
                if written not in names:
                    runs.append((written, f"emu_i{len(runs)}"))
                return f"{_text(array)}[{dict(runs)[written]} + emu_l]"
        scope = node.type in ("compound_statement", *_LOOPS, "if_statement")
        if scope:
            self.scopes.append({})
        if node.type == "declaration":
            for one in node.children_by_field_name("declarator"):
                self.scopes[-1][_name(one)] = False
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
            raise _Unknown(node.type)
        if node.type in ("break_statement", "continue_statement") and not loop:
            raise _Unknown(node.type)
        if node.type == "pointer_expression" and _text(node).startswith("&"):
            raise _Unknown("&")
        if node.type == "call_expression" and _text(_field(node, "function")) not in _CALLS:
            raise _Unknown("call")

    def _position(self, node: Node) -> str:
        base, _, part = re.sub(r"\s", "", _text(node)).partition(".")
        if base not in _POSITIONS or part not in _THREAD:
            raise _Unknown("field")
        name = _POSITIONS[base]
        return _THREAD[part] if name is None else f"{name}.{part}"


def _stars(declarator: Node) -> str:
    return "*" * sum(inner.type == "pointer_declarator" for inner in _nodes(declarator))
