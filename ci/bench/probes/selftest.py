"""Tests of the oracle and the classification: no mirror, no patchctl, some seconds. A wrong landing that was planted has to be
seen as wrong."""

import difflib
import random
import unittest

from . import program, table
from .measure import judged
from .oracle import View, answer
from .pairs import probe
from .peers import Peers, line_of, unified
from .places import KINDS, Place, line_address
from .tokens import Source

# The place in question. A comment is no token: the oracle does not see it.
HERE = "// here"
TWO = """namespace n {
int first(int a) {
  prepare(a);
  int kept = work(a);
  finish(kept);
  return kept;
}
int second(int a) {
  prepare(a);
  int kept = work(a);
  finish(kept);
  return kept;
}
}
"""


def cpp(text):
    return View(Source(text, "cpp"))


def marked(text, before, nth=0, mark=HERE):
    """The text with the mark on a line before the nth line that holds something."""
    lines = text.splitlines(keepends=True)
    at = [index for index, line in enumerate(lines) if before in line][nth]
    return "".join(lines[:at] + [mark + "\n"] + lines[at:])


def asked_of(old, new, language="cpp"):
    """The oracle's answer for the mark of one text, and the other's view."""
    a, b = View(Source(old, language)), View(Source(new, language))
    line = next(index for index, text in enumerate(a.source.lines) if text.strip().endswith("here"))
    return answer(a, a.source.gap(line), b), b


def said(old, new, before, nth=0):
    """The oracle's word for a line before the nth line of new that holds something."""
    found, b = asked_of(old, new)
    line = [index for index, text in enumerate(b.source.lines) if before in text][nth]
    return found.judge(b.source.gap(line))


class Tokens(unittest.TestCase):
    def test_cpp(self):
        source = Source('a(/* b */ "c//d", \'"\', R"(\n}\n)", 1\'000u); // e\n#if  X \\\n && Y // z\nf->g;\n', "cpp")
        self.assertEqual(source.text[:6], ["a", "(", '"c//d"', ",", "'\"'", ","])
        self.assertEqual(source.text[6:], ['R"(\n}\n)"', ",", "1'000u", ")", ";", "#if X && Y", "f", "->", "g", ";"])
        self.assertIsNone(source.gap(1), "inside a raw string")

    def test_others(self):
        self.assertEqual(Source('if(A) # b\n  set(x "y z")\n', "cmake").text, ["if", "(", "A", ")", "set", "(", "x", '"y z"', ")"])
        self.assertEqual(Source("if a:\n  b()\nc\n", "python").text, ["if", "a", ":", "<in>", "b", "(", ")", "<out>", "c"])


class Constructs(unittest.TestCase):
    TEXT = """#pragma once
namespace n { namespace {
constexpr int limit = 3;
template <typename T, int N = (4 > 3)>
struct API box : base<T> {
  explicit box(int a) : a_{a}, b_(a) { go(); }
  bool operator==(const box& other) const { return true; }
  int size() const;
  int a_{0}, b_;
  T last;
};
} // namespace
[[host_name("k")]] [[kernel]] void k(device float* x [[buffer(0)]]) {
  PRAGMA
  for (int i = 0; i < 4; i++) {
    x[i] = 0;
  }
  run([&](int a) -> bool {
    if (a) return true;
    return false;
  });
}
instantiate("k", float)
auto f = [](int a) { return a; };
}
"""

    def test_names(self):
        found = cpp(self.TEXT).structure
        self.assertEqual([it.name for it in found.functions], ["n::box::box", "n::box::operator==", "n::k"])
        self.assertEqual([it.name for it in found.classes], ["n::box"])
        self.assertEqual([(it.kind, it.name) for it in found.items if it.owner is None],
                         [("variable", "limit"), ("class", "box"), ("variable", "f")])
        self.assertEqual([it.name for it in found.items if it.owner is not None], ["box", "operator==", "size", "a_", "last"])

    def test_statements(self):
        view = cpp(self.TEXT)
        every = view.structure.statements(view.structure.functions[2])
        self.assertEqual([(it.kind, it.depth, len(it.inside), it.braceless) for it in every],
                         [("for", 0, 0, False), ("other", 1, 0, False), ("other", 0, 0, False), ("if", 0, 1, False),
                          ("return", 1, 1, True), ("return", 0, 1, False)])

    def test_addresses(self):
        view = cpp(TWO.replace("finish(kept);", "finish(kept);\n  finish(kept);"))
        row = KINDS["statement"]
        found = [probe(view, "statement", "a.cpp", it, 1).anchor for it in row.places(view)]
        self.assertIn({"function": "first", "statement": {"tokens": "int kept ="}, "position": "after"}, found)
        self.assertIn(None, found, "between two equal statements there is no address")


    def test_equal_lines_are_addressed_by_the_line_above(self):
        text = "if(A)\n  set(X\n    1\n  )\nendif()\nif(B)\n  set(X\n    1\n  )\nendif()\n"
        view = View(Source(text, "cmake"))
        place = Place(2, 3, "    ", None, "before")
        self.assertEqual(line_address(view, place), {"line": "1", "under": "if(A)", "position": "before"})


