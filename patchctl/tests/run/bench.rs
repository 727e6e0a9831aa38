//! Trees of real MLX, the repository's own overlays on them, and a workshop to build both in.

use std::collections::BTreeMap;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use patchctl::cpp::Parsed;
use patchctl::overlay::{Overlay, load_dir};
use patchctl::patch::{Texts, carry, paths};
use patchctl::upstream::{
    FMT, JSON, METAL_CPP, RevisionSpec, Settings, SourceSpec, Upstream, unpacked,
};
use patchctl::verify::run::{
    Built, Compiler, Diagnosis, Headers, Kit, Outcome, RunError, Scenario, Subject, System,
    Workshop, diagnose, drive, judge, read_scenarios,
};
use semver::Version;

/// By path in the tree.
pub type Files = BTreeMap<Utf8PathBuf, Vec<u8>>;

/// Everything that the tests share: what was fetched and compiled is kept for the next run.
pub struct Bench {
    cache: Utf8PathBuf,
    kit: Kit,
    headers: Headers,
    compiler: Compiler,
    pub runner: System,
    pub scenarios: Vec<Scenario>,
}

/// A revision of MLX's on disk, with its patched files.
pub struct Tree {
    pub release: Version,
    pub root: Utf8PathBuf,
    pub patched: Files,
}

fn workspace() -> Utf8PathBuf {
    Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

impl Bench {
    pub fn new() -> Self {
        let cache = Utf8Path::new(env!("CARGO_TARGET_TMPDIR")).join("crates");
        let runner = System {
            path: std::env::var_os("PATH").unwrap(),
            temporary: std::env::temp_dir().into(),
        };
        let bridge = workspace().join("bridge");
        let settings = Settings::new(cache.clone());
        let mut scenarios = Vec::new();
        for file in bridge.join("driver/scenarios").read_dir_utf8().unwrap() {
            let file = file.unwrap().into_path();
            let text = std::fs::read_to_string(&file).unwrap();
            scenarios.extend(read_scenarios(file.as_str(), &text).unwrap());
        }
        Self {
            kit: Kit {
                driver: bridge.join("driver"),
                host_metal: bridge.join("host-metal"),
            },
            headers: Headers {
                metal_cpp: unpacked(&METAL_CPP, &settings).unwrap(),
                fmt: unpacked(&FMT, &settings).unwrap().join("include"),
                json: unpacked(&JSON, &settings).unwrap().join("single_include"),
                versions: [METAL_CPP.name, FMT.name, JSON.name].join(" "),
            },
            compiler: Compiler::find(Compiler::NAMES, &runner).unwrap(),
            cache,
            runner,
            scenarios,
        }
    }

    /// The release from the crate that carries it.
    pub fn pin(&self, release: &str) -> Tree {
        self.tree(SourceSpec::Crates, release)
    }

    /// The release from the git repository that `PATCHCTL_TEST_MLX_GIT` names.
    pub fn tag(&self, release: &str) -> Tree {
        let path = std::env::var("PATCHCTL_TEST_MLX_GIT")
            .expect("set PATCHCTL_TEST_MLX_GIT to a git repository of MLX with its tags");
        self.tree(SourceSpec::GitPath(path.into()), release)
    }

    fn tree(&self, source: SourceSpec, release: &str) -> Tree {
        let upstream = Upstream::new(vec![source], Settings::new(self.cache.clone()));
        let release: Version = release.parse().unwrap();
        let found = upstream
            .resolve(&RevisionSpec::Release(release.clone()))
            .unwrap();
        let root = self.cache.join("trees").join(&found.revision.commit);
        if !root.exists() {
            let unfinished = tempfile::tempdir_in(&self.cache).unwrap();
            let into = Utf8Path::from_path(unfinished.path()).unwrap().join("tree");
            found.source.materialise(&found.revision, &into).unwrap();
            std::fs::create_dir_all(root.parent().unwrap()).unwrap();
            // Another test may have been quicker.
            let _ = std::fs::rename(&into, &root);
        }
        Tree {
            release,
            patched: carried(&root),
            root,
        }
    }

    fn workshop<'a>(&'a self, flags: &'a [String]) -> Workshop<'a> {
        Workshop {
            compiler: &self.compiler,
            kit: &self.kit,
            headers: &self.headers,
            flags,
            cache: &self.cache,
            runner: &self.runner,
        }
    }

    pub fn build(&self, tree: &Tree, patched: &Files) -> Result<Built, RunError> {
        self.build_with(&[], tree, patched)
    }

    /// With more flags for compiler and linker.
    pub fn build_with(
        &self,
        flags: &[String],
        tree: &Tree,
        patched: &Files,
    ) -> Result<Built, RunError> {
        self.workshop(flags).build(Subject {
            tree: &tree.root,
            patched,
        })
    }

    /// What is not passed, one line each (`scenario: what is wrong`), and what it has in common.
    pub fn complaints(&self, program: &Utf8Path) -> (Vec<String>, Option<Diagnosis>) {
        let observed = drive(program, &self.scenarios, &self.runner).unwrap();
        let pairs = self.scenarios.iter().zip(&observed);
        let outcomes: Vec<Outcome> = pairs
            .map(|(scenario, seen)| judge(scenario, seen))
            .collect();
        let mut lines = Vec::new();
        for (scenario, outcome) in self.scenarios.iter().zip(&outcomes) {
            match outcome {
                Outcome::Passed => {}
                Outcome::NotRun(why) => lines.push(format!("{}: not run: {why}", scenario.name)),
                Outcome::Failed(mismatches) => {
                    let all = mismatches.iter();
                    lines.extend(all.map(|one| format!("{}: {one}", scenario.name)));
                }
            }
        }
        (lines, diagnose(&self.scenarios, &outcomes))
    }
}

/// The repository's overlays on a tree.
fn carried(root: &Utf8Path) -> Files {
    let overlays = load_dir(&workspace(), Utf8Path::new("overlays/mlx")).unwrap();
    let overlays: Vec<&Overlay> = overlays.as_slice().iter().collect();
    let owned: Vec<Overlay> = overlays.iter().map(|&overlay| overlay.clone()).collect();
    let mut texts = Texts::default();
    for path in paths(&owned) {
        let bytes = std::fs::read(root.join(&path)).unwrap();
        let parsed = Arc::new(Parsed::new(&bytes, &[]));
        texts.insert(path, patchctl_apply::BlobId::of(&bytes), parsed);
    }
    let carried = carry(&overlays, &texts);
    assert!(carried.problems.is_empty(), "{:?}", carried.problems);
    let files = carried.files.into_iter();
    files.map(|file| (file.path, file.bytes)).collect()
}

/// The patched files, one text in them replaced by another.
pub fn altered(files: &Files, from: &str, to: &str) -> Files {
    let mut altered = files.clone();
    let mut found = 0;
    for bytes in altered.values_mut() {
        let text = String::from_utf8(bytes.clone()).unwrap();
        found += text.matches(from).count();
        *bytes = text.replace(from, to).into_bytes();
    }
    assert_eq!(found, 1, "'{from}' stands there {found} times");
    altered
}
