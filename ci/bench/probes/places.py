"""The kinds of places that probes go to, and how each is addressed in an overlay.

A kind has a row in KINDS: which files, which places, which line is put there, and an address. Where patchctl gets an
anchor for a kind, its `address` is written and the row names it; until then the row has the reason why not."""

import ast
from dataclasses import dataclass

from .statements import JUMPS


@dataclass
class Place:
    """The beginning of a line (from 0) of a file, and what stands at it."""

    line: int
    gap: int
    indent: str
    thing: object
    position: str
    context: object = None


class NoAddress(Exception):
    """The reason why a place cannot be addressed."""


def at_sides(source, thing, start, end, context=None, after=True):
    """The places before and after the tokens start..end, where whole lines can go."""
    if source.starts_line(start):
        line = source.line[start]
        yield Place(line, start, source.indent(line), thing, "before", context)
    if after and source.ends_line(end - 1):
        line = source.last[end - 1] + 1
        yield Place(line, end, source.indent(source.line[start]), thing, "after", context)


# C++ places


def statements(view, in_lambdas):
    for function in view.structure.functions:
        for it in view.structure.statements(function):
            if bool(it.inside) == in_lambdas and not it.braceless and it.end > it.start:
                yield from at_sides(view.source, it, it.start, it.end, function, it.kind not in JUMPS)


def members(view):
    for it in view.structure.items:
        if it.owner is not None:
            yield from at_sides(view.source, it, it.start, it.end)


def constants(view):
    for it in view.structure.items:
        if it.owner is None and it.kind in ("variable", "alias"):
            yield from at_sides(view.source, it, it.start, it.end)


# C++ addresses


def shortest(path, least, others):
    """The fewest last parts of a path, `least` at the fewest, that name nothing else in the file."""
    for count in range(min(least, len(path)), len(path)):
        if not any(other[-count:] == path[-count:] for other in others if other != path):
            return "::".join(path[-count:])
    return "::".join(path)


def plain(path):
    """A path without template arguments, which names in overlays do not have."""
    return [part if part.startswith("operator") else part.split("<")[0] for part in path if part]


def function_anchor(view, function):
    """The anchor of a function: its name, qualified as far as needed; its signature where it is overloaded."""
    path, paths = plain(function.path), [plain(it.path) for it in view.structure.functions]
    in_class = any(it.path == function.path[:-1] for it in view.structure.classes)
    anchor = {"function": shortest(path, max(function.parts, 2 if in_class else 1), paths)}
    if paths.count(path) > 1:
        anchor["signature"] = function.signature
    return anchor


def beginning(view, statement, others):
    """The tokens that a person would name a statement by, and more where others begin alike."""
    source, start = view.source, statement.start
    length = statement.end - start
    text = source.text[start : statement.end]
    opened = next((i for i, token in enumerate(text) if token in ("(", "=", "{", ";")), length - 1)
    count = opened + 1
    if statement.kind in ("if", "for", "while", "switch"):
        count = view.structure.behind(start + opened, statement.end) - start
    elif statement.kind == "return":
        count = length
    word = next((i for i in range(length) if source.kind[start + i] != "punct"), 0)
    count = max(min(count, 10), min(max(2, word + 2), length))
    alike = [it for it in others if it is not statement]
    while count < length and any(source.text[it.start : it.start + count] == text[:count] for it in alike):
        count += 1
    if any(source.text[it.start : it.start + count] == text[:count] for it in alike):
        return None
    if "directive" in source.kind[start : start + count]:
        return None
    return source.slice(start, start + count)


def statement_address(view, place):
    """A statement by its first tokens; where it is not the only one, its neighbour or the function's beginning or end."""
    function, statement = place.context, place.thing
    every = view.structure.statements(function)
    # patchctl looks at lambdas' statements neither with `nested` nor without.
    own = [it for it in every if not it.inside]
    anchor = function_anchor(view, function)
    siblings = [it for it in own if it.block == statement.block]
    at = siblings.index(statement)
    neighbour, position = (at - 1, "after") if place.position == "before" else (at + 1, "before")
    choices = [(statement, place.position)]
    if 0 <= neighbour < len(siblings):
        other = siblings[neighbour]
        if (other.end if position == "after" else other.start) == place.gap:
            choices.append((other, position))
    for it, side in choices:
        others = [one for one in own if statement.depth or not one.depth]
        tokens = beginning(view, it, others)
        if tokens:
            anchor["statement"] = {"tokens": tokens} | ({"nested": True} if it.depth else {})
            return finish(view, anchor, side, it.start)
    if place.gap == function.open + 1:
        return finish(view, anchor, "begin", function.start)
    if place.gap == function.close:
        return finish(view, anchor, "end", function.start)
    raise NoAddress("equal statements in the function, and equal neighbours")


def finish(view, anchor, position, token):
    """An anchor with its position and the `#if` lines around it."""
    conditions = view.structure.conditions(token)
    return anchor | {"position": position} | ({"preprocessor": conditions} if conditions else {})