class Oracle(unittest.TestCase):
    OLD = marked(TWO, "finish", 1)

    def test_a_planted_wrong_landing_is_wrong(self):
        self.assertEqual(said(self.OLD, TWO, "finish", 1), "right")
        self.assertEqual(said(self.OLD, TWO, "finish", 0), "wrong")
        self.assertEqual(said(self.OLD, TWO, "return", 1), "wrong")
        self.assertEqual(said(self.OLD, "int other();\n\n" + TWO, "finish", 1), "right")

    def test_what_was_removed_is_gone(self):
        without = TWO[: TWO.index("int second")] + "}\n"
        self.assertEqual(asked_of(self.OLD, without)[0].status, "gone")
        self.assertEqual(said(self.OLD, without, "finish"), "wrong")
        self.assertEqual(answer(cpp(TWO), 3, None).status, "gone")

    def test_a_changed_neighbour_still_says_where(self):
        self.assertEqual(said(self.OLD, TWO.replace("work(a)", "work(a, 1)"), "finish", 1), "right")
        self.assertEqual(said(self.OLD, TWO.replace("finish(kept);", "finish(kept, a);"), "finish", 1), "right")
        new = marked(TWO, "finish", 1, "  log(a);")
        self.assertEqual([said(self.OLD, new, text, 0) for text in ("log", "return")], ["right", "wrong"])

    def test_a_renamed_function_is_known_by_its_body(self):
        # Both bodies are alike, so nothing says which was renamed.
        self.assertEqual(asked_of(self.OLD, TWO.replace("first", "third").replace("second", "fourth"))[0].status, "unknown")
        other = TWO.replace("prepare(a)", "prepare_all(a, a)", 1).replace("work(a)", "other_work(a, 2)", 1)
        self.assertEqual(said(marked(other, "finish", 1), other.replace("second", "third"), "finish", 1), "right")

    def test_a_block_between_the_neighbours_leaves_it_open(self):
        new = TWO.replace("  finish(kept);\n", "  if (a) {\n  finish(kept);\n  }\n")
        self.assertEqual(said(self.OLD, new, "finish", 1), "unclear")

    def test_the_wrong_side_of_a_directive_is_wrong(self):
        text = TWO.replace("  finish(kept);\n", "  finish(kept);\n#ifdef X\n  more(kept);\n#endif\n")
        old = marked(text, "#endif", 1)
        self.assertEqual([said(old, text, "#endif", 1), said(old, text, "return", 1)], ["right", "wrong"])

    def test_ends_stay_ends(self):
        """A function's last place stays before its brace, the file's behind everything, whatever changes before."""
        old = "void f() {\n  go(1, 2);\n  // here\n}\n"
        found, view = asked_of(old, "void f() {\n  if (a) {\n    come(3);\n  }\n}\n")
        self.assertEqual([found.judge(view.source.gap(line)) for line in (4, 3, 1)], ["right", "unclear", "unclear"])
        found, view = asked_of("int a = f(1);\n// here\n", "int b = g(2, 3);\nint c = 4;\n")
        self.assertEqual(found.judge(view.source.gap(2)), "right")

    def test_lines_that_moved_elsewhere_are_left_open(self):
        body = "  one(a, b);\n  two(a, b);\n  three(a, b);\n"
        old = "void f() {\n" + body + "}\n"
        new = "void g() {\n" + body + "}\nvoid f() {\n  g();\n}\n"
        self.assertEqual(said(marked(old, "two"), new, "two"), "unclear")

    def test_an_equal_body_is_marked(self):
        self.assertTrue(asked_of(self.OLD, TWO.replace("  finish", "  // why\n    finish"))[0].same)
        self.assertFalse(asked_of(self.OLD, TWO.replace("finish", "end"))[0].same)

    def test_python(self):
        text = "def f(a):\n  if a:\n    b()\n  c()\n"
        found, view = asked_of(text.replace("    b()\n", "    # here\n    b()\n"), "import x\n\n" + text, "python")
        self.assertEqual([found.judge(view.source.gap(line)) for line in (4, 5)], ["right", "wrong"])

    def test_random_edits_never_deceive_it(self):
        """Lines are changed at random around a mark that stays: the mark's place is never wrong, a far one never right."""
        chance = random.Random(11)
        right = 0
        for _ in range(300):
            body = [f"  step_{chance.randrange(6)}(x{chance.randrange(3)});\n" for _ in range(12)]
            at = chance.randrange(1, 12)
            new = [(line, index) for index, line in enumerate(body)]
            for _ in range(chance.randrange(5)):
                index = chance.randrange(len(new))
                near = abs(new[index][1] - at) < 3
                if chance.random() < 0.5 or near:
                    new.insert(index, (f"  added_{chance.randrange(99)}();\n", -1 if not near else new[index][1]))
                else:
                    new[index] = (f"  changed_{chance.randrange(99)}();\n", new[index][1])
            old = "void f() {\n" + "".join(body[:at] + [HERE + "\n"] + body[at:]) + "}\n"
            found, view = asked_of(old, "void f() {\n" + "".join(line for line, _ in new) + "}\n")
            true = next(index for index, (line, origin) in enumerate(new) if origin == at and line == body[at])
            word = found.judge(view.source.gap(true + 1))
            self.assertNotEqual(word, "wrong", old)
            right += word == "right"
            for index, (_, origin) in enumerate(new):
                if origin >= 0 and abs(origin - at) > 3:
                    self.assertNotEqual(found.judge(view.source.gap(index + 1)), "right", old)
        self.assertGreater(right, 200)


