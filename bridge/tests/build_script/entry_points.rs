use crate::build::provides::Provides;
use crate::build::symbols::look;
use crate::fixture::{GETTER, OVERLAY, SETTER, compile, provides};

#[test]
fn the_symbols_are_the_compilers_own() {
    let folder = tempfile::tempdir().unwrap();
    // Defined with the generated declarations in sight, and called through the generated roles.
    let source = "#include \"provides.h\"
        namespace mlx::core::metal {
        void set_mb_per_buffer_override(int) {}
        int mb_per_buffer_override() { return 7; }
        }
        int round_trip() {
          mlx_bridge::provided::set(3);
          return mlx_bridge::provided::get();
        }";
    std::fs::write(folder.path().join("provides.h"), provides().header()).unwrap();
    let object = compile(
        folder.path(),
        "defined",
        source,
        &["-Wall", "-Wextra", "-Werror"],
    );
    let symbols = provides().all().map(|entry| entry.symbol());
    assert_eq!(symbols, [SETTER, GETTER]);
    let found = look(&std::fs::read(object).unwrap(), &symbols, "x86_64")
        .unwrap()
        .found;
    assert_eq!(found.len(), 2, "{found:?}");
}

#[test]
fn the_repositorys_own_overlay_provides_them() {
    let overlay = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../overlays/mlx/decode-input-budget.yaml"
    );
    let found = Provides::read(overlay.as_ref()).unwrap();
    assert_eq!(found.all().map(|entry| entry.symbol()), [SETTER, GETTER]);
}

#[test]
fn the_header_follows_the_overlay_whatever_the_names_are() {
    let renamed = OVERLAY
        .replace(
            "mlx::core::metal::set_mb_per_buffer_override(int)",
            "'mlx :: gpu::raise( int )'",
        )
        .replace(
            "mlx::core::metal::mb_per_buffer_override()",
            "mlx::gpu2::raised()",
        );
    let header = Provides::parse(&renamed).unwrap().header();
    for line in [
        "namespace mlx::gpu {",
        "void raise(int);",
        "namespace mlx::gpu2 {",
        "int raised();",
        "  ::mlx::gpu::raise(mb);",
        "  return ::mlx::gpu2::raised();",
    ] {
        assert!(
            header.lines().any(|found| found == line),
            "{line}\n{header}"
        );
    }
}

#[test]
fn what_cannot_be_declared_is_refused_with_the_reason() {
    let with = |from: &str, to: &str| Provides::parse(&OVERLAY.replace(from, to)).unwrap_err();
    for (from, to, reason) in [
        ("setter:", "sets:", "it has no `provides: { setter: … }`"),
        ("provides:", "gives:", "it has no `provides: { setter: … }`"),
        (
            "override(int)",
            "override(float)",
            "does not end in `(int)`",
        ),
        ("override(int)", "override()", "does not end in `(int)`"),
        (
            "buffer_override()",
            "buffer_override(int)",
            "does not end in `()`",
        ),
        (
            "mlx::core::metal::set",
            "mlx::core::3::set",
            "is no qualified name",
        ),
        (
            "mlx::core::metal::set",
            "mlx::core::::set",
            "is no qualified name",
        ),
        ("mlx::core::metal::set_mb", "set_mb", "is in no namespace"),
        (
            "mlx::core::metal::set_mb",
            "\"void f(); int x::y",
            "is no qualified name",
        ),
    ] {
        let to = if to.starts_with('"') {
            "'void f(); int x::y(int)' #"
        } else {
            to
        };
        let error = with(from, to);
        assert!(error.contains(reason), "{to}: {error}");
    }
    assert!(Provides::parse("provides: [").is_err());
}

#[test]
fn a_missing_overlay_is_an_error_that_names_the_file_and_the_variable() {
    let error = Provides::read("nowhere/decode-input-budget.yaml".as_ref()).unwrap_err();
    let message = error.to_string();
    assert!(
        message.contains("nowhere/decode-input-budget.yaml"),
        "{message}"
    );
    assert!(message.contains("MLX_BRIDGE_LOCK"), "{message}");
}
