use std::path::Path;

use object::{Architecture, SymbolScope};

use crate::build::error::BuildError;
use crate::build::symbols::{Lookup, check, look};
use crate::fixture::{
    GETTER, PATCHED, SETTER, UNPATCHED, archive, compile, mach_o, provides, run, shared_library,
    static_library, universal, wanted,
};

const BOTH: [(&str, SymbolScope); 2] = [
    (SETTER, SymbolScope::Dynamic),
    (GETTER, SymbolScope::Dynamic),
];
const ENCODER: (&str, SymbolScope) = (
    "_ZNK3mlx4core5metal14CommandEncoder12needs_commitEv",
    SymbolScope::Dynamic,
);
const CPU_ARM64: u32 = 0x0100_000c;
const CPU_X86_64: u32 = 0x0100_0007;

fn checked(library: &Path) -> Result<(), BuildError> {
    check(library, &provides(), std::env::consts::ARCH)
}

fn is_patched(bytes: &[u8]) -> bool {
    look(bytes, &wanted(), "aarch64").unwrap().found.len() == 2
}

#[test]
fn a_patched_library_passes_static_and_shared() {
    let folder = tempfile::tempdir().unwrap();
    checked(&static_library(folder.path(), "mlx", PATCHED)).unwrap();
    checked(&shared_library(folder.path(), "mlx", PATCHED, &[])).unwrap();
    // As MLX builds itself since 0.30.4; the overlay's entry points are visible all the same.
    let hidden = ["-fvisibility=hidden", "-fvisibility-inlines-hidden"];
    let shared = shared_library(folder.path(), "mlx", PATCHED, &hidden);
    checked(&shared).unwrap();
    run(std::process::Command::new("strip").arg(&shared));
    checked(&shared).unwrap();
}

#[test]
fn an_unpatched_library_fails_with_what_is_missing_and_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    for library in [
        static_library(folder.path(), "mlx", UNPATCHED),
        shared_library(folder.path(), "mlx", UNPATCHED, &[]),
    ] {
        let message = checked(&library).unwrap_err().to_string();
        for part in [
            library.to_str().unwrap(),
            "does not define mlx::core::metal::set_mb_per_buffer_override(int), \
             mlx::core::metal::mb_per_buffer_override()",
            "its Metal encoder was compiled without the overlay",
            "`patchctl apply DIR`",
            "a stub is never linked in its place",
        ] {
            assert!(message.contains(part), "{part:?} in {message}");
        }
    }
}

#[test]
fn a_library_without_metal_is_told_apart_from_an_unpatched_one() {
    let folder = tempfile::tempdir().unwrap();
    let library = static_library(folder.path(), "mlx", "int add(int a) { return a + 1; }");
    let message = checked(&library).unwrap_err().to_string();
    assert!(
        message.contains("an unpatched MLX, one without Metal, or no MLX at all"),
        "{message}"
    );
}

#[test]
fn one_missing_entry_point_is_enough_to_fail() {
    let folder = tempfile::tempdir().unwrap();
    let source = PATCHED.replace("int mb_per_buffer_override()", "int renamed()");
    let message = checked(&static_library(folder.path(), "mlx", &source))
        .unwrap_err()
        .to_string();
    assert!(
        message.contains("does not define mlx::core::metal::mb_per_buffer_override():"),
        "{message}"
    );
}

#[test]
fn an_entry_point_that_is_only_called_is_not_defined() {
    let folder = tempfile::tempdir().unwrap();
    let source = "namespace mlx::core::metal {
        void set_mb_per_buffer_override(int);
        int mb_per_buffer_override();
        }
        int call() {
          mlx::core::metal::set_mb_per_buffer_override(1);
          return mlx::core::metal::mb_per_buffer_override();
        }";
    let library = static_library(folder.path(), "mlx", source);
    let message = checked(&library).unwrap_err().to_string();
    assert!(message.contains("does not define"), "{message}");
    assert!(!message.contains("hidden"), "{message}");
}

#[test]
fn hidden_entry_points_do_for_a_static_library_and_not_for_a_shared_one() {
    let folder = tempfile::tempdir().unwrap();
    let source = PATCHED.replace("visibility(\"default\")", "visibility(\"hidden\")");
    checked(&static_library(folder.path(), "mlx", &source)).unwrap();
    let shared = shared_library(folder.path(), "mlx", &source, &[]);
    let message = checked(&shared).unwrap_err().to_string();
    assert!(
        message.contains("mb_per_buffer_override() (there, but hidden)"),
        "{message}"
    );
    // Stripped, not even that can be said.
    run(std::process::Command::new("strip").arg(&shared));
    let message = checked(&shared).unwrap_err().to_string();
    assert!(!message.contains("hidden"), "{message}");
}

