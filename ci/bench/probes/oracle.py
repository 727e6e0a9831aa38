"""Says where a probe's place is on the next release, from token streams alone.

A place is a gap between two tokens. The gap's function (class, or file) is found again on the other side by its name,
else by its likeness. The place is beside the lines that stood beside it, where they are one of a kind on both sides; else the
two are aligned line by line, and token by token where lines differ, and it is where the tokens at its sides map."""

import ast
import re
from collections import Counter
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from .cpp import Structure

# Token counts above which two differing pieces are not aligned token by token.
TOO_LONG = 3000
# Tokens that a match between differing lines must have.
ENOUGH = 3
# Lines beside a gap that are looked for on the other side, and the tokens that they must have.
MOST_LINES, LEAST_TOKENS = 12, 6
# The ratio of tokens from which on two lines are alike.
LIKE = 0.6


@dataclass
class Region:
    kind: str
    name: str
    signature: str
    start: int
    end: int

    @property
    def key(self):
        return (self.kind, self.name, "".join(self.signature.split()))


@dataclass
class Answer:
    """`place`: the gaps in `right` are right, others in `grey` are undecided. `gone`: no gap is right; those in `grey` are
    undecided. `unknown`: all are undecided."""

    status: str
    right: set = field(default_factory=set)
    grey: tuple = (1, 0)
    # The region is the same on both sides, and has its name alone.
    same: bool = False
    # No line beside the gap is found as it was.
    weak: bool = False
    why: str = ""

    def judge(self, gap):
        """`right`, `wrong` or `unclear`, for a line that was put into the gap; None is the inside of a token."""
        if self.status == "unknown":
            return "unclear"
        if gap is None:
            return "wrong"
        if gap in self.right:
            return "right"
        return "unclear" if self.grey[0] <= gap <= self.grey[1] else "wrong"


class View:
    """A file, its tokens and regions."""

    def __init__(self, source):
        self.source = source
        self.structure = Structure(source) if source.language == "cpp" else None
        self.regions = self._regions()
        self.bags = {}

    def _regions(self):
        source = self.source
        if self.structure:
            found = self.structure.functions + self.structure.classes
            return [Region(f.kind, f.name, f.signature, f.start, f.close + 1) for f in found]
        if source.language != "python":
            return []
        out = []

        def walk(node, path):
            for child in ast.iter_child_nodes(node):
                named = isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
                inner = path + [child.name] if named else path
                if named:
                    kind = "class" if isinstance(child, ast.ClassDef) else "function"
                    start, end = source.gap(child.lineno - 1), source.gap(child.end_lineno)
                    if start is not None and end is not None:
                        out.append(Region(kind, ".".join(inner), "", start, end))
                walk(child, inner)

        try:
            walk(ast.parse(source.content), [])
        except (SyntaxError, ValueError):
            pass
        return out

    def around(self, gap):
        """The innermost region that holds a gap; the file, where there is none."""
        inner = [region for region in self.regions if region.start < gap < region.end]
        return min(inner, key=lambda region: region.end - region.start, default=self.whole())

    def whole(self):
        return Region("file", "", "", 0, len(self.source.text))

    def tokens(self, region):
        return self.source.text[region.start : region.end]

    def bag(self, region):
        """The region's lines as a multiset, for likeness."""
        at = (region.start, region.end)
        if at not in self.bags:
            self.bags[at] = Counter(key for key, _, _ in token_lines(self.source, *at) if len(key) > 1)
        return self.bags[at]


def token_lines(source, start, end):
    """The lines of a range that hold tokens: their texts, first index, index behind."""
    out, index = [], start
    while index < end:
        first, line = index, source.line[index]
        while index < end and source.line[index] == line:
            index += 1
        out.append((tuple(source.text[first:index]), first, index))
    return out


def plain(name):
    """A name without template arguments."""
    return re.sub(r"<[^:]*>", "", name)


def likeness(one, other):
    total = sum(one.values()) + sum(other.values())
    return 2 * sum((one & other).values()) / total if total else 0.0


