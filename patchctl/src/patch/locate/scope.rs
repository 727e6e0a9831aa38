//! The constructs that a scope of an overlay names.

use crate::cpp::{
    self, Construct, ConstructKind, Parsed, UntrustedHead, name_matches, spelled, without_arguments,
};
use crate::overlay::Scope;

/// Every construct that a scope can mean; for a namespace all its blocks.
pub(in crate::patch) fn constructs<'p>(parsed: &'p Parsed, scope: &Scope) -> Vec<&'p Construct> {
    let of_kind = |kind, fits: &dyn Fn(&Construct) -> bool| -> Vec<&'p Construct> {
        parsed.of_kind(kind).filter(|it| fits(it)).collect()
    };
    let named = |kind, wanted: &str, signature: &[String]| {
        let tokens = cpp::pattern(wanted).ok();
        let wanted = &tokens.map_or_else(|| wanted.to_owned(), spelled);
        let fits = |it: &Construct, name: &str| {
            it.signature.starts_with(signature) && name_matches(name, wanted)
        };
        let found = of_kind(kind, &|it| fits(it, &it.name));
        // `Pool::take` is `Pool<T>::take`, where nothing is called `Pool::take`.
        match found.is_empty() && !wanted.contains('<') {
            true => of_kind(kind, &|it| fits(it, &without_arguments(&it.name))),
            false => found,
        }
    };
    match scope {
        Scope::File => Vec::new(),
        Scope::Include(name) => of_kind(ConstructKind::Include, &|it| it.name == *name),
        Scope::Namespace(name) => {
            let name = name.trim_start_matches("::");
            of_kind(ConstructKind::Namespace, &|it| it.name == name)
        }
        Scope::Line { line, under } => of_kind(ConstructKind::Line, &|it| {
            let is_under = |under: &String| parsed.outline(it).contains(&under.as_str());
            it.name == *line && under.as_ref().is_none_or(is_under)
        }),
        Scope::Class { name, member: None } => named(ConstructKind::Class, name, &[]),
        Scope::Class {
            name,
            member: Some(member),
        } => named(ConstructKind::Member, &format!("{name}::{member}"), &[]),
        Scope::Function { name, signature } => {
            let wanted = signature.as_deref().and_then(|it| cpp::pattern(it).ok());
            let wanted = wanted.unwrap_or_default();
            let mut found = named(ConstructKind::Function, name, &wanted);
            // `()` is `() const`, where there is no `()`.
            let whole: &dyn Fn(&&Construct) -> bool = &|it| it.signature == wanted;
            let parameters: &dyn Fn(&&Construct) -> bool = &|it| {
                let next = it.signature.get(wanted.len()).map(String::as_str);
                !matches!(next, Some("const" | "volatile" | "&" | "&&"))
            };
            for fits in [whole, parameters] {
                if found.iter().any(fits) {
                    found.retain(fits);
                }
            }
            found
        }
    }
}

/// A scope as the overlay's author writes it.
pub(in crate::patch) fn describe(scope: &Scope) -> String {
    match scope {
        Scope::File => "the file".to_owned(),
        Scope::Include(name) => format!("`#include {name}`"),
        Scope::Function { name, signature } => {
            format!(
                "function `{name}{}`",
                signature.as_deref().unwrap_or_default()
            )
        }
        Scope::Class { name, member: None } => format!("class `{name}`"),
        Scope::Class {
            name,
            member: Some(member),
        } => format!("member `{member}` of class `{name}`"),
        Scope::Namespace(name) => format!("namespace `{name}`"),
        Scope::Line { line, under: None } => format!("line `{line}`"),
        Scope::Line {
            line,
            under: Some(under),
        } => format!("line `{line}` under `{under}`"),
    }
}

/// The first code that the scope names and that is not read as a trusted construct.
pub(in crate::patch) fn untrusted(parsed: &Parsed, scope: &Scope) -> Option<UntrustedHead> {
    let (kind, name) = match scope {
        Scope::File | Scope::Line { .. } => return None,
        Scope::Include(name) => (ConstructKind::Include, name),
        Scope::Function { name, .. } => (ConstructKind::Function, name),
        Scope::Class { name, .. } => (ConstructKind::Class, name),
        Scope::Namespace(name) => (ConstructKind::Namespace, name),
    };
    parsed.untrusted(kind, name)
}
