//! Overlays that lie beside a lock, compared with it as far as their texts go.

use std::path::Path;

use crate::beneath::Root;
use crate::markers::{NOW, WAS, WAS_END};
use crate::yaml::{Limits, Node, Value, parse};
use crate::{LockedPin, Splice};

/// Returns the edits of `pin`, as `overlay/hunk.edit`, whose text in the lock is not the text that the overlay's file in
/// `folder` has for them.
///
/// The lock decides what is applied; this says that a bump is due. An overlay without a readable file there is left out:
/// `patchctl status --check` compares all, and says what is wrong.
pub fn differing_edits(pin: &LockedPin, folder: &Path) -> Vec<String> {
    let splices = pin.files.iter().flat_map(|file| &file.splices);
    let splices: Vec<&Splice> = splices.collect();
    let mut differing = Vec::new();
    for overlay in &pin.overlays {
        let Some(file) = read(folder, &overlay.id) else {
            continue;
        };
        let prefix = format!("{}/", overlay.id);
        for splice in splices.iter().filter(|it| it.edit.starts_with(&prefix)) {
            let of_edit = splices.iter().filter(|it| it.edit == splice.edit);
            let block: String = of_edit.map(|it| it.text.as_str()).collect();
            let name = &splice.edit[prefix.len()..];
            if !texts(&file, name).any(|text| is_text(&block, text))
                && !differing.contains(&splice.edit)
            {
                differing.push(splice.edit.clone());
            }
        }
    }
    differing
}

fn read(folder: &Path, overlay: &str) -> Option<Node> {
    let root = Root::open(folder).ok()?;
    let file = format!("{overlay}.yaml");
    let bytes = root.read_resolved(file, Limits::FORM.bytes).ok()?;
    match parse(&bytes, Limits::FORM) {
        (Some(node), problems) if problems.is_empty() => Some(node),
        _ => None,
    }
}

/// The texts that the overlay has for the edit `hunk.edit`, one for each variant of the hunk.
fn texts<'a>(overlay: &'a Node, name: &'a str) -> impl Iterator<Item = &'a str> {
    let hunks = items(overlay.key("hunks")).iter();
    let edits = hunks.flat_map(move |hunk| {
        let id = hunk.key("id").text().unwrap_or_default();
        let edit = name
            .strip_prefix(id)
            .and_then(|rest| rest.strip_prefix('.'));
        let variants = items(hunk.key("variants")).iter();
        let lists = variants.chain([hunk]).map(|it| items(it.key("edits")));
        lists.filter_map(move |edits| {
            let number = edit?.parse::<usize>().ok();
            let by_id = edits.iter().find(|it| it.key("id").text() == edit);
            by_id.or_else(|| edits.get(number?.checked_sub(1)?))
        })
    });
    edits.filter_map(|edit| edit.key("insert").text().or(edit.key("replace").text()))
}

fn items(node: &Node) -> &[Node] {
    match &node.value {
        Value::List(items) => items,
        _ => &[],
    }
}

/// Returns true if `text` is what stands between the block's own lines: its markers, and the directives around a replacement.
fn is_text(block: &str, text: &str) -> bool {
    let lines: Vec<&str> = block.trim().lines().collect();
    let Some((_, rest)) = lines.split_first() else {
        return false;
    };
    let inner = match rest {
        [WAS, NOW, inner @ .., WAS_END, _] => inner,
        [inner @ .., _] => inner,
        [] => return false,
    };
    inner.iter().copied().eq(text.trim_end().lines())
}