def member_address(view, place):
    """A member by its class and name; a neighbour where the name is overloaded."""
    item = place.thing
    names = [it.name for it in view.structure.items if it.owner is item.owner]
    paths = [plain(it.path) for it in view.structure.classes]
    anchor = {"class": shortest(plain(item.owner.path), 1, paths)}
    edge = "end" if place.position == "after" else "start"
    for it in view.structure.items:
        if it.owner is not item.owner or names.count(it.name) > 1 or not it.name.isidentifier():
            continue
        if it is item:
            return finish(view, anchor | {"member": it.name}, place.position, it.start)
        if edge == "start" and it.end == place.gap:
            return finish(view, anchor | {"member": it.name}, "after", it.start)
        if edge == "end" and it.start == place.gap:
            return finish(view, anchor | {"member": it.name}, "before", it.start)
    if place.gap == item.owner.open + 1:
        return finish(view, anchor, "begin", item.owner.start)
    if place.gap == item.owner.close:
        return finish(view, anchor, "end", item.owner.start)
    raise NoAddress("overloaded member, and overloaded neighbours")


# Other languages


def commands(view):
    """CMake's commands."""
    source, index = view.source, 0
    while index + 1 < len(source.text):
        if source.kind[index] == "word" and source.text[index + 1] == "(":
            depth, end = 1, index + 2
            while end < len(source.text) and depth:
                depth += {"(": 1, ")": -1}.get(source.text[end], 0) if source.kind[end] == "punct" else 0
                end += 1
            name = source.text[index].lower()
            opens = name in ("if", "elseif", "else", "foreach", "while", "function", "macro")
            if not name.startswith(("else", "end")):
                yield from at_sides(source, source.text[index : index + 3], index, end, after=not opens)
            index = end
        else:
            index += 1


def python_statements(view):
    source = view.source
    try:
        tree = ast.parse(source.content)
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        for body in (getattr(node, name, None) for name in ("body", "orelse", "finalbody")):
            for it in body if isinstance(body, list) else ():
                if isinstance(it, ast.stmt):
                    yield from _python_sides(source, it)


def _python_sides(source, node):
    first = min([node.lineno] + [it.lineno for it in getattr(node, "decorator_list", [])]) - 1
    indent = source.indent(first)
    docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    if len(indent) != node.col_offset or source.lines[first].lstrip().startswith("elif"):
        return
    for line, position in ((first, "before"), (node.end_lineno, "after")):
        gap = source.gap(line)
        jumps = isinstance(node, (ast.Return, ast.Raise, ast.Break, ast.Continue))
        if gap is not None and not (position == "before" and docstring) and not (position == "after" and jumps):
            # The block's own beginning or end lies before the first token of the line.
            yield Place(line, gap, indent, node, position)


def outline(lines, at):
    """The lines above with less indentation, each once; a bracket that closes stands under the line that opens it."""
    width = lambda line: len(line.expandtabs(8)) - len(line.expandtabs(8).lstrip())
    closes = lambda line: line.strip()[:1] in (")", "]", "}")
    found, inner, closing = [], width(lines[at]), closes(lines[at])
    for line in reversed(lines[:at]):
        if not line.strip() or line.strip().startswith("#"):
            continue
        if width(line) < inner or (closing and width(line) == inner):
            closing = closes(line)
            if not closing:
                found.append(line.strip())
            inner = width(line)
    return found


def line_address(view, place):
    """The line beside the place, with a line that it stands under where it is there twice."""
    lines = view.source.content.split("\n")
    sides = [(place.line, "before"), (place.line - 1, "after")]
    for at, position in sides if place.position == "before" else reversed(sides):
        line = lines[at].strip() if 0 <= at < len(lines) else ""
        if not line:
            continue
        equal = [it for it in range(len(lines)) if lines[it].strip() == line and it != at]
        if not equal:
            return {"line": line, "position": position}
        others = {it for one in equal for it in outline(lines, one)}
        for under in outline(lines, at):
            if under not in others:
                return {"line": line, "under": under, "position": position}
    raise NoAddress("equal lines under equal lines")


# The table


@dataclass
class Kind:
    """A kind of place: `share` of the probes; `insert` is a line with a number; `address` gives an anchor, or is the
    reason why there is none."""

    share: int
    files: object
    places: object
    insert: str
    address: object


def is_metal(path):
    return path.endswith(".metal") or ("/metal/kernels/" in path and path.endswith(".h"))


def is_host(path):
    return path.endswith((".cpp", ".h")) and not is_metal(path)


def is_cuda(path):
    return path.endswith((".cu", ".cuh"))


def is_cmake(path):
    return path.endswith((".cmake", "CMakeLists.txt"))


def is_python(path):
    return path.endswith(".py")


IN_FUNCTION = "int replay_{} = {};"
KINDS = {
    "statement": Kind(36, is_host, lambda view: statements(view, False), IN_FUNCTION, statement_address),
    "lambda": Kind(12, lambda path: is_host(path) or is_cuda(path), lambda view: statements(view, True), IN_FUNCTION,
                   "no anchor for a statement in a lambda"),
    "member": Kind(10, is_host, members, "int replay_{} = {};", member_address),
    "constant": Kind(8, is_host, constants, "constexpr int replay_{} = {};", "no anchor for a variable or alias of a namespace"),
    "metal": Kind(12, is_metal, lambda view: statements(view, False), IN_FUNCTION, statement_address),
    "cuda": Kind(10, is_cuda, lambda view: statements(view, False), IN_FUNCTION, statement_address),
    "cmake": Kind(6, is_cmake, commands, "set(REPLAY_{} {})", line_address),
    "python": Kind(6, is_python, python_statements, "replay_{} = {}", line_address),
}
