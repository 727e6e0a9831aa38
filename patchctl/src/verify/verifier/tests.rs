//! Whose fault it is that something does not build or dies, with a compiler that answers as a test wants it.

use std::collections::BTreeMap;
use std::io;
use std::sync::OnceLock;

use camino::Utf8PathBuf;

use super::*;
use crate::patch::PatchedFile;
use crate::toolchain::{Finished, Invocation};
use crate::verify::run::read_scenarios;

const DEVICE: &str = "mlx/backend/metal/device.cpp";
/// No driver is linked with it.
const MATMUL: &str = "mlx/backend/metal/matmul.cpp";

/// Compiles whatever holds no `#refused`, and dies where the linked program holds `dies_here`.
struct Fake;

impl Runner for Fake {
    fn run(&self, invocation: &Invocation) -> io::Result<Finished> {
        let after = |flag: &str| {
            let mut rest = invocation.arguments.iter().skip_while(|it| *it != flag);
            rest.nth(1).cloned()
        };
        let ended = |code: Option<i32>, output: &str, errors: &str| {
            Ok(Finished {
                code,
                too_long: false,
                output: output.into(),
                errors: errors.into(),
            })
        };
        if invocation.arguments == ["--version"] {
            return ended(Some(0), "clang version 19.1.7", "");
        }
        let Some(to) = after("-o") else {
            // The driver itself.
            let text = fs_err::read_to_string(&invocation.program)?;
            return match text.contains("dies") {
                true => ended(None, "", "unknown selector 'new:'"),
                false => ended(Some(0), "", ""),
            };
        };
        let mut made = "made".to_owned();
        if let Some(source) = after("-c") {
            let text = fs_err::read_to_string(source)?;
            if text.contains("#refused") {
                return ended(Some(1), "", "a.cpp:1:2: error: nope\n1 error generated.\n");
            }
            made.push_str(if text.contains("dies_here();") {
                "dies"
            } else {
                ""
            });
        } else {
            for object in invocation.arguments.iter().filter(|it| it.ends_with(".o")) {
                made.push_str(&fs_err::read_to_string(object).unwrap_or_default());
            }
        }
        fs_err::write(to, made)?;
        ended(Some(0), "", "")
    }
}

const SCENARIO: &str = r#"{"scenario":"one","why":"w","expect":{"default":"rest 1"}}
{"step":"op"}
{"step":"flush"}"#;

/// With one scenario, and other projects' headers that nothing reads.
pub(super) fn verifier(
    cache: Utf8PathBuf,
    sources: EmbeddedSources,
    runner: &dyn Runner,
) -> Verifier<'_> {
    let new = Verifier::new(Settings::new(cache.clone()), runner);
    let driver = new.compiler().map(|compiler| Driver {
        build: DriverBuild {
            compiler: compiler.clone(),
            sources,
            headers: Headers {
                metal_cpp: "m".into(),
                fmt: "f".into(),
                json: "j".into(),
                versions: String::new(),
            },
            flags: Vec::new(),
            cache,
            runner,
        },
        scenarios: read_scenarios("s", SCENARIO).unwrap(),
    });
    Verifier {
        driver: OnceLock::from(driver),
        ..new
    }
}

/// The proof of a tree in which `path` reads `upstream`, and `patched` with the overlays.
fn proof_of(path: &str, upstream: &str, patched: &str) -> Proof {
    let folder = tempfile::tempdir().unwrap();
    let root = Utf8PathBuf::from_path_buf(folder.path().to_owned()).unwrap();
    let tree = root.join("tree");
    let mut files = BTreeMap::from([
        (DEVICE, "// device\n"),
        ("mlx/backend/metal/metal.cpp", "// metal\n"),
        ("mlx/transforms_impl.h", "// transforms\n"),
    ]);
    files.insert(path, upstream);
    for (path, text) in files {
        let path = tree.join(path);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, text).unwrap();
    }
    let sources = EmbeddedSources::lay_out(&root).unwrap();
    let verifier = verifier(root.join("cache"), sources, &Fake);
    let file = PatchedFile {
        path: path.into(),
        before: patchctl_apply::BlobId::of(upstream.as_bytes()),
        after: patchctl_apply::BlobId::of(patched.as_bytes()),
        bytes: patched.into(),
        splices: Vec::new(),
    };
    let tree = PatchedTree {
        root: &tree,
        files: &[file],
        overlays: &[],
    };
    verifier.prove(tree, None, Level::Run)
}

fn codes(proof: &Proof) -> Vec<Code> {
    proof.findings.iter().map(|it| it.code).collect()
}

#[test]
fn upstream_that_does_not_compile_is_not_run() {
    for path in [DEVICE, MATMUL] {
        let proof = proof_of(path, "#refused\n", "#refused\n// ours\n");
        assert_eq!(codes(&proof), [], "{proof:?}");
        let why = proof.not_run.unwrap().to_string();
        assert_eq!(
            why,
            format!(
                "upstream alone does not build here: {path} does not compile (a.cpp:1:2: error: nope)"
            )
        );
        let proof = proof_of(path, "// well\n", "// well\n#refused ours\n");
        assert_eq!(codes(&proof), [Code::CompileFailed], "{proof:?}");
        assert_eq!(proof.not_run, None);
    }
}

#[test]
fn upstream_that_dies_is_not_run() {
    let proof = proof_of(DEVICE, "dies_here();\n", "dies_here();\n// ours\n");
    assert_eq!(codes(&proof), [], "{proof:?}");
    assert_eq!(proof.reached, Some(Level::Compile));
    let why = proof.not_run.unwrap().to_string();
    assert_eq!(
        why,
        "upstream alone dies on host-metal too: killed by a signal: unknown selector 'new:'"
    );
    let proof = proof_of(DEVICE, "// well\n", "// well\ndies_here();\n");
    assert_eq!(codes(&proof), [Code::BehaviourDiffers], "{proof:?}");
    assert_eq!(proof.not_run, None);
}
