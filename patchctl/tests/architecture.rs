//! The imports of `patchctl/src` point one way: between the modules as [`MAY_IMPORT`] lists them, and without a circle
//! of files inside a module but for [`CIRCLES`].

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use regex::Regex;

/// Each module with the modules that it may import. `docs/architecture.md` shows those that it does import.
const MAY_IMPORT: [(&str, &str); 16] = [
    ("main", "cli"),
    (
        "cli",
        "workflow workspace verify overlay upstream toolchain yaml report progress",
    ),
    (
        "workflow",
        "workspace verify build patch overlay upstream store toolchain yaml report embedded_sources progress",
    ),
    (
        "verify",
        "build patch overlay cpp upstream store toolchain yaml report embedded_sources progress",
    ),
    ("build", "upstream store toolchain report embedded_sources"),
    ("workspace", "patch overlay upstream yaml report"),
    ("patch", "overlay cpp report"),
    ("overlay", "cpp yaml report"),
    ("cpp", "report"),
    ("upstream", "store toolchain report progress"),
    ("embedded_sources", "store toolchain report"),
    ("store", "toolchain report progress"),
    ("toolchain", "report"),
    ("yaml", "report"),
    ("report", ""),
    ("progress", ""),
];

/// Files that import each other, each group with the reason. An import of the enclosing module does not count.
const CIRCLES: &[(&str, &str)] = &[
    (
        "cpp::lex cpp::limits",
        "the lexer stops at the limits, which are counts of its tokens",
    ),
    (
        "store::cache store::session",
        "a session holds the cache's lock, and the cache removes left-overs through a session",
    ),
    (
        "upstream::git::repo upstream::git::store",
        "the store keeps repositories, and an opened repository knows its store",
    ),
    (
        "verify::findings verify::structure",
        "the findings of level structure are made from its state",
    ),
    (
        "verify::run::diagnose verify::run::judge",
        "an assessment holds its diagnosis, which is made from its mismatches",
    ),
];

static INLINE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\b(?:crate|super)(?:::\w+)+").unwrap());
static TESTS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?m)^#\[cfg\(test\)\]\nmod \w+ \{").unwrap());
static COMMENTS: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?m)^\s*//.*$").unwrap());
static DECLARATION: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?m)^\s*(pub(?:\([^)]*\))? )?use ([^;]+);").unwrap());

/// A file's path below `src` without its ending, as module names: `workflow`, `workflow::bump`.
type Module = String;

struct Source {
    /// Everything but comments and the file's own tests.
    text: String,
    uses: Vec<(bool, Vec<String>)>,
}

struct Tree {
    files: BTreeMap<Module, Source>,
}

impl Tree {
    fn read() -> Self {
        let mut files = BTreeMap::new();
        let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        read_folder(&src, "", &mut files);
        Self { files }
    }

    /// The file that a path leads to, seen from the module `from`: through child modules and re-exports.
    fn resolve(&self, from: &str, path: &[&str]) -> Option<Module> {
        let mut at = match path.first()? {
            &"crate" => String::new(),
            &"self" => from.to_owned(),
            &"super" => parent(from),
            first if self.files.contains_key(&join(from, first)) => join(from, first),
            _ => return None,
        };
        for name in &path[1..] {
            if *name == "super" {
                at = parent(&at);
            } else if self.files.contains_key(&join(&at, name)) {
                at = join(&at, name);
            } else if let Some(next) = self.re_exported(&at, name) {
                at = next;
            } else {
                break;
            }
        }
        Some(at)
    }

    /// The file from which the module re-exports the name.
    fn re_exported(&self, module: &str, name: &str) -> Option<Module> {
        let source = self.files.get(module)?;
        let mut public = source.uses.iter().filter(|(is_public, _)| *is_public);
        public.find_map(|(_, path)| {
            let path: Vec<&str> = path.iter().map(String::as_str).collect();
            if path.last() != Some(&name) || path.first() == Some(&"super") {
                return None;
            }
            self.resolve(module, &path).filter(|found| found != module)
        })
    }

