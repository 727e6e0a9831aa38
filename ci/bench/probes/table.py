"""The tables of a replay."""

from collections import Counter, defaultdict
from statistics import median

from .peers import Peers
from .places import KINDS


def is_right(word):
    return word in ("landed right", "asked right")


def is_needless(record):
    """A refusal although the body is the same token by token, and one candidate has the name."""
    return record["patchctl"] == "refused" and record["same"] and record["oracle"] == "place"


def row_of(records):
    """The numbers of a row."""
    words = Counter(record["patchctl"] for record in records)
    row = [len(records), len(records) - words["not addressable"], words["landed right"], words["asked right"], words["refused"]]
    row += [sum(map(is_needless, records)), words["landed wrong"], words["asked wrong"], words["landed unclear"] + words["asked unclear"]]
    for name in Peers.NAMES:
        peer = Counter(record[name] for record in records)
        row += [peer["landed right"], peer["landed wrong"]]
    return row


HEAD = ["probes", "addr.", "landed", "asked", "refused", "needless", "WRONG", "asked wrong", "no verdict"]


def landed_wrong(records):
    """The probes that patchctl put where they do not belong, without asking."""
    return [it for it in records if it["patchctl"] == "landed wrong"]


def by_kind(records):
    """A row for each kind, and their sum."""
    peers = [f"{name} {word}" for name in Peers.NAMES for word in ("right", "WRONG")]
    lines = [["kind", *HEAD, *peers]]
    for kind in KINDS:
        own = [it for it in records if it["kind"] == kind]
        if own:
            lines.append([kind, *row_of(own)])
    addressed = [it for it in records if it["patchctl"] != "not addressable"]
    return lines + [["all", *row_of(records)], ["addressable", *row_of(addressed)]]


def reasons(records, word):
    """Counts by reason and kind, most first, with one example. Where the place is still there, or `git apply -3` lands, there is
    something to be won."""
    found = defaultdict(list)
    for record in records:
        if record["patchctl"] == word:
            found[record["reason"]].append(record)
    lines = [["count", "reason", "place there", "git apply -3 right", "kinds", "one of them"]]
    for reason, own in sorted(found.items(), key=lambda it: -len(it[1])):
        kinds = Counter(it["kind"] for it in own)
        said = ", ".join(f"{kind} {count}" for kind, count in kinds.most_common())
        there = sum(it["oracle"] == "place" for it in own)
        peer = sum(it["git apply -3"] == "landed right" for it in own)
        lines.append([len(own), reason, there, peer, said, f"{own[0]['pair'][0]} {own[0]['path']}:{own[0]['line']}"])
    return lines


def ratios(records):
    """The ratios that the measurement is made for."""
    out = {}
    for name, own in (("all", records), ("addressable", [it for it in records if it["patchctl"] != "not addressable"])):
        peer = sum(it["git apply -3"] == "landed right" for it in own)
        landed = sum(it["patchctl"] == "landed right" for it in own)
        right = sum(is_right(it["patchctl"]) for it in own)
        out[name] = {
            "landed or asked / git apply -3": round(right / peer, 3) if peer else None,
            "landed / git apply -3": round(landed / peer, 3) if peer else None,
        }
    return out


def milliseconds(seconds):
    return round(median(seconds) * 1000, 1) if seconds else None


def markdown(lines):
    """Rows as a table that also a reader of plain text can use."""
    lines = [[str(cell) for cell in line] for line in lines]
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    number = [all(line[column].isdigit() for line in lines[1:]) for column in range(len(widths))]
    padded = [
        [cell.rjust(width) if right else cell.ljust(width) for cell, width, right in zip(line, widths, number)] for line in lines
    ]
    rule = ["-" * (width - 1) + ":" if right else "-" * width for width, right in zip(widths, number)]
    return "\n".join(f"| {' | '.join(line)} |" for line in [padded[0], rule, *padded[1:]])


def report(records, times, peer_times, seconds):
    """The whole report as text."""
    parts = [markdown(by_kind(records))]
    for word, title in (("not addressable", "Not addressable"), ("refused", "Refused")):
        if any(it["patchctl"] == word for it in records):
            parts.append(f"{title}, by reason:\n\n{markdown(reasons(records, word))}")
    asked = [it for it in records if it["patchctl"] == "asked right"]
    if asked:
        parts.append(f"Asked at the right place, by reason:\n\n{markdown(reasons(records, 'asked right'))}")
    clock = [["tool", "median ms, one probe a process", "ms a probe in this run"]]
    clock.append(["patchctl verify", milliseconds(times), round(1000 * seconds / max(1, len(records)), 1)])
    clock += [[name, milliseconds(peer_times[name]), round(1000 * sum(peer_times[name]) / max(1, len(records)), 1)] for name in Peers.NAMES]
    parts.append(markdown(clock))
    for name, own in ratios(records).items():
        parts.append("\n".join(f"{what}, {name} probes: {value}" for what, value in own.items()))
    wrong = landed_wrong(records) + [it for it in records if it["patchctl"] == "asked wrong"]
    parts += [
        f"{it['patchctl'].upper()}: {it['pair'][0]} {it['path']}:{it['line']} {it['position']} -> {it['pair'][1]} line "
        f"{it['lines'].get('patchctl')}: {it['anchor']}"
        for it in wrong
    ]
    return "\n\n".join(parts)
