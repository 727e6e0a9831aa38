//! Lists the includes, classes, members or namespaces of a file in which one is gone.

use crate::cpp::{Construct, ConstructKind, Parsed, name_matches};
use crate::overlay::{Edit, Scope};
use crate::patch::locate::Candidate;

use super::show::listed;

/// Constructs listed at the most.
const LISTED: usize = 20;

/// The constructs of the kind that an edit's anchor names, a line each, likest first; empty where there is none.
pub(super) fn instead(parsed: &Parsed, edit: &Edit) -> String {
    let of_kind = |kind| parsed.of_kind(kind).collect::<Vec<_>>();
    let (wanted, mut there) = match &edit.at.scope {
        Scope::File | Scope::Function { .. } => return String::new(),
        Scope::Include(name) => (name, of_kind(ConstructKind::Include)),
        Scope::Namespace(name) => (name, of_kind(ConstructKind::Namespace)),
        Scope::Class { name, member: None } => (name, of_kind(ConstructKind::Class)),
        Scope::Class {
            name,
            member: Some(member),
        } => {
            let mut members = of_kind(ConstructKind::Member);
            members.retain(|it| {
                it.name
                    .rsplit_once("::")
                    .is_some_and(|(class, _)| name_matches(class, name))
            });
            (member, members)
        }
    };
    let likeness = |it: &&Construct| {
        let last = it.name.rsplit("::").next().unwrap_or(&it.name);
        strsim::jaro_winkler(last, wanted.rsplit("::").next().unwrap_or(wanted))
    };
    there.sort_by(|a, b| likeness(b).total_cmp(&likeness(a)));
    there.truncate(LISTED);
    let candidates: Vec<Candidate> = there
        .iter()
        .map(|it| Candidate::construct(parsed, it))
        .collect();
    match candidates.is_empty() {
        true => String::new(),
        false => format!("there is:\n{}", listed(&edit.file, &candidates)),
    }
}
