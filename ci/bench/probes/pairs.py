"""Neighbouring releases, their changed files, and the probes of a pair."""

import os
import random
import re
import subprocess
from dataclasses import dataclass

from .oracle import View
from .places import KINDS, NoAddress
from .tokens import Source, language_of

# Lines between a place and a change that count as near; the share of the probes that is chosen among near places.
NEAR, NEAR_SHARE = 10, 0.6
# Weight of a file: its changed lines, this many at the most.
MOST = 150


def git(repository, *words, **options):
    done = subprocess.run(["git", "-C", repository, *words], capture_output=True, check=True, **options)
    return done.stdout.decode(errors="replace")


def releases(mirror, count):
    """The newest releases by number, oldest first."""
    tags = [it for it in git(mirror, "tag", "--list", "v*").split() if re.fullmatch(r"v\d+\.\d+\.\d+", it)]
    tags.sort(key=lambda it: [int(part) for part in it[1:].split(".")])
    return tags[-count:]


def chain(mirror, tags, folder):
    """A bare repository with a commit for each of the releases and nothing between them; it borrows the mirror's objects."""
    subprocess.run(["git", "init", "--quiet", "--bare", folder], check=True)
    with open(f"{folder}/objects/info/alternates", "w", encoding="utf-8") as out:
        out.write(f"{mirror}/objects\n")
    names = {f"GIT_{who}_{what}": f"replay@{who}" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    dates = {f"GIT_{who}_DATE": "1500000000 +0000" for who in ("AUTHOR", "COMMITTER")}
    parent = []
    for tag in tags:
        tree = git(mirror, "rev-parse", f"{tag}^{{tree}}").strip()
        commit = git(folder, "commit-tree", tree, *parent, "-m", tag, env=os.environ | names | dates).strip()
        git(folder, "tag", tag, commit)
        parent = ["-p", commit]
    git(folder, "update-ref", "refs/heads/main", parent[1])


@dataclass
class Changed:
    """A file that differs between two releases."""

    path: str
    ranges: list
    weight: int


def changed_files(mirror, old, new):
    """The files that both releases have and that differ, where probes can go, by path."""
    out, path = {}, None
    diff = git(mirror, "diff", "-U0", "--no-renames", "--no-color", "--diff-filter=M", old, new)
    for line in diff.splitlines():
        if line.startswith("--- a/"):
            path = line[6:] if language_of(line[6:]) else None
            if path:
                out[path] = Changed(path, [], 0)
        elif path and (match := re.match(r"@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@", line)):
            first, count, added = int(match.group(1)), int(match.group(2) or 1), int(match.group(3) or 1)
            # The line above an insertion is named; changes are counted from 0.
            out[path].ranges.append((first - 1, first - 1 + count) if count else (first, first))
            out[path].weight = min(MOST, out[path].weight + count + added)
    return out


class Texts:
    """The files of a pair of releases, read and parsed once."""

    def __init__(self, mirror, tags):
        self.mirror, self.tags, self.views, self.blobs = mirror, tags, {}, {}

    def view(self, side, path):
        """The file on one side; None where it is not text that can be read."""
        if (side, path) not in self.views:
            done = subprocess.run(["git", "-C", self.mirror, "show", f"{self.tags[side]}:{path}"], capture_output=True, check=True)
            try:
                text = done.stdout.decode()
                view = None if "\r" in text else View(Source(text, language_of(path)))
            except UnicodeDecodeError:
                view = None
            self.views[side, path] = view
        return self.views[side, path]

    def blob(self, side, path):
        if (side, path) not in self.blobs:
            self.blobs[side, path] = git(self.mirror, "rev-parse", f"{self.tags[side]}:{path}").strip()
        return self.blobs[side, path]


@dataclass
class Probe:
    number: int
    kind: str
    path: str
    line: int
    gap: int
    text: str
    position: str
    anchor: object
    reason: str


def is_near(line, ranges):
    return any(first - NEAR <= line <= last + NEAR for first, last in ranges)


def choose(texts, changed, wanted, numbers, used, seed):
    """Chooses the wanted number of places of each kind; where a kind has fewer, all that it has."""
    out = []
    for kind, count in wanted.items():
        row = KINDS[kind]
        chance = random.Random(f"{seed}/{texts.tags}/{kind}/{len(used)}")
        files = [it for it in changed.values() if row.files(it.path)]
        open_places = {}
        while count and files:
            file = chance.choices(files, [it.weight for it in files])[0]
            if file.path not in open_places:
                view = texts.view(0, file.path)
                usable = view is not None and texts.view(1, file.path) is not None
                places = list(row.places(view)) if usable and not (view.structure and view.structure.broken) else []
                chance.shuffle(places)
                open_places[file.path] = places
            places = [it for it in open_places[file.path] if (file.path, it.gap) not in used]
            if not places:
                files.remove(file)
                continue
            near = [it for it in places if is_near(it.line, file.ranges)]
            place = (near if near and chance.random() < NEAR_SHARE else places)[0]
            open_places[file.path] = [it for it in places if it is not place]
            used.add((file.path, place.gap))
            out.append(probe(texts.view(0, file.path), kind, file.path, place, next(numbers)))
            count -= 1
    return out


def probe(view, kind, path, place, number):
    row = KINDS[kind]
    text = place.indent + row.insert.format(number, number) + "\n"
    anchor, reason = None, row.address
    if callable(row.address):
        reason = ""
        try:
            anchor = row.address(view, place)
        except NoAddress as error:
            reason = str(error)
    return Probe(number, kind, path, place.line, place.gap, text, place.position, anchor, reason)
