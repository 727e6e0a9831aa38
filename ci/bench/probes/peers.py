"""The peers: git apply, git apply -3 and patch over the probe's change as a unified diff."""

import os
import subprocess
import time

ENVIRONMENT = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C", "PATH": os.environ["PATH"]}
CONTEXT = 3


def unified(path, old, line, text, blob):
    """A diff that puts text before a line of old (from 0), as git writes it."""
    first, last = max(0, line - CONTEXT), min(len(old), line + CONTEXT)
    count = last - first
    body = [f" {it}" for it in old[first:line]] + [f"+{text}"] + [f" {it}" for it in old[line:last]]
    body = [it if it.endswith("\n") else it + "\n\\ No newline at end of file\n" for it in body]
    return (
        f"diff --git a/{path} b/{path}\nindex {blob}..{'1' * 40} 100644\n--- a/{path}\n+++ b/{path}\n"
        f"@@ -{first + 1 if count else 0},{count} +{first + 1},{count + 1} @@\n" + "".join(body)
    )


class Peers:
    """Applies diffs to a file of the next release, each to its untouched text."""

    NAMES = ("git apply", "git apply -3", "patch")

    def __init__(self, folder, mirror):
        self.folder = folder
        self.times = {name: [] for name in self.NAMES}
        os.makedirs(folder)
        self._git("init", "--quiet", ".")
        # The modification time alone says that a file is as in the index, so that the index can be put back.
        for name, value in (("core.checkStat", "minimal"), ("core.trustctime", "false"), ("core.autocrlf", "false")):
            self._git("config", name, value)
        with open(f"{folder}/.git/objects/info/alternates", "w", encoding="utf-8") as out:
            out.write(f"{mirror}/objects\n")

    def _git(self, *words):
        subprocess.run(["git", *words], cwd=self.folder, env=ENVIRONMENT, check=True, capture_output=True)

    def at(self, path, blob, content):
        """The file that the next diffs are for."""
        self.path, self.content = path, content.encode()
        self._git("read-tree", "--empty")
        self._git("update-index", "--add", "--cacheinfo", f"100644,{blob},{path}")
        self._write()
        self._git("update-index", "--refresh")
        with open(f"{self.folder}/.git/index", "rb") as index:
            self.index = index.read()

    def _write(self):
        file = f"{self.folder}/{self.path}"
        os.makedirs(os.path.dirname(file), exist_ok=True)
        with open(file, "wb") as out:
            out.write(self.content)
        os.utime(file, (1_500_000_000, 1_500_000_000))

    def apply(self, name, diff):
        """The patched text; None where the tool refused."""
        file = f"{self.folder}/{self.path}"
        if name == "patch":
            words = ["patch", "--batch", "--forward", "--silent", "--reject-file=-", "--output=patched", self.path]
            target = f"{self.folder}/patched"
        else:
            words = ["git", "apply"] + (["-3"] if name.endswith("-3") else [])
            target = file
        start = time.perf_counter()
        done = subprocess.run(words, cwd=self.folder, env=ENVIRONMENT, input=diff.encode(), capture_output=True, check=False)
        self.times[name].append(time.perf_counter() - start)
        out = None
        if done.returncode == 0:
            with open(target, "rb") as patched:
                out = patched.read().decode()
        if name != "patch":
            with open(f"{self.folder}/.git/index", "wb") as index:
                index.write(self.index)
            with open(file, "rb") as now:
                changed = now.read() != self.content
            if changed:
                self._write()
            else:
                os.utime(file, (1_500_000_000, 1_500_000_000))
        return out


def line_of(patched, upstream, text):
    """The line (from 0) of upstream before which text went in; None where the rest is not upstream's."""
    lines = patched.splitlines(keepends=True)
    found = [index for index, line in enumerate(lines) if line.rstrip("\n") == text.rstrip("\n")]
    if len(found) != 1:
        return None
    rest = "".join(lines[: found[0]] + lines[found[0] + 1 :])
    return found[0] if rest.rstrip("\n") == upstream.rstrip("\n") else None