def counterpart(a, region, b):
    """The region of b that is region of a, and how it was found: `name`, `signature`, `likeness`; or None and `gone` or
    `unknown`."""
    if region.kind == "file":
        return b.whole(), "name"
    mine = [it for it in a.regions if it.key == region.key]
    theirs = [it for it in b.regions if it.key == region.key]
    if len(mine) == 1 and len(theirs) == 1:
        return theirs[0], "name"
    named = [it for it in b.regions if (it.kind, it.name) == (region.kind, region.name)]
    if not theirs and len(named) == 1 and sum((it.kind, it.name) == (region.kind, region.name) for it in a.regions) == 1:
        return named[0], "signature"
    # Of equal names only these can be meant; of none, any that has no counterpart by name.
    names = {(it.kind, it.name) for it in a.regions}
    others = theirs or named or [it for it in b.regions if it.kind == region.kind and (it.kind, it.name) not in names]
    bag = a.bag(region)
    ranked = sorted(((likeness(bag, b.bag(it)), it.start, it) for it in others), reverse=True)
    if not ranked or ranked[0][0] < 0.35:
        return None, "gone"
    second = ranked[1][0] if len(ranked) > 1 else 0.0
    if ranked[0][0] >= 0.6 and ranked[0][0] - second >= 0.15:
        return ranked[0][2], "likeness"
    return None, "unknown"


def align(a, first, b, second):
    """Maps token indexes of a region to those of another, twice: by equal lines alone, and also by likeness of lines."""
    mine, theirs = token_lines(a, first.start, first.end), token_lines(b, second.start, second.end)
    sure, mapped = {}, {}
    matcher = SequenceMatcher(None, [key for key, _, _ in mine], [key for key, _, _ in theirs], autojunk=False)
    for tag, i, i_end, j, j_end in matcher.get_opcodes():
        if tag == "equal" and any(kind != "punct" for kind in a.kind[mine[i][1] : mine[i_end - 1][2]]):
            for (_, start, end), (_, other, _) in zip(mine[i:i_end], theirs[j:j_end]):
                sure.update(zip(range(start, end), range(other, other + end - start)))
        elif tag == "replace":
            piece = (mine[i][1], mine[i_end - 1][2], theirs[j][1], theirs[j_end - 1][2])
            _align_tokens(a, b, piece, mapped)
    # A file, a function and a class end where they end, whatever they hold.
    sure[first.end - 1 + (first.kind == "file")] = second.end - 1 + (second.kind == "file")
    if first.kind == "file":
        sure[-1] = -1
    taken = set(sure.values())
    mapped = {index: there for index, there in mapped.items() if there not in taken} | sure
    _extend(a, b, first, second, mapped)
    return sure, mapped


def _align_tokens(a, b, piece, mapped):
    start, end, other, other_end = piece
    if max(end - start, other_end - other) > TOO_LONG:
        return
    matcher = SequenceMatcher(None, a.text[start:end], b.text[other:other_end], autojunk=False)
    for i, j, size in matcher.get_matching_blocks():
        kinds = a.kind[start + i : start + i + size]
        if size >= ENOUGH and any(kind != "punct" for kind in kinds):
            mapped.update((start + i + k, other + j + k) for k in range(size))


def _extend(a, b, first, second, mapped):
    """Tokens that touch mapped ones and are equal correspond too."""
    taken = set(mapped.values())
    for step, indexes in ((1, range(first.start, first.end)), (-1, range(first.end - 1, first.start - 1, -1))):
        for index in indexes:
            there = mapped.get(index - step, None)
            if index in mapped or there is None:
                continue
            there += step
            if second.start <= there < second.end and there not in taken and a.text[index] == b.text[there]:
                mapped[index] = there
                taken.add(there)


def balanced(source, start, end):
    """True if a range neither opens nor closes a block."""
    depth = 0
    for index in range(start, end):
        text = source.text[index]
        if source.kind[index] == "directive":
            depth += text.startswith("#if") - text.startswith("#endif")
            if text.startswith(("#else", "#elif")) and depth == 0:
                return False
        elif text in ("{", "<in>"):
            depth += 1
        elif text in ("}", "<out>"):
            depth -= 1
        if depth < 0:
            return False
    return depth == 0


def occurrences(tokens, wanted):
    """Where tokens stand in others: the first two."""
    found, at = [], 0
    while len(found) < 2:
        try:
            at = tokens.index(wanted[0], at)
        except ValueError:
            break
        if tokens[at : at + len(wanted)] == wanted:
            found.append(at)
        at += 1
    return found


