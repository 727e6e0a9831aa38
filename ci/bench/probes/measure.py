"""The probes of one pair of releases: what patchctl and its peers do with each, and what the oracle says of it."""

import itertools
import os
from dataclasses import dataclass, field

from .oracle import answer
from .pairs import Texts, changed_files, choose
from .peers import Peers, line_of, unified
from .program import Program, lines_of


@dataclass
class Task:
    """A pair's work; `used` are the places that earlier rounds took."""

    binary: str
    mirror: str
    chain: str
    tags: tuple
    wanted: dict
    first: int
    used: set
    seed: int
    folder: str


@dataclass
class Done:
    records: list = field(default_factory=list)
    used: set = field(default_factory=set)
    peer_times: dict = field(default_factory=dict)
    times: list = field(default_factory=list)
    seconds: float = 0.0


def measure(task):
    """Makes a pair's probes and judges them."""
    old, new = task.tags
    texts = Texts(task.mirror, task.tags)
    probes = choose(texts, changed_files(task.mirror, old, new), task.wanted, itertools.count(task.first), task.used, task.seed)
    done = Done(used=task.used)
    if not probes:
        return done
    os.makedirs(task.folder)
    answers = {it.number: answer(texts.view(0, it.path), it.gap, texts.view(1, it.path)) for it in probes}
    outcomes, program = patchctl(task, probes, texts)
    peers = of_peers(task, probes, texts, done)
    for it in probes:
        oracle, outcome = answers[it.number], outcomes[it.number]
        record = {
            "pair": [old, new], "number": it.number, "kind": it.kind, "path": it.path, "line": it.line + 1,
            "position": it.position, "text": it.text.strip(), "anchor": it.anchor, "oracle": oracle.status,
            "oracle_why": oracle.why, "same": oracle.same,
            "reason": outcome[2], "message": outcome[3],
        }
        by_tool = peers[it.number] | {"patchctl": outcome}
        for name, found in by_tool.items():
            record[name] = judged(found, oracle, texts.view(1, it.path))
        record["lines"] = {name: found[1] + 1 for name, found in by_tool.items() if found[1] is not None}
        done.records.append(record)
    done.times, done.seconds = program.times, program.seconds
    return done


def judged(outcome, oracle, view):
    """An outcome (what, line, code, message) as a word of the table."""
    what, line = outcome[:2]
    if what in ("refused", "not addressable"):
        return what
    # None is a line that is in no one place.
    said = oracle.judge(None if line is None else view.source.gap(line))
    return f"{what} {said}"


def patchctl(task, probes, texts):
    """What patchctl does with each probe, by number."""
    old, new = (tag.removeprefix("v") for tag in task.tags)
    program = Program(task.binary, f"{task.folder}/repository", task.chain)
    outcomes = {it.number: ("not addressable", None, it.reason, "") for it in probes}
    edits = {f"p{it.number}": (it.path, it.anchor, it.text) for it in probes if it.anchor}
    by_name = {f"p{it.number}": it for it in probes}
    places, refused = program.accept(old, edits)
    for name, (code, message) in refused.items():
        outcomes[by_name[name].number] = ("not addressable", None, code, message)
    for name, line in places.items():
        it = by_name[name]
        if texts.view(0, it.path).source.gap(line) != it.gap:
            message = f"line {line + 1} for line {it.line + 1}"
            outcomes[it.number] = ("not addressable", None, "addressed elsewhere", message)
    edits = {name: edits[name] for name in places if outcomes[by_name[name].number][2] != "addressed elsewhere"}
    if not edits:
        return outcomes, program
    found = program.verify(new, edits)
    program.time_one(new, *next(iter(edits.items())))
    # The bytes count, not what the program says of them.
    landed = {name: edits[name] for name, it in found.items() if it[0] == "landed"}
    content = {path: texts.view(1, path).source.content for path, _, _ in landed.values()}
    patched, refused = program.bytes_of(new, landed, content)
    lines = {number: line for text in patched.values() for number, line in lines_of(text).items()}
    for name, outcome in found.items():
        number = by_name[name].number
        if name in refused:
            outcome = ("refused", None, *refused[name])
        elif outcome[0] == "landed":
            outcome = ("landed", lines.get(number), *outcome[2:])
        outcomes[number] = outcome
    return outcomes, program


def of_peers(task, probes, texts, done):
    """What each peer does with each probe, by number and peer."""
    peers = Peers(f"{task.folder}/peers", task.mirror)
    out = {}
    for path in sorted({it.path for it in probes}):
        old, new = texts.view(0, path).source, texts.view(1, path).source
        peers.at(path, texts.blob(1, path), new.content)
        for it in probes:
            if it.path != path:
                continue
            diff = unified(path, old.lines, it.line, it.text, texts.blob(0, path))
            out[it.number] = {}
            for name in Peers.NAMES:
                patched = peers.apply(name, diff)
                where = ("refused", None) if patched is None else ("landed", line_of(patched, new.content, it.text))
                out[it.number][name] = where
    done.peer_times = peers.times
    return out
