use object::write::{Object, Symbol, SymbolSection};
use object::{Architecture, BinaryFormat, Endianness, SymbolFlags, SymbolKind, SymbolScope};

use super::*;

#[test]
fn a_functions_name_is_mangled() {
    assert_eq!(
        mangled("mlx::core::metal::set_mb_per_buffer_override(int)").unwrap(),
        "_ZN3mlx4core5metal26set_mb_per_buffer_overrideEi"
    );
    assert_eq!(mangled("get()").unwrap(), "_Z3getv");
    assert_eq!(mangled("a::f(unsigned long, bool)").unwrap(), "_ZN1a1fEmb");
    for wrong in [
        "a::f",
        "a::f(std::string)",
        "a::(int)",
        "a::f(int",
        "operator+(int)",
    ] {
        assert!(mangled(wrong).is_none(), "{wrong}");
    }
}

fn object_with(name: &str, scope: SymbolScope, format: BinaryFormat) -> Vec<u8> {
    let mut object = Object::new(format, Architecture::Aarch64, Endianness::Little);
    let text = object.section_id(object::write::StandardSection::Text);
    let offset = object.append_section_data(text, &[0; 4], 4);
    object.add_symbol(Symbol {
        name: name.into(),
        value: offset,
        size: 4,
        kind: SymbolKind::Text,
        scope,
        weak: false,
        section: SymbolSection::Section(text),
        flags: SymbolFlags::None,
    });
    object.write().unwrap()
}

#[test]
fn a_provided_function_is_visible() {
    let name = "a::get()";
    for format in [BinaryFormat::Elf, BinaryFormat::MachO] {
        let visible = object_with("_ZN1a3getEv", SymbolScope::Dynamic, format);
        assert_eq!(check_provided(&visible, name), Ok(()), "{format:?}");
        let hidden = object_with("_ZN1a3getEv", SymbolScope::Linkage, format);
        assert_eq!(
            check_provided(&hidden, name).unwrap_err().to_string(),
            "a::get() is defined and hidden: say that it is visible"
        );
        let another = object_with("_ZN1a4get2Ev", SymbolScope::Dynamic, format);
        assert_eq!(
            check_provided(&another, name).unwrap_err().to_string(),
            "a::get() is not defined"
        );
    }
    assert!(matches!(
        check_provided(b"no object", name),
        Err(ProvidedFault::Unreadable(_))
    ));
}

/// A Mach-O object with these symbols; one without a scope is referred to and not defined.
fn mac_object_with(names: &[(&str, Option<SymbolScope>)]) -> Vec<u8> {
    let mut object = Object::new(
        BinaryFormat::MachO,
        Architecture::Aarch64,
        Endianness::Little,
    );
    let text = object.section_id(object::write::StandardSection::Text);
    for (name, scope) in names {
        let offset = object.append_section_data(text, &[0; 4], 4);
        let section = match scope {
            Some(_) => SymbolSection::Section(text),
            None => SymbolSection::Undefined,
        };
        object.add_symbol(Symbol {
            name: (*name).into(),
            value: if scope.is_some() { offset } else { 0 },
            size: 0,
            kind: SymbolKind::Text,
            scope: scope.unwrap_or(SymbolScope::Unknown),
            weak: false,
            section,
            flags: SymbolFlags::None,
        });
    }
    object.write().unwrap()
}

#[test]
fn a_mac_object_defines_the_provided_names() {
    let check = "_ZNK3mlx4core5metal14CommandEncoder12needs_commitEv";
    let (seen, hidden) = (Some(SymbolScope::Dynamic), Some(SymbolScope::Linkage));
    let names = ["a::get()"];
    let whole = mac_object_with(&[("_ZN1a3getEv", seen), (check, hidden)]);
    assert_eq!(check_device(&whole, names), Ok(()));
    let without = mac_object_with(&[("_ZN1a3getEv", seen), (check, None)]);
    assert_eq!(
        check_device(&without, names).unwrap_err(),
        "no commit check is defined: neither CommandEncoder::needs_commit nor Device::command_buffer_needs_commit"
    );
    let unseen = mac_object_with(&[("_ZN1a3getEv", hidden), (check, hidden)]);
    assert_eq!(
        check_device(&unseen, names).unwrap_err(),
        "a::get() is defined and hidden: say that it is visible"
    );
}

#[test]
fn the_bridge_calls_the_entry_points() {
    let header = bridge_header("a::b::set(int)", "get()").unwrap();
    assert_eq!(
        header,
        "#pragma once\nnamespace a::b { void set(int); }\nint get();\nnamespace mlx_bridge::provided {\n\
         inline void set(int mb) { ::a::b::set(mb); }\ninline int get() { return ::get(); }\n}\n"
    );
    assert!(bridge_header("a::set(bool)", "get()").is_none());
    let names = ["a::b::set(int)", "get()"];
    let calls = mac_object_with(&[("_ZN1a1b3setEi", None), ("_Z3getv", None)]);
    assert_eq!(check_bridge(&calls, names), Ok(()));
    let other = mac_object_with(&[
        ("_ZN1a1b3setEi", None),
        ("_Z3getv", Some(SymbolScope::Dynamic)),
    ]);
    assert_eq!(
        check_bridge(&other, names).unwrap_err(),
        "the bridge does not refer to get()"
    );
}
