"""patchctl over the probes of a pair of releases: all in one overlay, each a hunk of its own, which patchctl judges by
itself."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import time

OVERLAY = "replay"
FILE = f"overlays/{OVERLAY}.yaml"
# Findings with which patchctl shows a place and asks for a review of it.
ASKS = {"needs-review-shape", "locators-disagree"}
# Findings about a whole patched file, which name no hunk.
OF_FILE = {"new-parse-errors", "take-off-differs", "not-idempotent", "edits-overlap"}
# A bump that fails for other reasons than a hunk is run again without the hunks that failed, this often.
ROUNDS = 6


def built():
    """The patchctl that is measured: the one that PATCHCTL names, else a release build."""
    if "PATCHCTL" in os.environ:
        return os.path.abspath(os.environ["PATCHCTL"])
    root = pathlib.Path(__file__).resolve().parents[3]
    subprocess.run(["cargo", "build", "--quiet", "--release", "--package", "patchctl"], cwd=root, check=True)
    return str(pathlib.Path(os.environ.get("CARGO_TARGET_DIR", root / "target")).resolve() / "release/patchctl")


class Program:
    """A repository with one overlay, and the program."""

    def __init__(self, binary, folder, mirror):
        self.binary, self.folder = binary, folder
        self.times, self.seconds = [], 0.0
        self.environment = os.environ | {
            "PATCHCTL_CACHE": f"{folder}/cache", "RAYON_NUM_THREADS": "1", "GIT_CONFIG_GLOBAL": "/dev/null",
            "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C",
        }
        os.makedirs(f"{folder}/overlays")
        with open(f"{folder}/patchctl.yaml", "w", encoding="utf-8") as out:
            json.dump({"schema": 1, "upstream": {"name": "mlx", "sources": [{"git": mirror}]}, "overlays": "overlays"}, out)

    def write(self, edits):
        """The overlay with a hunk for each of the edits: name to file, anchor, text."""
        hunks = [
            {"id": name, "edits": [{"file": file, "at": anchor, "insert": text}]}
            for name, (file, anchor, text) in edits.items()
        ]
        head = {"schema": 1, "overlay": OVERLAY, "title": "Probes", "why": "To measure where they land."}
        with open(f"{self.folder}/{FILE}", "w", encoding="utf-8") as out:
            # JSON is YAML. A hunk a line: the loader names a line.
            out.write(json.dumps(head)[:-1] + ', "hunks": [\n' + ",\n".join(map(json.dumps, hunks)) + "\n]}\n")

    def run(self, *words):
        """The JSON answer of a command."""
        start = time.perf_counter()
        done = subprocess.run(
            [self.binary, "--format", "json", *words], cwd=self.folder, env=self.environment, capture_output=True, check=False
        )
        self.seconds += time.perf_counter() - start
        try:
            return json.loads(done.stdout)
        except ValueError:
            raise RuntimeError(f"patchctl {' '.join(words)}: {done.stderr.decode()[-2000:]}") from None

    def accept(self, release, edits):
        """Accepts the edits on a release. Gives where each is, by name: its line (from 0); and for the others the code
        and message of what stands in the way."""
        edits, refused = dict(edits), {}
        for _ in range(ROUNDS):
            if not edits:
                return {}, refused
            self.write(edits)
            reviewed = [word for name in edits for word in ("--reviewed", f"{OVERLAY}/{name}")]
            answer = self.run("bump", "--mlx", release, "--level", "structure", *reviewed)
            if answer["ok"]:
                return landed(answer), refused
            failed = self.failures(answer, edits, lambda name: self.run(
                "bump", "--dry-run", "--mlx", release, "--level", "structure", "--reviewed", f"{OVERLAY}/{name}"))
            if not failed:
                raise RuntimeError(f"patchctl bump --mlx {release}: {json.dumps(answer)[:2000]}")
            refused |= failed
            edits = {name: it for name, it in edits.items() if name not in failed}
        raise RuntimeError(f"patchctl bump --mlx {release} goes on failing")

    def failures(self, answer, edits, alone):
        """The hunks that do not land, with code and message; `alone` runs one of them by itself, where the answer names
        only its file."""
        failed, files, order = {}, set(), list(edits)
        for finding in findings(answer):
            name = hunk_of(finding)
            if not name and finding.get("file") == FILE and 2 <= finding.get("line", 0) < len(order) + 2:
                name = order[finding["line"] - 2]
            if name in edits and finding["code"] not in ASKS:
                failed.setdefault(name, (finding["code"], finding["message"]))
            elif finding["code"] in OF_FILE:
                files.add(finding.get("file"))
        if failed or not files:
            return failed
        for name, edit in edits.items():
            if edit[0] in files:
                self.write({name: edit})
                found = [it for it in findings(alone(name)) if it["code"] not in ASKS]
                if found:
                    failed[name] = (found[0]["code"], found[0]["message"])
        return failed

    def verify(self, release, edits):
        """What becomes of each edit on a release: `landed` or `asked` and the line (from 0), or `refused`, its code and
        message."""
        self.write(edits)
        answer = self.run("verify", "--mlx", release, "--level", "structure")
        outcome = {name: ("landed", line, "", "") for name, line in landed(answer).items()}
        for finding in findings(answer):
            name = hunk_of(finding)
            if name not in edits:
                continue
            if finding["code"] in ASKS:
                outcome[name] = ("asked", finding["line"] - 1, finding["code"], finding["message"])
            else:
                outcome[name] = ("refused", None, finding["code"], finding["message"])
        for name in edits:
            outcome.setdefault(name, ("refused", None, "nothing-said", ""))
        return outcome

    def bytes_of(self, release, edits, texts):
        """Locks the edits on a release and applies them to its files: the patched texts by path, and the hunks that a
        check of the patched file refuses."""
        refused = {}
        while edits:
            self.write(edits)
            answer = self.run("bump", "--mlx", release, "--level", "structure", "--keep-current")
            if answer["ok"]:
                break
            failed = self.failures(answer, edits, lambda name: self.run("verify", "--mlx", release, "--level", "structure"))
            if not failed:
                raise RuntimeError(f"patchctl bump --mlx {release}: {json.dumps(answer)[:2000]}")
            refused |= failed
            edits = {name: it for name, it in edits.items() if name not in failed}
        if not edits:
            return {}, refused
        tree = f"{self.folder}/tree"
        shutil.rmtree(tree, ignore_errors=True)
        files = {file for file, _, _ in edits.values()}
        for path in files:
            os.makedirs(os.path.dirname(f"{tree}/{path}"), exist_ok=True)
            with open(f"{tree}/{path}", "wb") as out:
                out.write(texts[path].encode())
        answer = self.run("apply", tree, "--mlx", release)
        if not answer["ok"]:
            raise RuntimeError(f"patchctl apply: {json.dumps(answer)[:2000]}")
        patched = {}
        for path in files:
            with open(f"{tree}/{path}", "rb") as file:
                patched[path] = file.read().decode()
        return patched, refused

    def time_one(self, release, name, edit):
        """Seconds of a whole process that verifies one edit."""
        self.write({name: edit})
        before = self.seconds
        self.run("verify", "--mlx", release, "--level", "structure")
        self.times.append(self.seconds - before)


def findings(answer):
    """The errors of an answer."""
    every = [it for result in answer.get("results", ()) for it in result["findings"]] + answer.get("findings", [])
    return [it for it in every if it["severity"] == "error"]


def hunk_of(finding):
    """The hunk's name in a finding, without overlay and edit."""
    return finding.get("hunk", "").removeprefix(f"{OVERLAY}/").split(".")[0]


def landed(answer):
    """The lines (from 0) of the edits that have a place."""
    out = {}
    for line in answer["results"][0].get("landed", ()):
        match = re.match(rf"{OVERLAY}/([^.]+)\.\S+: .*, line (\d+)(?: \(.*\))?$", line, re.DOTALL)
        if match:
            out[match.group(1)] = int(match.group(2)) - 1
    return out


def lines_of(patched):
    """Upstream lines before each probe's line in a patched text, by the probe's number."""
    out, upstream, inside = {}, 0, False
    for line in patched.splitlines():
        if "patchctl:begin" in line:
            inside = True
        elif "patchctl:end" in line:
            inside = False
        elif inside:
            out[int(re.search(r"(?:replay|REPLAY)_(\d+)", line).group(1))] = upstream
        else:
            upstream += 1
    return out
