"""The statements of a C++ function, and those of the lambdas in it."""

from dataclasses import dataclass

GROUPS = "([{"
CONTROL = {"if", "for", "while", "do", "switch", "try"}
JUMPS = {"return", "break", "continue", "throw", "goto", "co_return"}


@dataclass
class Statement:
    """`inside` has a number for each lambda around it; `block` is 0 for the body of an `if` or loop without braces."""

    kind: str
    start: int
    end: int
    depth: int
    block: int
    braceless: bool
    labelled: bool
    inside: tuple


class Body:
    """The statements of a function, outer ones first, in `out`."""

    def __init__(self, structure, function):
        self.text, self.kind, self.source, self.behind = structure.text, structure.kind, structure.source, structure.behind
        self.angles = structure.angles
        self.out, self._blocks, self._lambdas = [], 0, 0
        self._block(function.open + 1, function.close, 0, ())

    def _block(self, index, end, depth, inside):
        self._blocks += 1
        block, labelled = self._blocks, False
        while index < end:
            text = self.text[index]
            if self.kind[index] == "directive" or text == ";":
                index += 1
            elif text in ("case", "default") or self.kind[index] == "word" and self.text[index + 1] == ":":
                while index < end and text != ":":
                    index = self.behind(index, end) if text in GROUPS else index + 1
                    text = self.text[index]
                index, labelled = index + 1, True
            else:
                behind = self._statement(index, end, depth, block, inside, False, labelled)
                index, labelled = max(behind, index + 1), False

    def _skip(self, index, end):
        while index < end and self.kind[index] == "directive":
            index += 1
        return index

    def _sub(self, index, end, depth, inside):
        index = self._skip(index, end)
        if index < end and self.text[index] == "{":
            behind = self.behind(index, end)
            self._block(index + 1, behind - 1, depth + 1, inside)
            return behind
        return self._statement(index, end, depth + 1, 0, inside, True, False) if index < end else end

    def _statement(self, start, end, depth, block, inside, braceless, labelled):
        text, at = self.text, start
        own = Statement("other", start, start, depth, block, braceless, labelled, inside)
        self.out.append(own)
        if self.kind[at] == "word" and at + 1 < end and text[at + 1] in CONTROL and text[at] not in ("else", "return"):
            at += 1
        word = text[at]
        own.kind = word if word in CONTROL | JUMPS else "block" if word == "{" else "other"
        if word == "{":
            at = self._sub(at, end, depth, inside)
        elif word in ("if", "for", "while", "switch"):
            at += 1
            while at < end and text[at] != "(" and self.kind[at] == "word":
                at += 1
            behind = self.behind(at, end) if at < end and text[at] == "(" else at
            self._find_lambdas(at, behind, inside)
            at = self._sub(behind, end, depth, inside)
            following = self._skip(at, end)
            if word == "if" and following < end and text[following] == "else":
                at = self._sub(following + 1, end, depth, inside)
        elif word == "do":
            at = self._sub(at + 1, end, depth, inside)
            while at < end and text[at] != ";":
                at = self.behind(at, end) if text[at] in GROUPS else at + 1
            at = min(at + 1, end)
        elif word == "try":
            at = self._sub(at + 1, end, depth, inside)
            while at + 1 < end and text[at] == "catch":
                at = self._sub(self.behind(at + 1, end), end, depth, inside)
        else:
            while at < end and text[at] != ";":
                behind = self.behind(at, end) if self.kind[at] == "punct" and text[at] in GROUPS else at + 1
                # A macro that needs no semicolon.
                if at == start + 1 and text[at] == "(" and behind < end and self.kind[start] == "word" and \
                        self.kind[behind] == "word" and self.source.line[behind] > self.source.last[behind - 1]:
                    at = behind - 1
                    break
                at = behind
            at = min(at + 1, end)
            self._find_lambdas(start, at, inside)
        own.end = at
        return at

    def _find_lambdas(self, index, end, inside):
        while index < end:
            body = self._lambda_body(index, end)
            if body is None:
                index += 1
                continue
            self._lambdas += 1
            behind = self.behind(body, end)
            self._find_lambdas(index + 1, body, inside)
            self._block(body + 1, behind - 1, 0, inside + (self._lambdas,))
            index = behind

    def _lambda_body(self, index, end):
        """The `{` of the lambda whose `[` stands at index."""
        text = self.text
        if text[index] != "[" or self.kind[index] != "punct" or text[index + 1 : index + 2] == ["["]:
            return None
        before = text[index - 1] if index else ""
        if before in (")", "]") or (self.kind[index - 1] in ("word", "string") and before not in ("return", "co_return")):
            return None
        at = self.behind(index, end)
        if at < end and text[at] == "<":
            at = self.angles(at, end)
        if at < end and text[at] == "(":
            at = self.behind(at, end)
        for _ in range(24):
            if at >= end or text[at] in (";", ",", ")", "]", "}", "="):
                return None
            if text[at] == "{":
                return at
            at = self.behind(at, end) if text[at] in "([" else at + 1
        return None
