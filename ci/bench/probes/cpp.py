"""The constructs of a C++ file (also Metal's and CUDA's dialects) from its tokens: functions, classes, members,
declarations of namespaces. A reader of its own: patchctl's readers are what is measured."""

import re
from dataclasses import dataclass, field

from .statements import Body

OPEN = {"(": ")", "[": "]", "{": "}"}
CLASS_KEYS = {"class", "struct", "union", "enum"}
NOT_NAMES = {"noexcept", "alignas", "decltype", "__attribute__", "__launch_bounds__", "__declspec", "requires", "throw",
             "asm", "__align__", "if", "for", "while", "switch", "catch", "return", "sizeof"}


@dataclass
class Function:
    path: list
    signature: str
    start: int
    open: int
    close: int
    kind: str = "function"
    # Parts of the name in the definition itself: 2 in `void A::f() {`.
    parts: int = 1
    statements: list = field(default_factory=list)

    @property
    def name(self):
        return "::".join(self.path)


@dataclass
class Item:
    """A declaration at class or namespace scope."""

    kind: str
    name: str
    path: list
    start: int
    end: int
    owner: object = None
    preceded: bool = False


class Structure:
    """Functions, classes and items of a file."""

    def __init__(self, source):
        self.source, self.text, self.kind = source, source.text, source.kind
        self.partner, self.broken = {}, False
        self.functions, self.classes, self.items = [], [], []
        self._pair()
        self.scan(0, len(self.text), [], None)

    def _pair(self):
        stack, groups = [], []
        for index, text in enumerate(self.text):
            kind = self.kind[index]
            if kind == "punct" and text in OPEN:
                stack.append(index)
            elif kind == "punct" and text in ")]}":
                if stack and OPEN[self.text[stack[-1]]] == text:
                    opened = stack.pop()
                    self.partner.setdefault(opened, index)
                else:
                    self.broken = True
            elif kind == "directive":
                if text.startswith("#if"):
                    groups.append((list(stack), None))
                elif text.startswith(("#else", "#elif")) and groups:
                    before, after = groups[-1]
                    groups[-1] = (before, list(stack) if after is None else after)
                    stack = list(before)
                elif text.startswith("#endif") and groups:
                    after = groups.pop()[1]
                    stack = stack if after is None else after
        self.broken |= bool(stack)

    def behind(self, index, end):
        """Behind the group that opens at index."""
        partner = self.partner.get(index)
        return end if partner is None or partner >= end else partner + 1

    def angles(self, index, end):
        """Behind `<…>` that opens at index."""
        depth = 0
        while index < end:
            text = self.text[index]
            if text in OPEN and self.kind[index] == "punct":
                index = self.behind(index, end)
                continue
            depth += {"<": 1, "<<": 2, ">": -1}.get(text, 0)
            index += 1
            if depth <= 0 or text in ";{}":
                break
        return index

    def conditions(self, index):
        """The `#if` lines around a token, outermost first."""
        directives = [at for at, kind in enumerate(self.kind) if kind == "directive"]
        guard = self._guard(directives)
        stack = []
        for at in directives:
            if at >= index:
                break
            text = self.text[at]
            if text.startswith("#if"):
                stack.append(("" if at == guard else text, text))
            elif text.startswith(("#else", "#elif")) and stack:
                first = stack.pop()[1]
                stack.append((f"{text} of {first}", first))
            elif text.startswith("#endif") and stack:
                stack.pop()
        return [shown for shown, _ in stack if shown]

    def _guard(self, directives):
        """The include guard's `#ifndef`, around the whole file."""
        if len(directives) > 2 and directives[0] == 0 and directives[-1] == len(self.text) - 1:
            name = self.text[0].removeprefix("#ifndef ")
            if name != self.text[0] and self.text[directives[1]].split()[:2] == ["#define", name]:
                return 0
        return None

    # Declarations

    def scan(self, index, end, path, owner):
        """Reads the declarations of a scope."""
        while index < end:
            if self.kind[index] == "directive" or self.text[index] in (";", "}"):
                index += 1
            elif self.text[index] in ("public", "private", "protected") and self.text[index + 1 : index + 2] == [":"]:
                index += 2
            else:
                index = self._item(index, end, path, owner)

    def _item(self, start, end, path, owner):
        text, at = self.text, start
        assigned = listed = False
        group = None
        while at < end:
            token, kind = text[at], self.kind[at]
            if kind != "punct" and token not in ("operator", "template"):
                at += 1
                continue
            if token == ";":
                at += 1
                break
            if token == "template":
                at = self.angles(at + 1, end) if text[at + 1 : at + 2] == ["<"] else at + 1
            elif token == "operator":
                at += 3 if text[at + 1 : at + 3] == ["(", ")"] else 2
                while at < end and text[at] not in ("(", ";"):
                    at += 1
                if at < end and text[at] == "(" and group is None:
                    group = at
            elif token == "=":
                assigned = True
                at += 1
            elif token == ":" and group is not None:
                listed = True
                at += 1
            elif token == "->" and group is not None and not listed:
                at += 1
                while at < end and text[at] not in ("{", ";"):
                    at = self.behind(at, end) if text[at] in "([" else at + 1
            elif token in ("(", "["):
                behind = self.behind(at, end)
                before = at - 1
                named = before >= start and (self.kind[before] == "word" and text[before] not in NOT_NAMES or text[before] == ">")
                if token == "(" and not listed and not assigned and named:
                    group = at
                alone = before == start and token == "(" and self.kind[start] == "word"
                if alone and behind < end and self.source.line[behind] > self.source.last[behind - 1] and (
                    self.kind[behind] in ("word", "directive") and text[behind] not in ("const", "noexcept", "override")
                    or text[behind] in ("[", "}")
                ):
                    # A macro that needs no semicolon.
                    return behind
                at = behind
            elif token == "{":
                done = self._brace(start, at, end, path, owner, group, assigned, listed)
                if done is not None:
                    return done
                at = self.behind(at, end)
            elif token == "}":
                return at + 1
            else:
                at += 1
        self._declaration(start, at, path, owner, group, assigned)
        return at

    def _brace(self, start, at, end, path, owner, group, assigned, listed):
        """Handles the `{` of an item; behind it, or None where the item goes on."""
        text = self.text
        behind = self.behind(at, end)
        head = self._head(start, at)
        if assigned:
            return None
        if "namespace" in (text[i] for i in head[:3]):
            names = [text[i] for i in head if self.kind[i] == "word" and text[i] not in ("namespace", "inline")]
            self.scan(at + 1, behind - 1, path + names, None)
            return behind
        if len(head) == 2 and text[head[0]] == "extern":
            self.scan(at + 1, behind - 1, path, None)
            return behind
        key = next((i for i in head if text[i] in CLASS_KEYS), None)
        if key is not None and not (text[at - 1] == ")" and group is not None and ":" not in (text[i] for i in head)):
            name = self._class_name(key, at)
            region = Function(path + [name], "", start, at, behind - 1, "class")
            self.classes.append(region)
            if text[key] != "enum":
                self.scan(at + 1, behind - 1, path + [name], region)
            stop = behind
            while stop < end and text[stop] != ";":
                stop = self.behind(stop, end) if text[stop] in OPEN else stop + 1
            if name:
                self.items.append(Item("class", name, path, start, min(stop + 1, end), owner))
            return min(stop + 1, end)
        if group is None:
            return None
        if listed and (self.kind[at - 1] == "word" or text[at - 1] == ">") and text[at - 1] not in ("const", "noexcept"):
            return None
        name = self._function_name(start, group)
        if not name:
            return behind
        stop = at
        if listed:
            stop = next(i for i in range(group, at) if text[i] == ":" and i >= self.partner.get(group, group))
        signature = self.source.slice(group, stop)
        function = Function(path + name, signature, start, at, behind - 1, parts=len(name))
        self.functions.append(function)
        if owner is not None:
            self.items.append(Item("method", name[-1], path, start, behind, owner))
        return behind

    def _head(self, start, at):
        """Indexes of an item's tokens before its brace, without template heads, groups and directives."""
        out, index = [], start
        while index < at:
            text = self.text[index]
            if text == "template" and self.text[index + 1] == "<":
                index = self.angles(index + 1, at)
            elif text in "([" and self.kind[index] == "punct":
                index = self.behind(index, at)
            elif text == "<":
                index = self.angles(index, at)
            else:
                if self.kind[index] != "directive":
                    out.append(index)
                index += 1
        return out

    def _class_name(self, key, at):
        stop = key + 1
        while stop < at and self.text[stop] != ":":
            stop = self.behind(stop, at) if self.text[stop] in "([" else stop + 1
        tokens = [self.text[i] for i in range(key + 1, stop) if self.text[i] not in ("final", "class", "struct")]
        return re.sub(r"^.*[ )\]](?=\w)", "", " ".join(tokens).replace(" :: ", "::").replace(" <", "<").strip()) \
            if "<" not in tokens else self._template_id(tokens)

    def _template_id(self, tokens):
        cut = tokens.index("<")
        return (tokens[cut - 1] if cut else "") + "".join(
            f" {token}" if token[0].isalnum() and before[-1].isalnum() else token
            for before, token in zip(tokens[cut - 1 :], tokens[cut:])
        )

    def _function_name(self, start, group):
        """The name before the parameter list, as parts of a path."""
        text, at = self.text, group - 1
        operator = next((i for i in range(max(start, group - 4), group) if text[i] == "operator"), None)
        if operator is not None:
            last = self.source.slice(operator, group)
            at = operator - 1
        else:
            arguments = ""
            if text[at] == ">":
                opened, depth = at, 0
                while opened > start:
                    depth += {">": 1, "<": -1}.get(text[opened], 0)
                    if depth == 0:
                        break
                    opened -= 1
                arguments = self.source.slice(opened, at + 1)
                at = opened - 1
            if at < start or self.kind[at] != "word":
                return []
            last = text[at] + arguments
            at -= 1
            if at >= start and text[at] == "~":
                last, at = "~" + last, at - 1
        path = [last]
        while at > start and text[at] == "::":
            at -= 1
            arguments = ""
            if text[at] == ">":
                opened = at
                while opened > start and text[opened] != "<":
                    opened -= 1
                arguments = self.source.slice(opened, at + 1)
                at = opened - 1
            if self.kind[at] != "word":
                break
            path.insert(0, text[at] + arguments)
            at -= 1
        return path

    def _declaration(self, start, end, path, owner, group, assigned):
        """An item that ends with a semicolon."""
        text = self.text
        words = [i for i in range(start, end) if self.kind[i] == "word"]
        if not words or text[end - 1] != ";" or text[start] in ("friend", "extern", "template", "static_assert"):
            return
        first = text[start]
        if first in CLASS_KEYS:
            return
        if group is not None:
            name = self._function_name(start, group)
            kind, name = "declaration", name[-1] if name else ""
        elif first == "using":
            kind, name = "alias", text[words[1]] if len(words) > 1 else ""
            if "=" not in text[start:end]:
                return
        else:
            kind = "alias" if first == "typedef" else "variable"
            stop = next((i for i in range(start, end) if text[i] in ("=", "{", "[", ";", ":")), end)
            inner = [i for i in words if i < stop]
            name = text[inner[-1]] if len(inner) > 1 else ""
            if "," in text[start:stop] and "<" not in text[start:stop]:
                return
        if name:
            self.items.append(Item(kind, name, path, start, end, owner))

    def statements(self, function):
        """All statements of a function, outer ones first; read once."""
        if not function.statements:
            function.statements = Body(self, function).out
        return function.statements