    /// The files that a file imports from, itself left out.
    fn imports(&self, module: &str) -> BTreeSet<Module> {
        let Source { text, uses } = &self.files[module];
        let used = uses
            .iter()
            .map(|(_, path)| path.iter().map(String::as_str).collect());
        let inline = INLINE.find_iter(text).map(|found| found.as_str());
        used.chain(inline.map(|path| path.split("::").collect()))
            .filter_map(|path: Vec<&str>| self.resolve(module, &path))
            .filter(|found| found != module && !found.is_empty())
            .collect()
    }
}

fn read_folder(folder: &Path, module: &str, files: &mut BTreeMap<Module, Source>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap().to_str().unwrap();
        if path.is_dir() {
            if stem != "tests" {
                read_folder(&path, &join(module, stem), files);
            }
            continue;
        }
        let name = match stem {
            "tests" | "lib" => continue,
            "mod" => module.to_owned(),
            _ => join(module, stem),
        };
        let text = fs::read_to_string(&path).unwrap();
        let text = TESTS.split(&text).next().unwrap();
        let text = COMMENTS.replace_all(text, "").into_owned();
        let uses = uses(&text);
        files.insert(name, Source { text, uses });
    }
}

/// Every path that a file's `use` declarations name, groups taken apart, and whether the declaration is public.
fn uses(text: &str) -> Vec<(bool, Vec<String>)> {
    let mut all = Vec::new();
    for found in DECLARATION.captures_iter(text) {
        let words: String = found[2].split_whitespace().collect();
        let mut paths = Vec::new();
        take_apart(&words, &[], &mut paths);
        all.extend(paths.into_iter().map(|path| (found.get(1).is_some(), path)));
    }
    all
}

