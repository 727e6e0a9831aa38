use camino::Utf8Path;

use super::super::linker::complaint;

#[test]
fn an_open_symbol_names_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let tree = Utf8Path::from_path(folder.path()).unwrap();
    let write = |path: &str, text: &str| {
        let path = tree.join(path);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, text).unwrap();
    };
    write(
        "mlx/backend/no_gpu/encoder.cpp",
        "void Encoder::pause(int) {}\n",
    );
    write(
        "mlx/backend/metal/encoder.cpp",
        "void Encoder::pause(int level) {\n}\n",
    );
    write(
        "mlx/backend/metal/caller.cpp",
        "void f() {\n  e.pause(1);\n}\nvoid pause(int);\n",
    );
    let output = "x.o: in function `f':\nx.cpp:(.text+0x1): undefined reference to `mlx::core::Encoder::pause(int)'\n";
    let error = complaint(output, tree);
    assert_eq!(
        error.to_string(),
        "a symbol stay open: mlx::core::Encoder::pause(int)"
    );
    assert_eq!(
        error.advice(),
        Some(
            "mlx::core::Encoder::pause(int): add mlx/backend/metal/encoder.cpp to the list in patchctl/src/verify/run/sources.rs"
        )
    );
}

#[test]
fn another_linker_error_is_passed_on() {
    let output = "ld: cannot find -lm\n";
    let error = complaint(output, Utf8Path::new("."));
    assert_eq!(error.to_string(), "the linker failed");
    assert_eq!(error.output_text(), output);
}
