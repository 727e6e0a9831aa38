//! The diff of a pin's overlays, from the lock.

use std::fmt::Write;

use patchctl_apply::{ApplyError, LockedFile, LockedPin};
use similar::TextDiff;

use super::workspace::Workspace;
use super::{Context, Output};
use crate::report::Error;

/// Gives the diff of the pin `named`, or of the current one, as text with `lines` upstream lines around each change.
///
/// # Errors
/// When the root or its lock cannot be read, no such pin is locked, or upstream's lines are not at hand.
pub(crate) fn run(named: Option<&str>, lines: usize, context: &Context) -> Result<Output, Error> {
    let workspace = Workspace::of_lock(context)?;
    let pin = workspace.pin(named)?;
    let mut text = String::new();
    for file in &pin.files {
        text.push_str(&match lines {
            0 => from_lock(file),
            _ => with_context(file, &upstream_bytes(&workspace, pin, file)?, lines)?,
        });
    }
    Ok(Output::Diff(text))
}

/// A file's bytes before the overlays: those at hand, else those of a source.
fn upstream_bytes(
    workspace: &Workspace<'_>,
    pin: &LockedPin,
    file: &LockedFile,
) -> Result<Vec<u8>, Error> {
    if let Some(bytes) = workspace.upstream(true).read_blob(&file.before) {
        return Ok(bytes);
    }
    let found = workspace.found(pin)?;
    let blob = found
        .source
        .read(&found.revision, file.path.as_str().into())?;
    let bytes = blob.map(|blob| blob.bytes);
    bytes.ok_or_else(|| {
        let (source, path) = (found.source.name(), &file.path);
        Error::usage(format!("{source} has no {path} at {}", pin.revision))
            .help("the lock names a file that its revision does not have: write it anew with `patchctl bump`")
    })
}

/// A unified diff without context, from the lock alone; the edit stands behind the `@@`.
fn from_lock(file: &LockedFile) -> String {
    let mut text = header(file);
    let mut added = 0;
    for splice in &file.splices {
        // In a file without a last newline the text begins with the line end that the file lacks.
        let behind_the_end = splice.text.starts_with(['\n', '\r']);
        let whole = splice.text.trim_start_matches(['\n', '\r']);
        let count = whole.lines().count() as u64;
        let before = splice.line - 1;
        let _ = writeln!(
            text,
            "@@ -{before},0 +{},{count} @@ {}",
            before + added + 1,
            splice.edit
        );
        for line in whole.split_inclusive('\n') {
            let _ = write!(text, "+{line}");
        }
        if behind_the_end {
            text.push_str("\n\\ No newline at end of file\n");
        }
        added += count;
    }
    text
}

/// A unified diff with upstream's lines around each change.
fn with_context(file: &LockedFile, upstream: &[u8], lines: usize) -> Result<String, Error> {
    let patched = file.patch(upstream).map_err(ApplyError::from)?;
    let upstream = String::from_utf8_lossy(upstream);
    let patched = String::from_utf8_lossy(&patched);
    let diff = TextDiff::from_lines(upstream.as_ref(), patched.as_ref());
    let hunks = diff.unified_diff().context_radius(lines).to_string();
    Ok(header(file) + &hunks)
}

fn header(file: &LockedFile) -> String {
    let path = &file.path;
    format!("--- a/{path}\n+++ b/{path}\n")
}

#[cfg(test)]
mod tests {
    use patchctl_apply::markers::{Block, Comment, Digest12, EditName, insertion};
    use patchctl_apply::{BlobId, splice};

    use super::*;

    fn locked(upstream: &str, offsets: &[usize]) -> LockedFile {
        let splices: Vec<_> = offsets
            .iter()
            .enumerate()
            .map(|(at, offset)| {
                let block = Block {
                    edit: EditName::new("budget", "read", &(at + 1).to_string()).unwrap(),
                    digest: Digest12::new("0123456789ab").unwrap(),
                    comment: Comment::default(),
                };
                insertion(upstream.as_bytes(), *offset, &block, "new();\n").unwrap()
            })
            .collect();
        let patched = splice("device.cpp", upstream.as_bytes(), &splices).unwrap();
        LockedFile {
            path: "mlx/device.cpp".to_owned(),
            before: BlobId::of(upstream.as_bytes()),
            after: BlobId::of(&patched),
            splices,
        }
    }

    #[test]
    fn lock_gives_a_diff_without_context() {
        let file = locked("a\nb\nc\n", &[2, 4]);
        let expected = "\
--- a/mlx/device.cpp
+++ b/mlx/device.cpp
@@ -1,0 +2,3 @@ budget/read.1
+// patchctl:begin budget/read.1 0123456789ab
+new();
+// patchctl:end budget/read.1
@@ -2,0 +6,3 @@ budget/read.2
+// patchctl:begin budget/read.2 0123456789ab
+new();
+// patchctl:end budget/read.2
";
        assert_eq!(from_lock(&file), expected);
    }

    #[test]
    fn diff_marks_a_missing_last_newline() {
        let file = locked("a", &[1]);
        let expected = "\
--- a/mlx/device.cpp
+++ b/mlx/device.cpp
@@ -1,0 +2,3 @@ budget/read.1
+// patchctl:begin budget/read.1 0123456789ab
+new();
+// patchctl:end budget/read.1
\\ No newline at end of file
";
        assert_eq!(from_lock(&file), expected);
    }

    #[test]
    fn context_lines_stand_around_the_change() {
        let upstream = "a\nb\nc\nd\n";
        let text = with_context(&locked(upstream, &[4]), upstream.as_bytes(), 1).unwrap();
        let expected = "\
--- a/mlx/device.cpp
+++ b/mlx/device.cpp
@@ -2,2 +2,5 @@
 b
+// patchctl:begin budget/read.1 0123456789ab
+new();
+// patchctl:end budget/read.1
 c
";
        assert_eq!(text, expected);
    }

    #[test]
    fn bytes_other_than_the_locks_are_refused() {
        let file = locked("a\nb\n", &[2]);
        assert!(with_context(&file, b"a\nB\n", 3).is_err());
    }
}
