//! Looks the overlay's entry points up in a library before it is linked: a linker's error would come later
//! and say less, and a shared library could be swapped unseen.

use std::path::Path;

use object::read::archive::ArchiveFile;
use object::read::macho::{FatArch, MachOFatFile32, MachOFatFile64};
use object::{Architecture, FileKind, Object, ObjectSymbol, SymbolScope};

use super::error::BuildError;
use super::provides::Provides;

/// Parts of symbols that only MLX's Metal encoder has, under its newer and its older name.
const ENCODER: [&str; 2] = ["12needs_commit", "27command_buffer_needs_commit"];

/// What a look at a library found.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Lookup {
    /// Of the wanted symbols, those defined where a linker sees them.
    pub found: Vec<String>,
    /// Of the wanted symbols, those defined where it does not.
    pub hidden: Vec<String>,
    /// Whether the Metal encoder is in it, patched or not.
    pub encoder: bool,
}

/// Fails unless `library` defines every entry point of the overlay where a linker sees it.
pub fn check(library: &Path, provides: &Provides, arch: &str) -> Result<(), BuildError> {
    let unreadable = |why: String| BuildError::NoLibrary {
        library: library.to_owned(),
        why,
    };
    let bytes = std::fs::read(library).map_err(|error| unreadable(error.to_string()))?;
    let entries = provides.all();
    let symbols = entries.map(|entry| entry.symbol());
    let looked = look(&bytes, &symbols, arch).map_err(unreadable)?;
    let missing = entries.iter().zip(&symbols);
    let missing: Vec<String> = missing
        .filter(|(_, symbol)| !looked.found.contains(symbol))
        .map(|(entry, symbol)| {
            let hidden = looked.hidden.contains(symbol);
            format!(
                "{}{}",
                entry.signature,
                if hidden { " (there, but hidden)" } else { "" }
            )
        })
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(BuildError::Unpatched {
        library: library.to_owned(),
        missing: missing.join(", "),
        encoder: looked.encoder,
    })
}

/// Looks for `wanted` in a static or shared library, of ELF or Mach-O (a universal one by `arch`, as cargo
/// names it). The error says what else the bytes are.
pub fn look(bytes: &[u8], wanted: &[String], arch: &str) -> Result<Lookup, String> {
    let mut lookup = Lookup::default();
    visit(bytes, wanted, arch, &mut lookup)?;
    Ok(lookup)
}

fn visit(bytes: &[u8], wanted: &[String], arch: &str, lookup: &mut Lookup) -> Result<(), String> {
    match FileKind::parse(bytes) {
        Ok(FileKind::Archive) => archive(bytes, wanted, arch, lookup),
        Ok(FileKind::MachOFat32) => {
            let fat = MachOFatFile32::parse(bytes).map_err(text)?;
            visit(slice(bytes, fat.arches(), arch)?, wanted, arch, lookup)
        }
        Ok(FileKind::MachOFat64) => {
            let fat = MachOFatFile64::parse(bytes).map_err(text)?;
            visit(slice(bytes, fat.arches(), arch)?, wanted, arch, lookup)
        }
        Ok(FileKind::Elf32 | FileKind::Elf64 | FileKind::MachO32 | FileKind::MachO64) => {
            object(bytes, wanted, lookup)
        }
        Ok(other) => Err(format!("it is of the kind {other:?}")),
        Err(_) => Err("it is neither an archive nor an object of ELF or Mach-O".to_owned()),
    }
}

fn archive(bytes: &[u8], wanted: &[String], arch: &str, lookup: &mut Lookup) -> Result<(), String> {
    let archive = ArchiveFile::parse(bytes).map_err(text)?;
    if archive.is_thin() {
        return Err(
            "it is a thin archive, which holds no code; make it without `ar -T`".to_owned(),
        );
    }
    for member in archive.members() {
        let data = member.map_err(text)?.data(bytes).map_err(text)?;
        // Archives hold other things too: bitcode, notes. They define nothing for a linker of objects.
        if FileKind::parse(data).is_ok() {
            visit(data, wanted, arch, lookup)?;
        }
    }
    Ok(())
}

fn slice<'b>(bytes: &'b [u8], arches: &[impl FatArch], arch: &str) -> Result<&'b [u8], String> {
    let wanted = match arch {
        "aarch64" => Architecture::Aarch64,
        "x86_64" => Architecture::X86_64,
        other => return Err(format!("it is a universal file, and {other} is in none")),
    };
    arches
        .iter()
        .find(|slice| slice.architecture() == wanted)
        .ok_or_else(|| format!("it is a universal file without {arch}"))?
        .data(bytes)
        .map_err(text)
}

fn object(bytes: &[u8], wanted: &[String], lookup: &mut Lookup) -> Result<(), String> {
    let object = object::File::parse(bytes).map_err(text)?;
    // A shared library shows a linker its dynamic symbols alone; Mach-O has one table for both.
    let shared = object.kind() == object::ObjectKind::Dynamic;
    for symbol in object.symbols().chain(object.dynamic_symbols()) {
        let Ok(name) = symbol.name() else { continue };
        if symbol.is_undefined() {
            continue;
        }
        lookup.encoder |= ENCODER.iter().any(|part| name.contains(part));
        let name = match object.format() {
            object::BinaryFormat::MachO => name.strip_prefix('_').unwrap_or(name),
            _ => name,
        };
        let Some(name) = wanted.iter().find(|wanted| *wanted == name) else {
            continue;
        };
        let seen = match symbol.scope() {
            SymbolScope::Dynamic => true,
            SymbolScope::Linkage => !shared,
            SymbolScope::Compilation | SymbolScope::Unknown => false,
        };
        let list = if seen {
            &mut lookup.found
        } else {
            &mut lookup.hidden
        };
        if !list.contains(name) {
            list.push(name.clone());
        }
    }
    Ok(())
}

fn text(error: object::Error) -> String {
    error.to_string()
}