fn take_apart(text: &str, before: &[String], out: &mut Vec<Vec<String>>) {
    let Some((head, group)) = text.split_once('{') else {
        let path = text
            .split("::")
            .map(|name| name.split("as").next().map_or(name, |_| name));
        out.push(
            before
                .iter()
                .cloned()
                .chain(path.map(str::to_owned))
                .collect(),
        );
        return;
    };
    let mut prefix = before.to_vec();
    prefix.extend(
        head.split("::")
            .filter(|name| !name.is_empty())
            .map(str::to_owned),
    );
    let group = group.strip_suffix('}').unwrap_or(group);
    let mut depth = 0;
    for part in group.split(|sign| {
        match sign {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        sign == ',' && depth == 0
    }) {
        if !part.is_empty() {
            take_apart(part, &prefix, out);
        }
    }
}

fn join(module: &str, name: &str) -> Module {
    match module {
        "" => name.to_owned(),
        _ => format!("{module}::{name}"),
    }
}

fn parent(module: &str) -> Module {
    module
        .rsplit_once("::")
        .map_or(String::new(), |(parent, _)| parent.to_owned())
}

fn top(module: &str) -> &str {
    module.split("::").next().unwrap()
}

/// The groups of files that reach each other.
fn circles(edges: &BTreeMap<Module, BTreeSet<Module>>) -> BTreeSet<Vec<Module>> {
    let reach = |from: &str| {
        let mut seen = BTreeSet::new();
        let mut open = vec![from.to_owned()];
        while let Some(at) = open.pop() {
            for next in edges.get(&at).into_iter().flatten() {
                if seen.insert(next.clone()) {
                    open.push(next.clone());
                }
            }
        }
        seen
    };
    let reached: BTreeMap<&Module, BTreeSet<Module>> =
        edges.keys().map(|module| (module, reach(module))).collect();
    let in_circle = edges
        .keys()
        .filter(|module| reached[module].contains(*module));
    in_circle
        .map(|module| {
            let back = |other: &&Module| reached.get(other).is_some_and(|it| it.contains(module));
            reached[module].iter().filter(back).cloned().collect()
        })
        .collect()
}

#[test]
fn modules_import_downwards_only() {
    let tree = Tree::read();
    let allowed: BTreeMap<&str, &str> = MAY_IMPORT.into_iter().collect();
    let mut wrong = Vec::new();
    for module in tree.files.keys() {
        let Some(may) = allowed.get(top(module)) else {
            wrong.push(format!("{module} is in no module of MAY_IMPORT"));
            continue;
        };
        for import in tree.imports(module) {
            let is_allowed = may.split(' ').any(|name| name == top(&import));
            if top(&import) != top(module) && !is_allowed {
                wrong.push(format!("{module} imports {import}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_circle_of_files_without_its_reason() {
    let tree = Tree::read();
    let mut edges = BTreeMap::new();
    for module in tree.files.keys() {
        // A part may use the types of the module that it is a part of.
        let is_part = |import: &Module| module.starts_with(&format!("{import}::"));
        let imports = tree.imports(module).into_iter().filter(|it| !is_part(it));
        edges.insert(module.clone(), imports.collect::<BTreeSet<_>>());
    }
    let found: Vec<String> = circles(&edges)
        .iter()
        .map(|circle| circle.join(" "))
        .collect();
    let listed: Vec<&str> = CIRCLES.iter().map(|(files, _)| *files).collect();
    let new: Vec<&String> = found
        .iter()
        .filter(|it| !listed.contains(&it.as_str()))
        .collect();
    let gone: Vec<&&str> = listed
        .iter()
        .filter(|it| !found.iter().any(|one| one == *it))
        .collect();
    assert!(
        new.is_empty() && gone.is_empty(),
        "new: {new:#?}\ngone: {gone:#?}"
    );
}

/// The modules' imports as a Mermaid picture; an import that a chain of others implies is left out.
fn picture(tree: &Tree) -> String {
    let mut edges: BTreeMap<Module, BTreeSet<Module>> = BTreeMap::new();
    for module in tree.files.keys() {
        let imports = tree
            .imports(module)
            .into_iter()
            .map(|import| top(&import).to_owned());
        let others = imports.filter(|import| import != top(module));
        edges
            .entry(top(module).to_owned())
            .or_default()
            .extend(others);
    }
    let reaches = |from: &str, to: &str| {
        let mut open = vec![from];
        let mut seen = BTreeSet::new();
        while let Some(at) = open.pop() {
            let next = edges.get(at).into_iter().flatten();
            open.extend(next.map(String::as_str).filter(|next| seen.insert(*next)));
        }
        seen.contains(to)
    };
    let mut lines = String::from("```mermaid\nflowchart TD\n");
    for (from, imports) in &edges {
        let is_implied = |to: &Module| {
            imports
                .iter()
                .any(|other| other != to && reaches(other, to))
        };
        for to in imports.iter().filter(|to| !is_implied(to)) {
            lines.push_str(&format!("  {from} --> {to}\n"));
        }
    }
    lines + "```\n"
}

/// With `PATCHCTL_TEST_WRITE=1` the page is written anew.
#[test]
fn page_shows_the_modules() {
    const BEGIN: &str = "<!-- modules: made by patchctl/tests/architecture.rs -->\n";
    const END: &str = "<!-- end of modules -->";
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let page = root.join("docs/architecture.md");
    let text = fs::read_to_string(&page).unwrap();
    let (before, rest) = text.split_once(BEGIN).unwrap();
    let (_, after) = rest.split_once(END).unwrap();
    let wanted = format!("{before}{BEGIN}{}{END}{after}", picture(&Tree::read()));
    if std::env::var_os("PATCHCTL_TEST_WRITE").is_some() {
        fs::write(&page, &wanted).unwrap();
    } else {
        assert!(text == wanted, "run this test with PATCHCTL_TEST_WRITE=1");
    }
}

#[test]
fn files_on_the_way_of_a_bump_are_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("../docs/architecture.md")).unwrap();
    let (_, way) = page.split_once("## The way of a bump").unwrap();
    let (way, _) = way.split_once("\n## ").unwrap();
    let step = Regex::new(r"(?m)^\d+\. `([^`]+\.rs)`").unwrap();
    let files: Vec<&str> = step
        .captures_iter(way)
        .map(|it| it.get(1).unwrap().as_str())
        .collect();
    assert!(!files.is_empty() && files.len() <= 10, "{files:?}");
    for file in files {
        assert!(root.join("src").join(file).is_file(), "{file} is not there");
    }
}
