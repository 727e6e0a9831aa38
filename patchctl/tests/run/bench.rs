//! Trees of real MLX, the repository's own overlays on them, and what both are built with.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use camino::{Utf8Path, Utf8PathBuf};
use patchctl::cpp::{Parsed, Reading};
use patchctl::embedded_sources::EmbeddedSources;
use patchctl::overlay::{Overlay, load, load_dir};
use patchctl::patch::{PatchedFile, Texts, carry, paths};
use patchctl::toolchain::{Compiler, System, ToolError};
use patchctl::upstream::{
    FMT, JSON, METAL_CPP, RevisionSpec, Settings, SourceSpec, Upstream, unpacked,
};
use patchctl::verify::PatchedTree;
use patchctl::verify::mutants::{Detection, Mutant, Trial, Tried, mutants};
use patchctl::verify::run::{
    Built, Diagnosis, DriverBuild, Headers, Outcome, Scenario, run_suite, suite,
};
use semver::Version;

/// Patched files.
pub type Files = Vec<PatchedFile>;

/// Everything that the tests share: what was fetched and compiled is kept for the next run.
pub struct Bench {
    /// Threads that compile side by side would do the same twice, and see each other's files.
    _alone: MutexGuard<'static, ()>,
    cache: Utf8PathBuf,
    sources: EmbeddedSources,
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

impl Tree {
    fn with<'a>(&'a self, files: &'a [PatchedFile]) -> PatchedTree<'a> {
        PatchedTree {
            root: &self.root,
            files,
            overlays: &[],
        }
    }
}

/// What became of a mutant.
#[derive(Debug)]
pub struct Fate {
    pub place: String,
    pub what: String,
    pub detection: Option<Detection>,
}

impl Fate {
    /// `place: what: by`.
    pub fn line(&self) -> String {
        let how = self.detection.as_ref().map(|one| one.how.as_str());
        let how = how.unwrap_or("SURVIVED");
        format!("{}: {}: {how}", self.place, self.what)
    }
}

fn fate(tried: &Tried<'_>) -> Fate {
    Fate {
        place: tried.mutant.place.clone(),
        what: tried.mutant.what.clone(),
        detection: tried.detection.clone(),
    }
}

fn workspace() -> Utf8PathBuf {
    Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

impl Bench {
    pub fn new() -> Self {
        static ALONE: Mutex<()> = Mutex::new(());
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let cache = Utf8Path::new(env!("CARGO_TARGET_TMPDIR")).join("crates");
        let runner = System {
            path: std::env::var_os("PATH").unwrap(),
            temporary: std::env::temp_dir().into(),
        };
        let settings = Settings::new(cache.clone());
        Self {
            _alone: alone,
            sources: EmbeddedSources::lay_out(&cache).unwrap(),
            headers: Headers {
                metal_cpp: unpacked(&METAL_CPP, &settings).unwrap(),
                fmt: unpacked(&FMT, &settings).unwrap().join("include"),
                json: unpacked(&JSON, &settings).unwrap().join("single_include"),
                versions: [METAL_CPP.name, FMT.name, JSON.name].join(" "),
            },
            compiler: Compiler::clang(&runner).unwrap(),
            cache,
            runner,
            scenarios: suite().unwrap(),
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
            patched: carried(&own_overlays(), &root).1,
            root,
        }
    }

    fn driver(&self, flags: &[String]) -> DriverBuild<'_> {
        DriverBuild {
            compiler: self.compiler.clone(),
            sources: self.sources.clone(),
            headers: self.headers.clone(),
            flags: flags.to_vec(),
            cache: self.cache.clone(),
            runner: &self.runner,
        }
    }

    pub fn build(&self, tree: &Tree, patched: &[PatchedFile]) -> Result<Built, ToolError> {
        self.build_with(&[], tree, patched)
    }

    /// What the cache lacks is made in a folder that is gone afterwards.
    pub fn build_apart(&self, tree: &Tree, patched: &[PatchedFile]) -> Built {
        let apart = tempfile::tempdir().unwrap();
        let apart = Utf8Path::from_path(apart.path()).unwrap();
        let tree = tree.with(patched);
        self.driver(&[]).build_apart(tree, apart).unwrap()
    }

    /// With more flags for compiler and linker.
    pub fn build_with(
        &self,
        flags: &[String],
        tree: &Tree,
        patched: &[PatchedFile],
    ) -> Result<Built, ToolError> {
        self.driver(flags).build(tree.with(patched))
    }

    /// Tries those mutants of the repository's overlay that `wanted` picks.
    pub fn tried(&self, tree: &Tree, wanted: impl Fn(&Mutant) -> bool) -> Vec<Fate> {
        self.tried_of(&own_overlays(), tree, |texts, files| {
            let mut all = mutants(files, texts, &[]).unwrap();
            all.retain(wanted);
            all
        })
    }

    /// Tries the mutants that `made` makes of overlays.
    pub fn tried_of(
        &self,
        overlays: &[Overlay],
        tree: &Tree,
        made: impl FnOnce(&Texts, &[PatchedFile]) -> Vec<Mutant>,
    ) -> Vec<Fate> {
        let (texts, files) = carried(overlays, &tree.root);
        let all = made(&texts, &files);
        assert!(!all.is_empty());
        // So that what is not the mutant's is in the cache, as it is when the overlays were proven.
        self.build(tree, &files).unwrap();
        let overlays: Vec<&Overlay> = overlays.iter().collect();
        let tried = Trial {
            build: &self.driver(&[]),
            tree: PatchedTree {
                overlays: &overlays,
                ..tree.with(&files)
            },
            scenarios: &self.scenarios,
            sequences: 200,
        }
        .run(&all, &|tried| {
            eprintln!("{} {:?}", fate(tried).line(), tried.time)
        });
        tried.unwrap().iter().map(fate).collect()
    }

    /// Every object in the cache.
    pub fn objects(&self) -> BTreeSet<Utf8PathBuf> {
        ["objects", "programs", "patched", ""]
            .iter()
            .flat_map(|folder| self.cache.join(folder).read_dir_utf8().unwrap())
            .map(|entry| entry.unwrap().into_path())
            .collect()
    }

    /// What is not passed, one line each (`scenario: what is wrong`), and what it has in common.
    pub fn complaints(&self, program: &Utf8Path) -> (Vec<String>, Option<Diagnosis>) {
        let suite = run_suite(program, &self.scenarios, &self.runner).unwrap();
        let mut lines = Vec::new();
        for (scenario, outcome) in self.scenarios.iter().zip(&suite.outcomes) {
            match outcome {
                Outcome::Passed => {}
                Outcome::NotRun(why) => lines.push(format!("{}: not run: {why}", scenario.name)),
                Outcome::Failed(mismatches) => {
                    let all = mismatches.iter();
                    lines.extend(all.map(|one| format!("{}: {one}", scenario.name)));
                }
            }
        }
        (lines, suite.diagnosis)
    }
}

/// The repository's overlays.
fn own_overlays() -> Vec<Overlay> {
    let overlays = load_dir(&workspace(), Utf8Path::new("overlays/mlx")).unwrap();
    overlays.as_slice().to_vec()
}

/// Overlays on a tree.
fn carried(overlays: &[Overlay], root: &Utf8Path) -> (Texts, Vec<PatchedFile>) {
    let mut texts = Texts::default();
    for path in paths(overlays) {
        let bytes = std::fs::read(root.join(&path)).unwrap();
        let parsed = Arc::new(Parsed::new(&bytes, &Reading::of(&path)));
        texts.insert(path, patchctl_apply::BlobId::of(&bytes), parsed);
    }
    let all: Vec<&Overlay> = overlays.iter().collect();
    let carried = carry(&all, &texts);
    assert!(carried.problems.is_empty(), "{:?}", carried.problems);
    let files = carried.files.clone();
    (texts, files)
}

/// The repository's overlay with `from` in it, which stands there once, replaced.
pub fn altered_overlay(from: &str, to: &str) -> Overlay {
    let path = workspace().join("overlays/mlx/decode-input-budget.yaml");
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(text.matches(from).count(), 1, "{from}");
    let text = text.replace(from, to);
    load("decode-input-budget.yaml".into(), text.as_bytes())
        .unwrap_or_else(|faults| panic!("{faults}"))
}

/// The patched files, one text in them replaced by another.
pub fn altered(files: &[PatchedFile], from: &str, to: &str) -> Files {
    let mut altered = files.to_vec();
    let mut found = 0;
    for file in &mut altered {
        let text = String::from_utf8(file.bytes.clone()).unwrap();
        found += text.matches(from).count();
        file.bytes = text.replace(from, to).into_bytes();
    }
    assert_eq!(found, 1, "'{from}' stands there {found} times");
    altered
}
