//! The constructs that a scope of an overlay names.

use crate::cpp::{self, Construct, ConstructKind, Parsed, name_matches, without_arguments};
use crate::overlay::Scope;

use super::miss::{Candidate, Miss};

/// Every construct that a scope can mean; for a namespace all its blocks.
pub(in crate::patch) fn constructs<'p>(parsed: &'p Parsed, scope: &Scope) -> Vec<&'p Construct> {
    let named = |kind, wanted: String| -> Vec<&'p Construct> {
        let mut found: Vec<&Construct> = parsed
            .of_kind(kind)
            .filter(|construct| name_matches(&construct.name, &wanted))
            .collect();
        // `Pool::take` is `Pool<T>::take`, where nothing is called `Pool::take`.
        if found.is_empty() && !wanted.contains('<') {
            found = parsed
                .of_kind(kind)
                .filter(|construct| name_matches(&without_arguments(&construct.name), &wanted))
                .collect();
        }
        found
    };
    match scope {
        Scope::File => Vec::new(),
        Scope::Include(name) => parsed
            .of_kind(ConstructKind::Include)
            .filter(|include| include.name == *name)
            .collect(),
        Scope::Namespace(name) => {
            let blocks = parsed.of_kind(ConstructKind::Namespace);
            blocks
                .filter(|block| block.name == name.trim_start_matches("::"))
                .collect()
        }
        Scope::Class { name, member: None } => named(ConstructKind::Class, name.clone()),
        Scope::Class {
            name,
            member: Some(member),
        } => named(ConstructKind::Member, format!("{name}::{member}")),
        Scope::Function { name, signature } => {
            let wanted = signature.as_deref().map(cpp::pattern).and_then(Result::ok);
            let mut found = named(ConstructKind::Function, name.clone());
            found.retain(|f| {
                wanted
                    .as_ref()
                    .is_none_or(|wanted| f.signature.starts_with(wanted))
            });
            found
        }
    }
}

/// A scope as the overlay's author writes it.
pub(in crate::patch) fn describe(scope: &Scope) -> String {
    match scope {
        Scope::File => "the file".to_owned(),
        Scope::Include(name) => format!("`#include {name}`"),
        Scope::Function {
            name,
            signature: None,
        } => format!("function `{name}`"),
        Scope::Function {
            name,
            signature: Some(signature),
        } => {
            format!("function `{name}{signature}`")
        }
        Scope::Class { name, member: None } => format!("class `{name}`"),
        Scope::Class {
            name,
            member: Some(member),
        } => format!("member `{member}` of class `{name}`"),
        Scope::Namespace(name) => format!("namespace `{name}`"),
    }
}

/// The first thing that the scope names and that is not read as a trusted construct; a file of which nothing is read.
pub(in crate::patch) fn untrusted(parsed: &Parsed, scope: &Scope) -> Option<Miss> {
    let (kind, name) = match scope {
        _ if parsed.exceeded().is_some() => return parsed.exceeded().cloned().map(Miss::TooLarge),
        Scope::File => return None,
        Scope::Include(name) => (ConstructKind::Include, name),
        Scope::Function { name, .. } => (ConstructKind::Function, name),
        Scope::Class { name, .. } => (ConstructKind::Class, name),
        Scope::Namespace(name) => (ConstructKind::Namespace, name),
    };
    let head = parsed.untrusted(kind, name)?;
    Some(Miss::Untrusted {
        candidate: Candidate::new(parsed, &head.range, describe(scope)),
        why: head.why,
    })
}
