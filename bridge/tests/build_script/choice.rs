use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::build::backend::Backend;
use crate::build::error::BuildError;
use crate::build::settings::{Settings, watched};
use crate::fixture::settings;

const MAC: &str = "aarch64-apple-darwin";
const LINUX: &str = "x86_64-unknown-linux-gnu";
const OTHERS: [&str; 3] = [
    "x86_64-apple-darwin",
    "aarch64-unknown-linux-gnu",
    "x86_64-pc-windows-msvc",
];

fn choose(triple: &str, backend: Option<&str>, library: bool) -> Result<Backend, BuildError> {
    let mut variables = Vec::new();
    variables.extend(backend.map(|backend| ("MLX_BRIDGE_BACKEND", backend)));
    if library {
        variables.push(("MLX_BRIDGE_LIB", "libmlx.a"));
    }
    Backend::choose(&settings(triple, Path::new("out"), &variables))
}

#[test]
fn a_mac_with_apple_silicon_builds_metal_unless_told_otherwise() {
    for library in [false, true] {
        for backend in [None, Some(""), Some("auto"), Some("metal")] {
            assert_eq!(
                choose(MAC, backend, library).unwrap(),
                Backend::Metal,
                "{backend:?}"
            );
        }
        assert_eq!(choose(MAC, Some("stub"), library).unwrap(), Backend::Stub);
    }
}

#[test]
fn every_other_target_builds_the_stub_unless_told_otherwise() {
    for triple in OTHERS.into_iter().chain([LINUX]) {
        for backend in [None, Some("auto"), Some("stub")] {
            assert_eq!(
                choose(triple, backend, false).unwrap(),
                Backend::Stub,
                "{triple}"
            );
        }
    }
}

#[test]
fn metal_where_there_is_none_is_an_error_and_never_the_stub() {
    for triple in OTHERS.into_iter().chain([LINUX]) {
        for library in [false, true] {
            let error = choose(triple, Some("metal"), library).unwrap_err();
            assert!(
                matches!(error, BuildError::NoMetal { .. }),
                "{triple}: {error}"
            );
            assert!(error.to_string().contains(triple));
        }
    }
}

#[test]
fn host_metal_wants_linux_and_a_library() {
    assert_eq!(
        choose(LINUX, Some("host-metal"), true).unwrap(),
        Backend::HostMetal
    );
    let error = choose(LINUX, Some("host-metal"), false).unwrap_err();
    assert!(matches!(error, BuildError::HostMetalLibrary));
    let error = choose(MAC, Some("host-metal"), true).unwrap_err();
    assert!(matches!(error, BuildError::NoHostMetal { .. }));
}

#[test]
fn a_library_that_nothing_is_said_about_is_not_guessed_at() {
    let error = choose(LINUX, None, true).unwrap_err();
    assert!(matches!(error, BuildError::WhichLibrary { .. }));
    assert!(
        error
            .to_string()
            .contains("set MLX_BRIDGE_BACKEND to stub or to host-metal")
    );
}

#[test]
fn a_backend_is_chosen_by_the_name_it_gives() {
    for backend in [Backend::Metal, Backend::HostMetal, Backend::Stub] {
        let triple = if backend == Backend::Metal {
            MAC
        } else {
            LINUX
        };
        assert_eq!(choose(triple, Some(backend.name()), true).unwrap(), backend);
    }
}

#[test]
fn an_unknown_backend_is_named_with_those_there_are() {
    let error = choose(LINUX, Some("Metal"), false).unwrap_err();
    assert_eq!(
        error.to_string(),
        "MLX_BRIDGE_BACKEND is `Metal`: expected auto, metal, host-metal or stub"
    );
}

#[test]
fn every_variable_that_is_read_is_watched_or_cargos_own() {
    let asked = std::cell::RefCell::new(Vec::new());
    Settings::read(|name| {
        asked.borrow_mut().push(name.to_owned());
        Some(OsString::from("value"))
    })
    .unwrap();
    let cargo = [
        "CARGO_MANIFEST_DIR",
        "TARGET",
        "CARGO_CFG_TARGET_OS",
        "CARGO_CFG_TARGET_ARCH",
        "HOST",
        "OUT_DIR",
    ];
    let mut expected: Vec<&str> = watched().chain(cargo).collect();
    let mut asked = asked.into_inner();
    asked.sort();
    expected.sort_unstable();
    assert_eq!(asked, expected);
}

#[test]
fn empty_variables_count_as_unset_and_the_lock_has_a_default() {
    let names: Vec<&str> = watched().collect();
    let empty: Vec<(&str, &str)> = names.iter().map(|name| (*name, "")).collect();
    let found = settings(LINUX, Path::new("out"), &empty);
    assert_eq!(found, settings(LINUX, Path::new("out"), &[]));
    assert_eq!(found.lock, PathBuf::from("crate/../overlays/mlx/lock.yaml"));
    assert_eq!(
        (found.backend, found.libraries, found.source),
        (None, Vec::new(), None)
    );
}

#[cfg(unix)]
#[test]
fn a_backend_that_is_not_text_is_an_error_and_a_path_may_be() {
    use std::os::unix::ffi::OsStringExt;

    let read = |odd: &str| {
        let odd = odd.to_owned();
        Settings::read(move |name| {
            Some(if name == odd {
                OsString::from_vec(vec![b'\xff'])
            } else {
                OsString::from("value")
            })
        })
    };
    let error = read("MLX_BRIDGE_BACKEND").unwrap_err();
    assert!(matches!(
        error,
        BuildError::NotText {
            name: "MLX_BRIDGE_BACKEND",
            ..
        }
    ));
    assert!(read("MLX_SOURCE_DIR").is_ok());
}

#[test]
fn outside_of_cargo_the_missing_variable_is_named() {
    let error = Settings::read(|_| None).unwrap_err();
    assert_eq!(
        error.to_string(),
        "CARGO_MANIFEST_DIR is not set: run this through cargo"
    );
}