def elsewhere(a, region, gap, b):
    """The gap of b around which the tokens at both sides stand, if there is one in each of both."""
    for reach in (12, 8, 6):
        first = max(region.start, gap - reach)
        window = a.text[first : min(region.end, gap + reach)]
        if gap - first < 4 or len(window) < gap - first + 4 or len(occurrences(a.text, window)) > 1:
            return None
        found = occurrences(b.text, window)
        if found:
            return found[0] + gap - first if len(found) == 1 else None
    return None


def answer(a, gap, b):
    """Where the gap of view a is in view b; b is None where the file is gone."""
    if b is None:
        return Answer("gone", why="the file")
    region = a.around(gap)
    other, how = counterpart(a, region, b)
    if other is None:
        if how == "unknown" or elsewhere(a.source, region, gap, b.source) is not None:
            return Answer("unknown", why=f"{region.kind} {region.name}: several could be meant")
        return Answer("gone", why=f"{region.kind} {region.name}")
    found = within(a, region, gap, b, other)
    alone = sum(plain(it.name) == plain(region.name) for it in b.regions) == 1
    if found.weak and elsewhere(a.source, region, gap, b.source) is not None:
        return Answer("unknown", why="the code stands in another place")
    found.same = region.kind != "file" and how == "name" and alone and a.tokens(region) == b.tokens(other)
    return found


def beside(a, region, gap, b, other, before, behind):
    """The gap of b beside the lines that stand before or behind the gap, or both: as many as are one of a kind in both regions.
    None where b does not have them, `several` where no number of them is one of a kind."""
    lines = token_lines(a, region.start, region.end)
    at = next((i for i, (_, first, _) in enumerate(lines) if first >= gap), len(lines))
    mine, theirs = a.text[region.start : region.end], b.text[other.start : other.end]
    for count in range(1, MOST_LINES + 1):
        first = lines[max(0, at - count)][1] if before and at else gap
        last = lines[min(len(lines), at + count) - 1][2] if behind and at < len(lines) else gap
        window = a.text[first:last]
        if len(window) < LEAST_TOKENS or len(occurrences(mine, window)) != 1:
            continue
        found = occurrences(theirs, window)
        if len(found) == 1:
            return other.start + found[0] + gap - first
        if not found:
            return None
    return "several"


def alike(a, region, index, b, other):
    """The gaps of b beside lines that are like the one with a token: that line may have changed and moved."""
    if not region.start <= index < region.end:
        return
    mine = next(key for key, first, last in token_lines(a, region.start, region.end) if first <= index < last)
    if len(mine) >= ENOUGH:
        for key, first, last in token_lines(b, other.start, other.end):
            matcher = SequenceMatcher(None, mine, key, autojunk=False)
            if matcher.quick_ratio() >= LIKE and matcher.ratio() >= LIKE:
                yield from (first, last)


def within(a, region, gap, b, other):
    """Where the gap is in the region's counterpart."""
    if a.tokens(region) == b.tokens(other):
        return Answer("place", {gap - region.start + other.start})
    one, two = a.source, b.source
    left, right = (beside(one, region, gap, two, other, *sides) for sides in ((True, False), (False, True)))
    sure, mapped = align(one, region, two, other)
    # What corresponds line by line bounds what is possible.
    low = max((there + 1 for index, there in sure.items() if index < gap), default=other.start + 1)
    high = min((there for index, there in sure.items() if index >= gap), default=other.end)
    if left == right == "several":
        both = beside(one, region, gap, two, other, True, True)
        return Answer("place", {both}, (low, high)) if isinstance(both, int) else Answer("unknown", why="its lines are repeated")
    like = [it for known, index in ((left, gap - 1), (right, gap)) if not isinstance(known, int)
            for it in alike(one, region, index, two, other)]
    weak = not isinstance(left, int) and not isinstance(right, int)
    if not isinstance(left, int):
        left = mapped[gap - 1] + 1 if gap - 1 in mapped else None
    if not isinstance(right, int):
        right = mapped.get(gap)
    low, high = min([low, *like]), max([high, *like])
    if left is None and right is None:
        return Answer("gone", set(), (low, high), weak=True, why="the code at both sides")
    places = {it for it in (left, right) if it is not None}
    grey = (min(places | {low}), max(places | {high}))
    if len(places) == 2:
        if right < left:
            return Answer("unknown", why="its neighbours changed places")
        if not balanced(two, left, right):
            return Answer("unknown", why="a block begins or ends between its neighbours")
    why = "" if None not in (left, right) else "the code behind it is gone" if right is None else "the code before it is gone"
    return Answer("place", places, grey, weak=weak, why=why)
