"""Token streams of the files that probes go into. Shares nothing with patchctl's readers."""

import bisect
import io
import re
import tokenize

CPP = re.compile(
    r"""
    (?P<comment>//[^\n]*(?:\\\n[^\n]*)*|/\*.*?(?:\*/|\Z))
  | (?P<directive>^[ \t]*\#(?:[^\n\\/]|\\\r?\n|\\.|/\*.*?\*/|//[^\n]*|/)*)
  | (?P<string>(?:u8|[uUL])?R"(?P<raw>[^\s()\\]{0,16})\(.*?\)(?P=raw)"|(?:u8|[uUL])?"(?:[^"\\\n]|\\.)*")
  | (?P<char>(?:u8|[uUL])?'(?:[^'\\\n]|\\.)+')
  | (?P<number>\.?\d(?:[eEpP][+-]|'?[\w.])*)
  | (?P<word>[A-Za-z_]\w*)
  | (?P<punct>::|->|\+\+|--|\.\.\.|&&|\|\||[=!<]=|[-+*/%&|^]=|<<|[^\s\w])
    """,
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)
CMAKE = re.compile(
    r"""
    (?P<comment>\#\[(?P<level>=*)\[.*?\](?P=level)\]|\#[^\n]*)
  | (?P<string>\[(?P<equals>=*)\[.*?\](?P=equals)\]|"(?:[^"\\]|\\.)*")
  | (?P<punct>[()])
  | (?P<word>[^\s()"\#]+)
    """,
    re.VERBOSE | re.DOTALL,
)


class Source:
    """A text as tokens: `text`, `kind`, first and last line (from 0), offsets."""

    def __init__(self, content, language):
        self.content = content
        self.language = language
        self.lines = content.splitlines(keepends=True)
        self.text, self.kind, self.line, self.last, self.start, self.end = [], [], [], [], [], []
        self.starts = [0]
        for match in re.finditer("\n", content):
            self.starts.append(match.end())
        {"cpp": self._cpp, "cmake": self._cmake, "python": self._python}[language]()

    def _add(self, text, kind, start, end):
        self.text.append(text)
        self.kind.append(kind)
        self.start.append(start)
        self.end.append(end)
        self.line.append(bisect.bisect_right(self.starts, start) - 1)
        self.last.append(bisect.bisect_right(self.starts, max(start, end - 1)) - 1)

    def _cpp(self):
        for match in CPP.finditer(self.content):
            kind = match.lastgroup
            if kind == "comment":
                continue
            if kind == "raw":
                kind = "string"
            text, start = match.group(), match.start()
            if kind == "directive":
                start += len(text) - len(text.lstrip())
                text = directive(text)
            self._add(text, kind, start, match.end())

    def _cmake(self):
        for match in CMAKE.finditer(self.content):
            if match.group("comment") is None:
                kind = "word" if match.group("word") else "string" if match.group("string") else "punct"
                self._add(match.group(), kind, match.start(), match.end())

    def _python(self):
        skipped = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.ENDMARKER}
        try:
            for token in tokenize.generate_tokens(io.StringIO(self.content).readline):
                if token.type in skipped:
                    continue
                start, end = (self.starts[row - 1] + column for row, column in (token.start, token.end))
                if token.type in (tokenize.INDENT, tokenize.DEDENT):
                    # A comment or blank line above belongs to neither block.
                    text = "<in>" if token.type == tokenize.INDENT else "<out>"
                    self._add(text, "punct", start, start)
                else:
                    kind = {tokenize.NAME: "word", tokenize.NUMBER: "number"}.get(token.type, "punct")
                    self._add(token.string, kind, start, end)
        except (tokenize.TokenError, IndentationError, IndexError):
            pass

    def gap(self, line):
        """Tokens before the beginning of a line; None inside a token."""
        index = bisect.bisect_left(self.line, line)
        if index and self.last[index - 1] >= line:
            return None
        return index

    def starts_line(self, index):
        """True if nothing but white space stands before the token on its line."""
        return not self.content[self.starts[self.line[index]] : self.start[index]].strip()

    def ends_line(self, index):
        """True if no code follows the token on its line."""
        return index + 1 >= len(self.text) or self.line[index + 1] > self.last[index]

    def slice(self, first, behind):
        """The tokens first..behind on one line, spaced as upstream spaces them."""
        out = ""
        for index in range(first, behind):
            if index > first and self.end[index - 1] != self.start[index]:
                out += " "
            out += self.text[index]
        return out

    def indent(self, line):
        return re.match(r"[ \t]*", self.lines[line]).group() if line < len(self.lines) else ""


def directive(text):
    """A directive on one line, without comments and superfluous white space."""
    text = re.sub(r"\\\r?\n", " ", text)
    text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.DOTALL)
    return re.sub(r"^# ", "#", " ".join(text.split()))


def language_of(path):
    """The language of a file by its name; None where no probe goes into it."""
    if path.endswith((".cpp", ".h", ".hpp", ".cu", ".cuh", ".metal")):
        return "cpp"
    if path.endswith("CMakeLists.txt") or path.endswith(".cmake"):
        return "cmake"
    return "python" if path.endswith(".py") else None
