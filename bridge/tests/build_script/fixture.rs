//! Settings, and libraries made on the spot.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use object::write::{Object, Symbol, SymbolSection};
use object::{Architecture, BinaryFormat, Endianness, SectionKind, SymbolKind, SymbolScope};

use crate::build::provides::Provides;
use crate::build::settings::Settings;

pub const SETTER: &str = "_ZN3mlx4core5metal26set_mb_per_buffer_overrideEi";
pub const GETTER: &str = "_ZN3mlx4core5metal22mb_per_buffer_overrideEv";

/// An overlay as far as a build reads it.
pub const OVERLAY: &str = "\
schema: 1
overlay: decode-input-budget
provides:
  setter: mlx::core::metal::set_mb_per_buffer_override(int)
  getter: mlx::core::metal::mb_per_buffer_override()
hunks: []
";

/// MLX's Metal encoder, as far as a library's symbols go.
pub const UNPATCHED: &str = "
namespace mlx::core::metal {
class CommandEncoder { public: bool needs_commit() const; };
bool CommandEncoder::needs_commit() const { return false; }
}
";

/// The same with the overlay's entry points, and an override behind them.
pub const PATCHED: &str = "
#include <atomic>
namespace mlx::core::metal {
static std::atomic<int> budget{0};
class CommandEncoder { public: bool needs_commit() const; };
bool CommandEncoder::needs_commit() const { return budget.load() > 0; }
__attribute__((visibility(\"default\"))) void set_mb_per_buffer_override(int mb) {
  budget.store(mb > 0 ? mb : 0, std::memory_order_relaxed);
}
__attribute__((visibility(\"default\"))) int mb_per_buffer_override() {
  return budget.load(std::memory_order_relaxed);
}
}
";

pub fn provides() -> Provides {
    Provides::parse(OVERLAY).unwrap()
}

pub fn wanted() -> Vec<String> {
    vec![SETTER.to_owned(), GETTER.to_owned()]
}

/// Settings for a target, with `variables` on top of cargo's own; paths lie under `out`.
pub fn settings(triple: &str, out: &Path, variables: &[(&str, &str)]) -> Settings {
    let (arch, os) = match triple {
        "aarch64-apple-darwin" => ("aarch64", "macos"),
        "x86_64-apple-darwin" => ("x86_64", "macos"),
        "x86_64-unknown-linux-gnu" => ("x86_64", "linux"),
        "aarch64-unknown-linux-gnu" => ("aarch64", "linux"),
        "x86_64-pc-windows-msvc" => ("x86_64", "windows"),
        other => panic!("no fixture for {other}"),
    };
    let out = out.to_str().unwrap();
    let cargo = [
        ("TARGET", triple),
        ("HOST", "x86_64-unknown-linux-gnu"),
        ("CARGO_CFG_TARGET_OS", os),
        ("CARGO_CFG_TARGET_ARCH", arch),
        ("OUT_DIR", out),
        ("CARGO_MANIFEST_DIR", "crate"),
    ];
    let all: Vec<(&str, &str)> = cargo.iter().chain(variables).copied().collect();
    Settings::read(|name| {
        let found = all.iter().rev().find(|(key, _)| *key == name);
        found.map(|(_, value)| OsString::from(value))
    })
    .unwrap()
}

/// Writes the overlay beside a lock in `folder`; gives the lock's path.
pub fn lock_beside_overlay(folder: &Path) -> PathBuf {
    std::fs::write(folder.join("decode-input-budget.yaml"), OVERLAY).unwrap();
    folder.join("lock.yaml")
}

/// Compiles C++ into `NAME.o` with the machine's own compiler.
pub fn compile(folder: &Path, name: &str, source: &str, flags: &[&str]) -> PathBuf {
    let file = folder.join(format!("{name}.cc"));
    std::fs::write(&file, source).unwrap();
    let object = folder.join(format!("{name}.o"));
    run(Command::new("c++")
        .args(["-std=c++17", "-fPIC", "-c"])
        .args(flags)
        .arg(&file)
        .arg("-o")
        .arg(&object));
    object
}

/// `libNAME.a` of one source file, beside an object that has nothing to do with it.
pub fn static_library(folder: &Path, name: &str, source: &str) -> PathBuf {
    let other = compile(folder, "other", "int other_thing() { return 1; }", &[]);
    let object = compile(folder, name, source, &[]);
    let library = folder.join(format!("lib{name}.a"));
    run(Command::new("ar")
        .arg("crs")
        .arg(&library)
        .arg(other)
        .arg(object));
    library
}

/// `libNAME.so` of one source file.
pub fn shared_library(folder: &Path, name: &str, source: &str, flags: &[&str]) -> PathBuf {
    let object = compile(folder, name, source, flags);
    let library = folder.join(format!("lib{name}.so"));
    run(Command::new("c++")
        .arg("-shared")
        .arg(object)
        .arg("-o")
        .arg(&library));
    library
}

pub fn run(command: &mut Command) {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {output:?}");
}

/// A Mach-O object that defines `symbols`, given without the format's underscore.
pub fn mach_o(architecture: Architecture, symbols: &[(&str, SymbolScope)]) -> Vec<u8> {
    let mut object = Object::new(BinaryFormat::MachO, architecture, Endianness::Little);
    let text = object.add_section(b"__TEXT".to_vec(), b"__text".to_vec(), SectionKind::Text);
    for (name, scope) in symbols {
        let id = object.add_symbol(Symbol {
            name: name.as_bytes().to_vec(),
            value: 0,
            size: 0,
            kind: SymbolKind::Text,
            scope: *scope,
            weak: false,
            section: SymbolSection::Undefined,
            flags: object::SymbolFlags::None,
        });
        object.add_symbol_data(id, text, &[0xc0, 0x03, 0x5f, 0xd6], 4);
    }
    object.write().unwrap()
}

/// An archive as `ar` makes it, of members whose names are at most 15 bytes long.
pub fn archive(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut bytes = b"!<arch>\n".to_vec();
    for (name, data) in members {
        let size = data.len();
        let header = format!(
            "{:<16}{:<12}{:<6}{:<6}{:<8}{size:<10}`\n",
            format!("{name}/"),
            0,
            0,
            0,
            644
        );
        bytes.extend_from_slice(header.as_bytes());
        bytes.extend_from_slice(data);
        if size % 2 == 1 {
            bytes.push(b'\n');
        }
    }
    bytes
}

/// A universal file of slices, each with its CPU type.
pub fn universal(slices: &[(u32, &[u8])]) -> Vec<u8> {
    const ALIGN: usize = 8;
    let mut offset = (8 + slices.len() * 20).next_multiple_of(1 << ALIGN);
    let mut bytes = Vec::new();
    let mut number = |value: usize| {
        bytes.extend_from_slice(&u32::try_from(value).unwrap().to_be_bytes());
    };
    number(0xcafe_babe);
    number(slices.len());
    let mut places = Vec::new();
    for (cpu, data) in slices {
        for value in [*cpu as usize, 0, offset, data.len(), ALIGN] {
            number(value);
        }
        places.push(offset);
        offset = (offset + data.len()).next_multiple_of(1 << ALIGN);
    }
    for ((_, data), place) in slices.iter().zip(places) {
        bytes.resize(place, 0);
        bytes.extend_from_slice(data);
    }
    bytes
}