#[test]
fn entry_points_local_to_a_file_do_nowhere() {
    let folder = tempfile::tempdir().unwrap();
    let source = PATCHED.replace(
        "__attribute__((visibility(\"default\")))",
        "__attribute__((used)) static",
    );
    let library = static_library(folder.path(), "mlx", &source);
    assert!(matches!(
        checked(&library),
        Err(BuildError::Unpatched { encoder: true, .. })
    ));
    let local = BOTH.map(|(name, _)| (name, SymbolScope::Compilation));
    let looked = look(&mach_o(Architecture::Aarch64, &local), &wanted(), "aarch64").unwrap();
    assert_eq!((looked.found.len(), looked.hidden.len()), (0, 2));
}

#[test]
fn mach_o_is_read_as_object_archive_shared_library_and_universal_file() {
    let patched = mach_o(Architecture::Aarch64, &BOTH);
    let other = mach_o(Architecture::Aarch64, &[("_Zother", SymbolScope::Dynamic)]);
    assert!(is_patched(&patched));
    assert!(is_patched(&archive(&[
        ("a.o", b"no object"),
        ("b.o", &other),
        ("c.o", &patched)
    ])));
    assert!(!is_patched(&archive(&[("b.o", &other)])));

    let foreign = mach_o(Architecture::X86_64, &[]);
    let fat = universal(&[
        (CPU_X86_64, &foreign),
        (CPU_ARM64, &archive(&[("c.o", &patched)])),
    ]);
    assert!(is_patched(&fat));
    let error = look(&universal(&[(CPU_X86_64, &foreign)]), &wanted(), "aarch64").unwrap_err();
    assert_eq!(error, "it is a universal file without aarch64");
}

#[test]
fn a_mach_o_symbol_private_to_its_image_does_for_an_archive_and_not_for_a_dylib() {
    const MH_DYLIB: u8 = 6;
    let private = BOTH.map(|(name, _)| (name, SymbolScope::Linkage));
    let mut bytes = mach_o(Architecture::Aarch64, &private);
    assert!(is_patched(&archive(&[("device.o", &bytes)])));
    bytes[12] = MH_DYLIB;
    let looked = look(&bytes, &wanted(), "aarch64").unwrap();
    assert_eq!((looked.found.len(), looked.hidden.len()), (0, 2));

    let mut public = mach_o(Architecture::Aarch64, &BOTH);
    public[12] = MH_DYLIB;
    assert!(is_patched(&public));
}

#[test]
fn the_encoder_is_recognised_under_both_of_its_names() {
    let older = (
        "_ZN3mlx4core5metal6Device27command_buffer_needs_commitEi",
        SymbolScope::Dynamic,
    );
    for symbol in [ENCODER, older] {
        let looked = look(
            &mach_o(Architecture::Aarch64, &[symbol]),
            &wanted(),
            "aarch64",
        )
        .unwrap();
        let expected = Lookup {
            encoder: true,
            ..Lookup::default()
        };
        assert_eq!(looked, expected);
    }
}

#[test]
fn what_is_no_library_is_called_so() {
    let folder = tempfile::tempdir().unwrap();
    for (bytes, reason) in [
        (&b""[..], "neither an archive nor an object"),
        (b"INPUT(libmlx.so.1)\n", "neither an archive nor an object"),
        (b"--- !tapi-tbd\n", "neither an archive nor an object"),
        (b"\x7fELF\x02\x01\x01\0broken", ""),
        (b"MZ", ""),
    ] {
        let path = folder.path().join("libmlx.a");
        std::fs::write(&path, bytes).unwrap();
        let error = checked(&path).unwrap_err();
        assert!(matches!(error, BuildError::NoLibrary { .. }), "{error}");
        assert!(error.to_string().contains(reason), "{error}");
    }
    let error = checked(&folder.path().join("nowhere.a")).unwrap_err();
    assert!(matches!(error, BuildError::NoLibrary { .. }));
}

#[test]
fn a_thin_archive_is_refused_since_it_holds_no_code() {
    let folder = tempfile::tempdir().unwrap();
    let object = compile(folder.path(), "device", PATCHED, &[]);
    let library = folder.path().join("libmlx.a");
    run(std::process::Command::new("ar")
        .arg("crsT")
        .arg(&library)
        .arg(object));
    let message = checked(&library).unwrap_err().to_string();
    assert!(message.contains("make it without `ar -T`"), "{message}");
}

#[test]
fn a_lone_object_is_read_too() {
    let folder = tempfile::tempdir().unwrap();
    let object = compile(folder.path(), "device", PATCHED, &[]);
    checked(&object).unwrap();
}