class Classification(unittest.TestCase):
    def test_a_wrong_landing_reaches_the_table(self):
        found, view = asked_of(Oracle.OLD, TWO)
        lines = [index for index, line in enumerate(view.source.lines) if "finish" in line]
        words = [judged((what, line, "", ""), found, view) for what, line in (
            ("landed", lines[1]), ("landed", lines[0]), ("asked", lines[1]), ("asked", lines[0]), ("refused", None), ("landed", None))]
        # A line that no one place explains is in none, and counts for nobody.
        self.assertEqual(words, ["landed right", "landed wrong", "asked right", "asked wrong", "refused", "landed wrong"])
        records = [{"kind": "statement", "patchctl": word, "same": True, "oracle": "place"} | dict.fromkeys(Peers.NAMES, "landed right")
                   for word in words]
        row = dict(zip(table.HEAD, table.row_of(records)))
        self.assertEqual([row[name] for name in ("landed", "asked", "refused", "needless", "WRONG", "asked wrong")], [1, 1, 1, 1, 2, 1])
        self.assertEqual(len(table.landed_wrong(records)), 2)
        for record in records:
            record |= {"reason": "why", "pair": ["a", "b"], "path": "p", "line": 1}
        self.assertEqual(table.reasons(records, "refused")[1:], [[1, "why", 1, 1, "statement 1", "a p:1"]])
        self.assertEqual(table.ratios(records)["all"]["landed or asked / git apply -3"], 0.333)

    def test_answers_are_read(self):
        answer_of = {"results": [{"landed": ["replay/p7.1: n::f(int a, line 3), line 12", "replay/p8.1: g(), line 9 (only)"], "findings": [
            {"hunk": "replay/p9", "code": "anchor-not-found", "severity": "error", "message": "no"}]}]}
        self.assertEqual(program.landed(answer_of), {"p7": 11, "p8": 8})
        self.assertEqual([program.hunk_of(it) for it in program.findings(answer_of)], ["p9"])
        self.assertEqual(program.lines_of("a\n// patchctl:begin x\n  int replay_5 = 5;\n// patchctl:end x\nb\n"), {5: 1})

    def test_diffs_are_git_s(self):
        for text in ("a\nb\nc\nd\ne\nf\ng\nh\n", "a\nb"):
            old = text.splitlines(keepends=True)
            for line in range(len(old)):
                new = old[:line] + ["X\n"] + old[line:]
                wanted = "".join(difflib.unified_diff(old, new, n=3)).splitlines()[2:]
                got = [it for it in unified("p", old, line, "X\n", "0" * 40).splitlines()[4:] if not it.startswith("\\")]
                self.assertEqual(got[1:], wanted[1:])
                self.assertEqual(line_of("".join(new), text, "X\n"), line)
        self.assertIsNone(line_of("X\nb\n", "a\nb\n", "X\n"), "other lines changed too")


def run():
    """Runs the tests; the exit status."""
    suite = unittest.defaultTestLoader.loadTestsFromModule(__import__(__name__, fromlist=["run"]))
    return 0 if unittest.TextTestRunner(verbosity=0).run(suite).wasSuccessful() else 1
