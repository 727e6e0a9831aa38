//! The targets: each takes any bytes, and panics where a property does not hold.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use camino::Utf8Path;
use flate2::Compression;
use flate2::bufread::GzEncoder;
use git2::{ObjectType, Oid};
use patchctl_apply::markers::{self, Block, Comment, Digest12, EditName};
use patchctl_apply::{BlobId, Lock};

use super::package;
use crate::cpp::{Construct, Dialect, Parsed, Reading};
use crate::overlay::{Overlay, load, overlay_digest};
use crate::patch::{self, Base, Texts, Verdict, Where};
use crate::report::Code;
use crate::store::{GitTree, tree_rules::is_dot_git};
use crate::upstream;
use crate::verify::decode;
use crate::workspace::snapshots::{Front, Snapshot};
use crate::workspace::{CheckRecord, Config, Pins, Record, Reviewed};
use crate::yaml::Faults;

type Inputs = Vec<Vec<u8>>;

/// A target; `inputs` of it take about a second in a debug build.
#[derive(Clone, Copy)]
pub(super) struct Target {
    pub(super) name: &'static str,
    pub(super) inputs: u64,
    pub(super) run: fn(&[u8]),
    pub(super) seeds: fn() -> Inputs,
}

macro_rules! targets {
    ($($name:ident $inputs:literal $run:expr, $seeds:expr;)*) => {
        const TARGETS: &[Target] = &[$(Target { name: stringify!($name), inputs: $inputs, run: $run, seeds: $seeds }),*];
        /// One test a target: the fixed number of inputs.
        mod fixed { $(#[test] fn $name() { super::super::run(stringify!($name)); })* }
    };
}

targets! {
    overlay 1000 overlay, || files(".yaml", "/overlays/");
    config 2000 config, || files("patchctl.yaml", "");
    pins 2000 |bytes| record::<Pins>("pins.yaml", bytes), || files("pins.yaml", "");
    reviewed 500 |bytes| record::<Reviewed>("reviewed.yaml", bytes), || files("reviewed.yaml", "");
    check_record 2000 |bytes| record::<CheckRecord>("own.linux-x86_64.yaml", bytes), || files(".yaml", "/checks/");
    snapshot 1000 |bytes| record::<(Front, Snapshot)>("a.snap", bytes), || files("", "/tests/snapshots/");
    decode_model 500 decode_model, || files(".yaml", "/decode/");
    lock 200 lock, || files("lock.yaml", "");
    cpp 500 cpp, || files(".cpp", "");
    lines 300 lines, || files(".yaml", "/overlays/");
    patch 100 patch, overlays_with_sources;
    take_off 5000 take_off, Vec::new;
    tree_object 5000 tree_object, Vec::new;
    tar 2000 |bytes| archive("a.tar.gz", &gzip(&with_checksums(bytes))), Vec::new;
    zip 5000 |bytes| archive("a.zip", bytes), Vec::new;
    xz 5000 |bytes| archive("a.tar.xz", bytes), Vec::new;
}

pub(super) fn named(name: &str) -> Target {
    let broken = |run| Target {
        name: "",
        inputs: 1,
        run,
        seeds: || vec![vec![]],
    };
    match name {
        "panics" => broken(|_| panic!("no property")),
        "hangs" => broken(|_| {
            loop {
                std::hint::spin_loop()
            }
        }),
        "grows" => broken(|_| drop(std::hint::black_box(vec![1_u8; 250_000_000]))),
        _ => TARGETS
            .iter()
            .find(|target| target.name == name)
            .copied()
            .unwrap(),
    }
}

/// The repository's files of at most 64 KiB whose path ends in `end` and has `part` in it.
pub(super) fn files(end: &str, part: &str) -> Inputs {
    let folders = [
        "tests",
        "overlays",
        "docs/examples",
        "patchctl/tests",
        "patchctl.yaml",
    ];
    let mut paths: Vec<_> = folders
        .map(|folder| package().join("..").join(folder))
        .to_vec();
    let mut found = Vec::new();
    while let Some(path) = paths.pop() {
        if let Ok(folder) = std::fs::read_dir(&path) {
            paths.extend(folder.map(|entry| entry.unwrap().path()));
        } else if let Some(name) = path.to_str()
            && name.ends_with(end)
            && name.contains(part)
            && let Ok(bytes) = std::fs::read(&path)
            && bytes.len() <= 64 << 10
        {
            found.push((path, bytes));
        }
    }
    found.sort();
    found.into_iter().map(|(_, bytes)| bytes).collect()
}

/// What is written of a record that was read is the record.
fn record<R: Record>(file: &str, bytes: &[u8]) {
    let file = Utf8Path::new(file);
    if let Ok(record) = R::read_back(file, bytes) {
        let text = record.to_text().unwrap();
        let again = R::read_back(file, text.as_bytes()).unwrap();
        assert_eq!(again, record);
        assert_eq!(again.to_text().unwrap(), text);
    }
}

/// The pins of a lock are written as they were read; an old lock gets the newest schema.
fn lock(bytes: &[u8]) {
    if let Ok(lock) = Lock::parse(bytes) {
        let text = lock.to_yaml().unwrap();
        let again = Lock::parse(text.as_bytes()).unwrap();
        assert_eq!(again.pins, lock.pins);
        assert_eq!(again.to_yaml().unwrap(), text);
    }
}

/// Each fault is in the file.
fn ok<T>(read: Result<T, Faults>, bytes: &[u8]) -> Option<T> {
    let faults = read.as_ref().err().map_or(&[][..], |faults| &faults.0);
    assert!(read.is_ok() || !faults.is_empty());
    let lines = bytes
        .iter()
        .filter(|byte| matches!(byte, b'\n' | b'\r'))
        .count() as u64;
    let found = faults.iter().filter_map(|fault| fault.line);
    found.for_each(|line| assert!((1..=lines + 2).contains(&line), "{line}"));
    read.ok()
}

fn overlay(bytes: &[u8]) {
    overlay_of(bytes);
}

/// An overlay, as the file that it must be in.
fn overlay_of(bytes: &[u8]) -> Option<Overlay> {
    let text = String::from_utf8_lossy(bytes);
    let mut ids = text
        .lines()
        .filter_map(|line| line.strip_prefix("overlay: "));
    let file = format!("{}.yaml", ids.next().unwrap_or("o").trim());
    let overlay = ok(load(Utf8Path::new(&file), bytes), bytes)?;
    assert_eq!(overlay_digest(&overlay).len(), 64);
    Some(overlay)
}

fn config(bytes: &[u8]) {
    ok(Config::parse(bytes), bytes);
}

fn decode_model(bytes: &[u8]) {
    ok(decode::parse("m.yaml".into(), bytes), bytes);
}

/// The bodies of trusted constructs lie inside each other or apart, and a third count of braces ends them where they end.
/// Each line stands under those that a walk upwards finds.
fn lines(bytes: &[u8]) {
    let reading = Reading {
        dialect: Dialect::Text,
        macros: Vec::new(),
    };
    let parsed = Parsed::new(bytes, &reading);
    let closes = |name: &str| name.starts_with([')', ']', '}']);
    let columns = |it: &Construct| {
        let start = parsed.lines().start_of(it.range.start);
        let blanks = &bytes[start..it.range.start];
        let blanks = blanks
            .iter()
            .take_while(|byte| matches!(byte, b' ' | b'\t'));
        blanks.fold(0, |at, byte| {
            if *byte == b'\t' {
                at + 8 - at % 8
            } else {
                at + 1
            }
        })
    };
    let all = parsed.constructs();
    for (index, line) in all.iter().enumerate().take(100) {
        let mut around = Vec::new();
        let (mut inner, mut closing) = (columns(line), closes(&line.name));
        for above in all[..index].iter().rev() {
            let at = columns(above);
            if !above.name.starts_with('#') && (at < inner || closing && at == inner) {
                (inner, closing) = (at, closes(&above.name));
                if !closing {
                    around.insert(0, above.name.as_str());
                }
            }
        }
        assert_eq!(parsed.outline(line), around);
    }
}

fn cpp(bytes: &[u8]) {
    let parsed = Parsed::new(bytes, &Reading::default());
    assert_eq!(
        parsed
            .unreadable_nodes_with(&[] as &[(usize, &str)])
            .unwrap_or_default(),
        parsed.unreadable_nodes()
    );
    let mut open: Vec<usize> = Vec::new();
    for construct in parsed.constructs() {
        parsed.statements(construct, true);
        parsed.preprocessor_at(construct.range.start);
        assert!(parsed.with_comment_above(construct.range.start) <= construct.range.start);
        let Some(body) = construct
            .body
            .as_ref()
            .filter(|_| construct.distrust.is_none())
        else {
            continue;
        };
        let text = &bytes[body.clone()];
        assert!(construct.range.start <= body.start && body.end <= construct.range.end);
        open.retain(|end| *end > body.start);
        assert!(
            open.last().is_none_or(|end| *end >= body.end),
            "{} overlaps",
            construct.name
        );
        open.push(body.end);
        if !parsed.has_directive_or_raw_string(body)
            && let Some(end) = closing(text)
        {
            assert_eq!(end, text.len(), "{} ends elsewhere", construct.name);
        }
    }
}

/// The offset behind the brace that closes the first; nothing where backslashes at line ends or quotes make that doubtful.
fn closing(text: &[u8]) -> Option<usize> {
    let doubtful = [&b"\\\n"[..], b"\\\r", b"'", b"??/"];
    if doubtful
        .iter()
        .any(|part| memchr::memmem::find(text, part).is_some())
    {
        return None;
    }
    let (mut at, mut depth) = (0, 0);
    while at < text.len() {
        let skip = |end: &[u8]| {
            memchr::memmem::find(&text[at + 2..], end).map(|found| at + 2 + found + end.len())
        };
        match &text[at..] {
            [b'/', b'*', ..] => at = skip(b"*/")?,
            [b'/', b'/', ..] => at = skip(b"\n")?,
            [b'"', ..] => {
                at += 1;
                while *text.get(at)? != b'"' {
                    at += if text[at] == b'\\' { 2 } else { 1 };
                }
                at += 1;
            }
            [b'{', ..] => (at, depth) = (at + 1, depth + 1),
            [b'}', ..] if depth == 1 => return Some(at + 1),
            [b'}', ..] => (at, depth) = (at + 1, depth - 1),
            _ => at += 1,
        }
    }
    Some(0)
}

fn overlays_with_sources() -> Inputs {
    let mut inputs = Vec::new();
    let corpus = package().join("../tests/corpus/working");
    for case in std::fs::read_dir(corpus).unwrap() {
        let case = case.unwrap().path();
        let case = case
            .strip_prefix(package().join("../tests"))
            .unwrap()
            .to_str()
            .unwrap();
        let sources = files(".cpp", case);
        let overlays = files(".yaml", &format!("{case}/overlays/"));
        inputs.extend(overlays.iter().flat_map(|overlay| {
            sources
                .iter()
                .map(|source| [overlay, &[0][..], source].concat())
        }));
    }
    inputs
}

/// An overlay, a NUL and a text: what is put in can be taken off, and no merge from nearly the same text puts it elsewhere.
fn patch(bytes: &[u8]) {
    let Some(cut) = memchr::memchr(0, bytes) else {
        return;
    };
    let (yaml, text) = (&bytes[..cut], &bytes[cut + 1..]);
    let Some(overlay) = overlay_of(yaml) else {
        return;
    };
    let read = |text: &[u8]| {
        let mut texts = Texts::default();
        for path in patch::paths(std::slice::from_ref(&overlay)) {
            let parsed = Arc::new(Parsed::new(text, &overlay.reading(&path)));
            texts.insert(path, BlobId::of(text), parsed);
        }
        texts
    };
    let texts = read(text);
    let carried = patch::carry(&[&overlay], &texts);
    let around = Where {
        folder: "overlays",
        texts: &texts,
        base: None,
        elsewhere: None,
    };
    for problem in &carried.problems {
        assert!(carried.files.is_empty() && !patch::findings(problem, &around).is_empty());
    }
    for file in &carried.files {
        let found = patch::structure(&texts, file, &[&overlay]);
        assert!(
            found
                .iter()
                .all(|finding| finding.code == Code::NewParseErrors),
            "{found:?}"
        );
    }
    if carried.landings.is_empty() || !text.ends_with(b"\n") {
        return;
    }
    let accepted = carried.landings.iter();
    let base = Base {
        described: "one with a last line more".to_owned(),
        texts: read(&[text, b"// end\n"].concat()),
        accepted: accepted
            .map(|landing| (landing.key.clone(), landing.splices().to_vec()))
            .collect(),
    };
    for landing in &carried.landings {
        let parsed = &texts.get(&landing.file).unwrap().parsed;
        let verdict = patch::judge(landing, parsed, None, &[&base]);
        assert!(!matches!(verdict, Verdict::Disagree { .. }), "{verdict:?}");
    }
}

/// What is left has no markers, and a block that is put into it comes off again.
fn take_off(bytes: &[u8]) {
    let Ok(off) = markers::take_off(bytes) else {
        return;
    };
    assert_eq!(markers::scan(bytes).unwrap(), off.blocks);
    assert!(!markers::has_markers(&off.bytes));
    let block = Block {
        edit: EditName::new("o", "h", "1").unwrap(),
        digest: Digest12::new("0123456789ab").unwrap(),
        comment: Comment::default(),
    };
    let lines = memchr::memchr_iter(b'\n', &off.bytes).map(|at| at + 1);
    for at in lines.take(8).chain([0, off.bytes.len()]) {
        let Ok(splice) = markers::insertion(&off.bytes, at, &block, "X;\n") else {
            continue;
        };
        let patched = patchctl_apply::splice("f", &off.bytes, &[splice]).unwrap();
        assert_eq!(
            markers::take_off(&patched).unwrap().bytes,
            off.bytes,
            "at {at}"
        );
    }
}

/// libgit2 reads the same names in a tree object that is accepted, and none of them is dangerous.
fn tree_object(bytes: &[u8]) {
    let Ok(names) = upstream::tree_names(bytes) else {
        return;
    };
    let objects = git2::Odb::new().unwrap();
    objects.add_new_mempack_backend(1).unwrap();
    let id = objects.write(ObjectType::Tree, bytes).unwrap();
    let repository = git2::Repository::from_odb(objects).unwrap();
    let tree = repository.find_tree(id).unwrap();
    assert!(
        tree.iter()
            .map(|entry| entry.name_bytes().to_vec())
            .eq(names.clone())
    );
    let is_bad =
        |name: &Vec<u8>| name.contains(&b'/') || is_dot_git(&String::from_utf8_lossy(name));
    assert!(!names.iter().any(is_bad));
}

/// Every path stays inside, and the tree objects are such as are accepted from others.
fn archive(name: &str, bytes: &[u8]) {
    let mut tree = GitTree::default();
    let unpacked = upstream::unpack(name, bytes, "", &mut |path, kind, bytes| {
        let is_inside = |part| matches!(part, std::path::Component::Normal(name) if !is_dot_git(&name.to_string_lossy()));
        assert!(Path::new(path).components().all(is_inside), "{path}");
        tree.keep(path, kind, bytes, &mut Oid::hash_object)
    });
    if unpacked.is_ok() {
        let keep = &mut |kind, bytes: &[u8]| {
            assert!(kind != ObjectType::Tree || upstream::tree_names(bytes).is_ok());
            Oid::hash_object(kind, bytes)
        };
        tree.id(keep).unwrap();
    }
}

/// A header whose sum is wrong ends the reading: nothing behind it would be tried.
fn with_checksums(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for block in bytes
        .chunks_exact_mut(512)
        .filter(|block| block[257..].starts_with(b"ustar"))
    {
        block[148..156].fill(b' ');
        let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
        block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    }
    bytes
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    GzEncoder::new(bytes, Compression::none())
        .read_to_end(&mut out)
        .unwrap();
    out
}
