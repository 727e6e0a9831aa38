//! Every finding code, with its severity, exit status and documentation: the only place that lists them.
//!
//! `docs/findings.md` and `patchctl explain` are made from this table. The first paragraph of a code's comment says what
//! the finding means, the second what to do, and the rest adds to it.

use std::fmt;

use serde::{Serialize, Serializer};

use super::page::{Page, Section};
use super::{Exit, Severity};

/// Defines [`Code`] and [`SECTIONS`] from one table. A page holds no `Code`, so that rustc reports a code that no check
/// gives.
macro_rules! codes {
    ($($section:literal, $intro:literal {
        $($(#[doc = $line:literal])* $variant:ident = $code:literal, $severity:ident, $exit:ident;)*
    })*) => {
        /// The stable code of a finding.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Code {
            $($($(#[doc = $line])* $variant,)*)*
        }

        impl Code {
            fn row(self) -> (&'static str, Severity, Exit) {
                match self {
                    $($(Self::$variant => ($code, Severity::$severity, Exit::$exit),)*)*
                }
            }

            /// Returns the code as reports show it: kebab-case, the same in every version.
            pub(crate) fn as_str(self) -> &'static str {
                self.row().0
            }

            /// Returns the severity that a finding has unless its check says otherwise.
            pub(super) fn severity(self) -> Severity {
                self.row().1
            }

            /// Returns the status that a command ends with when nothing graver is found.
            pub(super) fn exit(self) -> Exit {
                self.row().2
            }
        }

        /// The pages of all codes, in the order of `docs/findings.md`.
        pub(super) const SECTIONS: &[Section] = &[$(Section {
            title: $section,
            intro: $intro,
            pages: &[$(Page {
                code: $code,
                severity: Severity::$severity,
                exit: Exit::$exit,
                section: $section,
                text: concat!($($line, "\n"),*),
            }),*],
        }),*];
    };
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

codes! {
    "Files (`patchctl.yaml`, overlays, `pins.yaml`, `reviewed.yaml`)", "All mistakes of all files are reported at once." {
        /// The system cannot read the file, or it is no regular file.
        ///
        /// Give this user the right to read it, or put a plain file there.
        FileUnreadable = "file-unreadable", Error, Surroundings;
        /// The file has over 1 MiB. It was not read.
        ///
        /// Check that it is the file you mean.
        FileTooLarge = "file-too-large", Error, Usage;
        /// The file holds bytes that are no UTF-8, or control characters.
        ///
        /// Save it as UTF-8. In a double-quoted text a control character can be written as an escape.
        FileNotText = "file-not-text", Error, Usage;
        /// The file holds nothing but comments and white space.
        ///
        /// Write the file, or remove it.
        YamlEmpty = "yaml-empty", Error, Usage;
        /// The file is no YAML that patchctl reads: a tab in the indentation, a second document, a tag, a list as a key.
        ///
        /// Correct the place that the message names. A text that holds `: ` needs quotes.
        YamlSyntax = "yaml-syntax", Error, Usage;
        /// A key stands twice in one map.
        ///
        /// Keep one of them.
        YamlDuplicateKey = "yaml-duplicate-key", Error, Usage;
        /// Aliases write the file out many times over, or it nests deeper than 32.
        ///
        /// Write the values out.
        YamlBomb = "yaml-bomb", Error, Usage;
        /// A key is not part of the form.
        ///
        /// Write the suggested key, or remove it. `patchctl schema` prints the form for editors.
        YamlUnknownKey = "yaml-unknown-key", Error, Usage;
        /// A key that has to be there is missing.
        ///
        /// Add it; the help says what it is for.
        YamlMissingKey = "yaml-missing-key", Error, Usage;
        /// A value has another type: a list where a map is meant, a number where a text is meant.
        ///
        /// Write the type that the message names. Quotes make a number a text.
        ///
        /// ```yaml
        /// releases: 0.30      # a number
        /// releases: '0.30'    # a text
        /// ```
        YamlWrongType = "yaml-wrong-type", Error, Usage;
        /// A word is none of the allowed ones.
        ///
        /// Write one of those that the message lists.
        YamlUnknownValue = "yaml-unknown-value", Error, Usage;
        /// The file's `schema` is newer than this version of patchctl reads.
        ///
        /// Use a newer patchctl.
        SchemaUnsupported = "schema-unsupported", Error, Usage;
    }
    "Overlays", "" {
        /// The overlay is of `kind: new-file` or `file-copy`, which no version supports yet.
        ///
        /// Write `kind: hunks`, or leave it out.
        OverlayKindUnsupported = "overlay-kind-unsupported", Error, Usage;
        /// An id is not made of `a` to `z`, `0` to `9` and `-`.
        ///
        /// Write the suggested id.
        OverlayBadId = "overlay-bad-id", Error, Usage;
        /// Two hunks, edits, variants or overlays have one name.
        ///
        /// Give each its own.
        OverlayDuplicateId = "overlay-duplicate-id", Error, Usage;
        /// The file is not named as the overlay is, or its name ends in `.yml`.
        ///
        /// Rename one of them: the overlay `x` stands in `x.yaml`.
        OverlayFileName = "overlay-file-name", Error, Usage;
        /// The markers would have over 80 columns, and clang-format would break them.
        ///
        /// Shorten the ids of overlay, hunk and edit.
        OverlayMarkerTooLong = "overlay-marker-too-long", Error, Usage;
        /// A path is absolute, leaves the upstream tree (for `record`, this repository) or is git's own.
        ///
        /// Write it relative to the tree, with `/`.
        OverlayBadPath = "overlay-bad-path", Error, Usage;
        /// Neither the edit or condition nor the overlay names a file.
        ///
        /// Add `file`.
        OverlayNoFile = "overlay-no-file", Error, Usage;
        /// The overlay has no hunks, a hunk no variants or a variant no edits.
        ///
        /// Add one.
        OverlayNothingToDo = "overlay-nothing-to-do", Error, Usage;
        /// Keys exclude each other, or one needs another that is missing.
        ///
        /// Keep one, or add the other.
        OverlayKeysClash = "overlay-keys-clash", Error, Usage;
        /// A name is no C++ name, an include stands without `<…>` or quotes, a line is none, or a title is empty.
        ///
        /// Write it as the message says.
        ///
        /// ```yaml
        /// at: { include: <cstdlib>, position: before }
        /// at: { include: '"mlx/utils.h"', position: before }
        /// ```
        OverlayBadName = "overlay-bad-name", Error, Usage;
        /// The construct does not have that `position`, or the anchor has none.
        ///
        /// Write one of those that the help names.
        OverlayBadPosition = "overlay-bad-position", Error, Usage;
        /// A text is no sequence of C++ tokens.
        ///
        /// Close the literal or comment.
        OverlayBadTokens = "overlay-bad-tokens", Error, Usage;
        /// A regular expression does not compile, is too large, or matches everywhere.
        ///
        /// Correct it as the message says.
        OverlayBadRegex = "overlay-bad-regex", Error, Usage;
        /// A text could not be taken off again: it has no last line feed, marker words or an open comment.
        ///
        /// Write the text as a block, and close what it opens.
        ///
        /// ```yaml
        /// insert: |
        ///   #include <cstdio>
        /// ```
        OverlayBadText = "overlay-bad-text", Error, Usage;
        /// A replacement does not say its reason.
        ///
        /// Add `why`, or use `insert`.
        OverlayReplaceWithoutWhy = "overlay-replace-without-why", Error, Usage;
        /// `releases` is no version requirement.
        ///
        /// Write one such as `'>=0.23.0'` or `'>=0.23.0, <0.32.0'`.
        OverlayBadRequirement = "overlay-bad-requirement", Error, Usage;
        /// `after` names no overlay, or overlays wait for each other.
        ///
        /// Write the suggested name, or remove one `after`.
        OverlayBadOrder = "overlay-bad-order", Error, Usage;
    }
    "Trees (`apply`)", "Nothing is written when there is one." {
        /// With `--check`: the file is upstream's, without the overlays.
        ///
        /// Run `patchctl apply DIR`.
        CleanTree = "clean-tree", Error, Check;
        /// With `--check`: the file has blocks that are not the lock's: of an older text, or of an overlay that is no
        /// longer carried.
        ///
        /// Run `patchctl apply DIR`, which takes them off first.
        StaleTree = "stale-tree", Error, Check;
        /// Without its blocks the file is not upstream's: it is of another release, was edited by hand, or has other line
        /// ends.
        ///
        /// Get upstream's file; the help says of which revision.
        ForeignTree = "foreign-tree", Error, Check;
        /// Lines inside a block were changed after it was written; they are shown.
        ///
        /// Take the lines over into the overlay, or lose them with `--discard-edits`.
        EditedBlock = "edited-block", Error, Check;
        /// A block is of an overlay that neither the lock nor the tree's record knows; it is never removed. In a
        /// file that the pin does not name it is a warning.
        ///
        /// Remove it by hand, or restore the file where the lock names it.
        ForeignBlock = "foreign-block", Error, Check;
        /// The markers in the file do not pair.
        ///
        /// Restore the file from upstream's revision.
        BrokenMarkers = "broken-markers", Error, Check;
        /// A file of the pin is not in the tree.
        ///
        /// Check that the folder is the root of the pin's tree.
        FileMissing = "file-missing", Error, Check;
        /// A path of the lock leaves the tree.
        ///
        /// Write the lock anew with `patchctl bump`.
        PathLeavesTree = "path-leaves-tree", Error, Check;
        /// The tree fits several pins that patch it differently.
        ///
        /// Name one with `--mlx`.
        PinAmbiguous = "pin-ambiguous", Error, Usage;
        /// A part of the path is a symbolic link.
        ///
        /// Put the file itself there.
        SymlinkInTree = "symlink-in-tree", Error, Surroundings;
        /// A folder, or another thing, stands where a file is expected.
        ///
        /// Move it away.
        NotAFile = "not-a-file", Error, Surroundings;
    }
    "Hunks (`bump`, `verify`)", "Each finding shows upstream's code, the upstream commit where a source has the history, and, where it can, the YAML to add." {
        /// Nothing has the anchor's name, or the function has no such statement.
        ///
        /// Read the likeliest new place that is shown, then paste the variant. Keep the old one for older pins.
        ///
        /// The usual reason is that upstream renamed the function or moved it to another class. MLX 0.31.2 moved
        /// `Device::command_buffer_needs_commit` to `CommandEncoder::needs_commit`.
        AnchorNotFound = "anchor-not-found", Error, Check;
        /// The anchor names more than one thing. All are listed.
        ///
        /// Narrow it: `signature`, more of the name, longer `tokens`, `preprocessor`.
        ///
        /// ```yaml
        /// at: { function: 'Device::end_encoding', signature: '(int index)', position: begin }
        /// ```
        AnchorAmbiguous = "anchor-ambiguous", Error, Check;
        /// The place is there, and the two readings of the file do not agree on it.
        ///
        /// Name an export macro that confuses the parser with `macros: [NAME]`; else choose another anchor.
        ///
        /// A parser can misread a file without an error: `class API array {` reads as a function until the overlay says
        /// `macros: [API]`.
        AnchorUntrusted = "anchor-untrusted", Error, Check;
        /// Whole lines cannot go there: other code is on the line, or it is the body of an `if` without braces.
        ///
        /// Choose another statement or position.
        AnchorNotOnOwnLine = "anchor-not-on-own-line", Error, Check;
        /// The place stands under other `#if` conditions than the anchor says.
        ///
        /// Name them with `preprocessor`, outermost first.
        ///
        /// ```yaml
        /// at: { function: 'f', position: begin, preprocessor: ['#ifdef X'] }
        /// ```
        PreprocessorMismatch = "preprocessor-mismatch", Error, Check;
        /// No variant of the hunk is for this form of upstream.
        ///
        /// Add the variant shown.
        NoVariant = "no-variant", Error, Check;
        /// More than one variant fits.
        ///
        /// Narrow the `when` of each, so that exactly one fits.
        SeveralVariants = "several-variants", Error, Check;
        /// The place is there, and the hunk would no longer do its work: an `expect` does not hold.
        ///
        /// Read the code, then split the variant as shown.
        ///
        /// A premise (`expect`) says what must hold around an anchor for the hunk to keep its meaning. No patch tool
        /// reports this case: the text applies, and the change is lost.
        ///
        /// ```yaml
        /// expect: [{ in: { function: 'CommandEncoder::needs_commit' }, tokens: '( buffer_sizes_ >> 20 ) > max_mb' }]
        /// ```
        PremiseFailed = "premise-failed", Error, Check;
        /// The revision has no such file.
        ///
        /// Look at the likeliest new home that is shown; name it with `file` in a new variant.
        FileGone = "file-gone", Error, Check;
        /// Upstream holds the change already.
        ///
        /// End it before this release: `patchctl retire decode-input-budget --since 0.33.0`.
        LandedUpstream = "landed-upstream", Error, Check;
        /// Two overlays insert at one place, or change each other's places.
        ///
        /// Declare the order, or narrow an anchor.
        ///
        /// ```yaml
        /// after: [other-overlay]
        /// ```
        OrderNeeded = "order-needed", Error, Check;
        /// An edit lies inside lines that another replaces.
        ///
        /// Make one edit of them.
        EditsOverlap = "edits-overlap", Error, Check;
        /// Upstream's text holds markers, or the block cannot be fenced.
        ///
        /// Take the overlays off upstream first.
        MarkerClash = "marker-clash", Error, Check;
        /// The statement cannot be kept under `#if 0`.
        ///
        /// Use `insert`, or another statement.
        ReplaceRefused = "replace-refused", Error, Check;
        /// Nobody has reviewed the code there, and no merge confirms the place.
        ///
        /// Look at the code. Accept the hunk with `patchctl review --accept`, or with `--reviewed overlay/hunk`.
        NeedsReviewShape = "needs-review-shape", Error, Check;
        /// A three-way merge puts the edit elsewhere. Both places are shown.
        ///
        /// Look at both. Accept the hunk with `--reviewed overlay/hunk`, or change its anchor.
        LocatorsDisagree = "locators-disagree", Error, Check;
        /// The patched text has a parse error that upstream's has not.
        ///
        /// Look at the inserted code.
        NewParseErrors = "new-parse-errors", Error, Check;
        /// Taking the overlays off does not give upstream's bytes back. This is a defect of patchctl.
        ///
        /// Report it, with the overlay and the release.
        TakeOffDiffers = "take-off-differs", Error, Check;
        /// A second run would change the file. This is a defect of patchctl.
        ///
        /// Report it, with the overlay and the release.
        NotIdempotent = "not-idempotent", Error, Check;
        /// A `replace` puts upstream lines under `#if 0`.
        UpstreamLinesReplaced = "upstream-lines-replaced", Note, Success;
        /// The overlay does not claim this release. The exit status is 2 where the release was named alone.
        ///
        /// Widen `releases` of the overlay if it should. `bump --without-overlays` pins a release that none claims.
        UnsupportedRelease = "unsupported-release", Note, Success;
        /// A branch was named. Its commit of today is pinned.
        MovingRevision = "moving-revision", Note, Success;
        /// `latest` is older than the current pin: the source that has the newer release did not answer, or lists fewer.
        ///
        /// Name a source that has it; or give `--allow-downgrade`, or the release by its number.
        Downgrade = "downgrade", Error, Usage;
        /// The lock had proofs of a higher level for this pin, of another overlay or other upstream bytes.
        ///
        /// Run the bump again where the tools for that level are; a proof of the same bytes stays in the lock.
        ProofLowered = "proof-lowered", Warning, Success;
    }
    "Pins and lock", "" {
        /// Pins, lock, overlays and source do not agree.
        ///
        /// Write pins and lock anew with `patchctl bump --all-pins`.
        LockMismatch = "lock-mismatch", Error, Check;
        /// `.gitattributes` gives a file of patchctl a merge driver. `union` joins two entries into one that nobody wrote.
        ///
        /// Let git merge it line by line, as the help says; after a conflict take either side and run `patchctl bump
        /// --all-pins`.
        MergeDriver = "merge-driver", Warning, Success;
        /// An interrupted command left files half written. `status` says how it will end.
        ///
        /// Run any writing command: it finishes or undoes the rest first.
        PendingTransaction = "pending-transaction", Error, Check;
        /// What an overlay does was measured on older releases than the current pin, or on a release that is not
        /// recorded.
        ///
        /// Measure again, and add the record to `evidence`.
        EvidenceBehind = "evidence-behind", Note, Success;
        /// The file that `evidence` names is not there.
        ///
        /// Correct the path.
        EvidenceMissing = "evidence-missing", Warning, Success;
        /// Another command is writing now.
        ///
        /// Wait for it.
        CommandRunning = "command-running", Note, Success;
    }
    "Snapshots (`bump`, `review`, `status`, `verify`)", "[review.md](review.md) tells what a snapshot is." {
        /// A pin's overlay has no snapshot.
        ///
        /// Run `patchctl bump --all-pins`.
        SnapshotMissing = "snapshot-missing", Error, Check;
        /// A snapshot waits to be reviewed.
        ///
        /// Run `patchctl review`, then `--accept` or `--reject`.
        SnapshotPending = "snapshot-pending", Error, Check;
        /// A snapshot was accepted, and no bump has taken that in yet.
        ///
        /// Run the bump again.
        SnapshotAccepted = "snapshot-accepted", Error, Check;
        /// The file is no snapshot, or was changed by hand: its digest is not its text's.
        ///
        /// Take it from version control, or bump anew.
        SnapshotDamaged = "snapshot-damaged", Error, Check;
        /// The snapshot and the lock are of different commits, lines or texts. For `verify`: what is found on the pin is
        /// something else.
        ///
        /// Run `patchctl bump --all-pins`.
        SnapshotDiffers = "snapshot-differs", Error, Check;
        /// The lock has no such overlay or pin.
        ///
        /// Delete it, or let the next bump do so.
        SnapshotUnused = "snapshot-unused", Error, Check;
        /// The snapshot is not of what is carried now. For `bump` this is a warning, and it asks again.
        ///
        /// Run the bump, and look at the new snapshot.
        SnapshotStale = "snapshot-stale", Error, Check;
        /// An edit waits for a review; it is shown where it goes in, with upstream's code.
        ///
        /// Read it, then `--accept` the hunk.
        ReviewPlace = "review-place", Error, Check;
        /// The edit differs from the pin before, as shown.
        ReviewDifference = "review-difference", Note, Success;
        /// No source has the commit, so upstream's code is not shown.
        ///
        /// Name a source that has it.
        UpstreamNotShown = "code-not-shown", Note, Success;
    }
    "Builds (`build`, `test`)", "" {
        /// A compiler or CMake is missing, or too old. Nothing was shown.
        ///
        /// Install it as the help says.
        ToolMissing = "tool-missing", Error, Surroundings;
        /// A program could not be started or did not end, or a file could not be written.
        ///
        /// Correct what the message names.
        BuildNotPossible = "build-not-possible", Error, Surroundings;
        /// A compiler, the linker or CMake failed on the patched tree or the bridge.
        ///
        /// Read what it said.
        BuildFailed = "build-failed", Error, Check;
        /// The override, set through the bridge, was not read back as it should be.
        ///
        /// Look at the overlay's entry points.
        OverrideWrong = "override-wrong", Error, Check;
        /// The built library says another version than its tree's `mlx/version.h`.
        ///
        /// See that the tree is of one release.
        VersionDiffers = "version-differs", Error, Check;
        /// The overlays change objects of a build without Metal.
        ///
        /// Keep the overlay in files that only a Metal build compiles.
        ObjectsDiffer = "objects-differ", Error, Check;
        /// Not run: this machine has no real backend, for the reason given. The exit status is 3 where it was asked for
        /// by name.
        ///
        /// Run it where the help says.
        NoRealBackend = "no-real-backend", Error, Success;
    }
    "The repository's own checks (`verify --check`, `status --require`)", "" {
        /// The check ended with another status than 0. Its last lines are shown.
        ///
        /// Read them.
        CheckFailed = "check-failed", Error, Check;
        /// The check ended well, and by its `count` it ran no test.
        ///
        /// See that the tests are built, and that the pattern is theirs.
        CheckRanNothing = "check-ran-nothing", Error, Check;
        /// The program of the check is missing.
        ///
        /// Install it, or correct `command`.
        CheckNotStarted = "check-not-started", Error, Surroundings;
        /// The pin, an overlay or the check changed while it ran. Nothing was recorded.
        ///
        /// Run it again.
        CheckOvertaken = "check-overtaken", Error, Check;
        /// `--require` names a check that has not passed for the current pin with the overlays as they are. The message
        /// says why.
        ///
        /// Run it where it can be run, and bring its record.
        CheckRequired = "check-required", Error, Check;
        /// This is the record of a check that patchctl.yaml no longer has.
        ///
        /// Delete it.
        CheckRetired = "check-retired", Note, Success;
    }
    "Levels `compile` and `run` (`bump`, `verify`, `test`)", "What upstream alone does not do either is no finding: the level is then 'not run', with the reason." {
        /// What the overlay adds outside of functions does not compile without upstream around it.
        ///
        /// Include in the overlay what it uses.
        OwnCodeIncomplete = "own-code-incomplete", Error, Check;
        /// A file does not compile with the overlays in it, or not within ten minutes.
        ///
        /// Read what the compiler said. The file is named.
        CompileFailed = "compile-failed", Error, Check;
        /// The encoder does not link with the overlays in it.
        ///
        /// Read what the linker said.
        LinkFailed = "link-failed", Error, Check;
        /// A function of `provides:` is not defined, or hidden from callers outside the library.
        ///
        /// Define it, mark it visible, or correct `provides:`.
        NotProvided = "not-provided", Error, Check;
        /// The real encoder ends command buffers elsewhere than the scenarios say, or, over a random sequence, than
        /// upstream alone. The message says what the failures have in common.
        ///
        /// Look where the help says.
        BehaviourDiffers = "behaviour-differs", Error, Check;
        /// The patched file or the bridge, compiled for macOS on Apple silicon, does not define or call what it has to.
        ///
        /// Look at the `#if` conditions around the overlay's code, and at its `provides:`.
        MacObjectWrong = "mac-object-wrong", Error, Check;
        /// No check notices a fault in the overlay's code (`verify --mutants`).
        ///
        /// Write a scenario that tells the two apart, or leave the code out if the overlay does not need it.
        MutantSurvived = "mutant-survived", Error, Check;
        /// The driver did not answer as a driver does.
        ///
        /// Correct what the message names.
        RunFailed = "run-failed", Error, Check;
        /// With the budget around pipelined decode, a decode model's prefill or synchronous decode is not as at the
        /// device's own.
        ///
        /// See that the overlay reads the override anew each time, and that 0 means none.
        GuardReachesTooFar = "guard-reaches-too-far", Error, Check;
        /// With the budget around pipelined decode, that is not as with the budget everywhere.
        ///
        /// See where the overlay reads the override.
        GuardDoesNotReach = "guard-does-not-reach", Error, Check;
    }
    "Everything else", "" {
        /// The command line makes no sense.
        ///
        /// Write it as the help says.
        Usage = "usage", Error, Usage;
        /// There is no `patchctl.yaml`.
        ///
        /// Run patchctl inside a repository that has one, or name its folder with `--root DIR`.
        NoRoot = "no-root", Error, Usage;
        /// The lock has no such pin.
        ///
        /// Name one that it has, or add it with `patchctl bump --mlx V`.
        NoSuchPin = "no-such-pin", Error, Usage;
        /// `lock.yaml` is not as patchctl writes it, or contradicts itself.
        ///
        /// Take it from version control, or bump again.
        LockDamaged = "lock-damaged", Error, Usage;
        /// `lock.yaml` is missing or cannot be read.
        ///
        /// Write it with `patchctl bump --mlx V`.
        LockUnreadable = "lock-unreadable", Error, Surroundings;
        /// The text on which a hunk was accepted is not available. Its blob and commit are named.
        ///
        /// Name a source that has its history, or accept the hunk with `--reviewed overlay/hunk`.
        BaseMissing = "base-missing", Error, Surroundings;
        /// No source has the revision. Each says why.
        ///
        /// Do what the help says, or name another source with `--source`.
        NoSource = "no-source", Error, Surroundings;
        /// A source that was chosen no longer has the revision.
        ///
        /// Run the command again; name another source with `--source`.
        RevisionNotThere = "revision-not-there", Error, Surroundings;
        /// A source that was chosen has failed since.
        ///
        /// Run the command again; name another source with `--source`.
        SourceUnreachable = "source-unreachable", Error, Surroundings;
        /// A release's tag is not where the lock saw it. Both commits are named.
        ///
        /// Ask upstream why. A released tag should never move.
        TagMoved = "tag-moved", Error, Check;
        /// Upstream's content exceeds a limit, or its tree is none that can safely be written.
        ///
        /// See [the limits](limits.md).
        UpstreamRefused = "upstream-refused", Error, Check;
        /// There is no folder of that name.
        ///
        /// Name the root folder of the tree.
        NoTree = "no-tree", Error, Surroundings;
        /// Another process works in the tree.
        ///
        /// Run the command again when that has ended.
        TreeBusy = "tree-busy", Error, Surroundings;
        /// Another process changed the tree while the command ran.
        ///
        /// Run the command again when that has ended.
        TreeChangedMeanwhile = "tree-changed-meanwhile", Error, Surroundings;
        /// The record `.patchctl-tree.json` of the tree is damaged or newer.
        ///
        /// Use a newer patchctl, or delete it: the markers in the lock's files are then the guide.
        TreeRecord = "tree-record", Error, Check;
        /// A file of the tree could not be written. The message says whether all is as it was.
        ///
        /// Correct what the message names.
        TreeNotWritten = "tree-not-written", Error, Surroundings;
        /// Another command holds the repository.
        ///
        /// Wait for it.
        RepositoryHeld = "repository-held", Error, Surroundings;
        /// The folder `.patchctl` is tracked by git, a link, or another user's, so what is in it is not obeyed.
        ///
        /// Look at what is in it, then delete the folder; `git rm -r --cached .patchctl` where git tracks it.
        StateUntrusted = "state-untrusted", Error, Surroundings;
        /// What an interrupted command left could not be mended.
        ///
        /// Do what the help says.
        RecoveryFailed = "recovery-failed", Error, Surroundings;
        /// Files were changed after a command was interrupted.
        ///
        /// Make each what it should be, then run the command again.
        ChangedSince = "changed-since", Error, Check;
        /// The system did not let a file be written.
        ///
        /// Look at the cause: space, rights, a folder that is missing.
        Unwritable = "unwritable", Error, Surroundings;
        /// The system refused to read or write.
        ///
        /// Look at the cause: space, rights, a folder that is missing.
        Io = "io", Error, Surroundings;
    }
    "`patchctl.yaml`, `pins.yaml`, `reviewed.yaml`", "" {
        /// A source is no source, stands twice, or there is none at all.
        ///
        /// Write `git: URL-OR-PATH`, `crates` or `dir: PATH`.
        ConfigBadSource = "config-bad-source", Error, Usage;
        /// A path leaves the repository.
        ///
        /// Write it relative to the root, with `/`.
        ConfigBadPath = "config-bad-path", Error, Usage;
        /// A place has no way to its value, several, or one that can find nothing.
        ///
        /// Write exactly one way.
        ///
        /// ```yaml
        /// { file: CMakeLists.txt, cmake: mlx, form: tag }
        /// ```
        ConfigBadPlace = "config-bad-place", Error, Usage;
        /// A check has no name, nothing to run, or a pattern that counts nothing.
        ///
        /// Correct what the message names.
        ConfigBadCheck = "config-bad-check", Error, Usage;
        /// A commit id, tree id or digest is none.
        ///
        /// Write it whole, in lower case.
        PinsBadId = "pins-bad-id", Error, Usage;
        /// A release is none, a name is empty, or the record of a check stands under another name.
        ///
        /// Correct what the message names.
        PinsBadName = "pins-bad-name", Error, Usage;
        /// A release, commit or review is there twice.
        ///
        /// Keep one of them.
        PinsTwice = "pins-twice", Error, Usage;
        /// There are pins and none is current, or the current one is not among them.
        ///
        /// Set `current` to the release of one of the pins.
        PinsNoCurrent = "pins-no-current", Error, Usage;
    }
    "Decode models (`test --decode`)", "The codes of files (above) apply too." {
        /// There is no layer, a layer without ops, or an op without a name or that reads nothing.
        ///
        /// Add what the message names.
        DecodeNothingThere = "decode-nothing-there", Error, Usage;
        /// Two ops of a layer have one name.
        ///
        /// Give each its own.
        DecodeOpTwice = "decode-op-twice", Error, Usage;
        /// A name in `from` or `shares` is no op before it.
        ///
        /// Write the suggested name.
        DecodeUnknownOp = "decode-unknown-op", Error, Usage;
        /// An op has no output, or has `in_place` and what an output of its own has.
        ///
        /// Keep one of them.
        DecodeKeysClash = "decode-keys-clash", Error, Usage;
        /// Groups or words do not come out even, an array is larger than MLX's, or there are more ops than can be driven
        /// in a minute.
        ///
        /// Correct the number.
        DecodeBadSize = "decode-bad-size", Error, Usage;
        /// A text is no name of a GPU architecture.
        ///
        /// Write one such as `applegpu_g13d`.
        DecodeBadArchitecture = "decode-bad-architecture", Error, Usage;
    }
    "Places where the pin is written", "A place of `authority` or `write` that does not hold the current pin fails `verify`; one of `follows` is a warning. A bump rewrites `authority` and `write`, and only the value's bytes. A place that a bump cannot rewrite ends it with 2." {
        /// The place that the pin is kept in has another pin than `pins.yaml`.
        ///
        /// Bump to it, or set it back.
        PinAuthorityDiffers = "pin-authority-differs", Error, Check;
        /// A place that a bump writes has another pin.
        ///
        /// Bump again, or set it.
        PinPlaceDiffers = "pin-place-differs", Error, Check;
        /// A place that follows the pin is behind or ahead.
        ///
        /// Set it when its time has come.
        PinFollowerDiffers = "pin-follower-differs", Warning, Success;
        /// The file does not parse as what the place says, or is not UTF-8.
        ///
        /// Correct the file, or name the place by `regex`.
        PlaceNotParsed = "place-not-parsed", Error, Check;
        /// The file does not hold the value.
        ///
        /// Correct the place, or the file.
        PlaceNotThere = "place-not-there", Error, Check;
        /// The value is there several times. The lines are named.
        ///
        /// Name the place so that it is one.
        PlaceAmbiguous = "place-ambiguous", Error, Check;
        /// The value is a variable, no text, written with escapes, or not of the place's form.
        ///
        /// Write the value plainly, or correct `form`.
        PlaceBadValue = "place-bad-value", Error, Check;
        /// The current pin is a commit, and the place's form is of a release.
        ///
        /// Write `form: commit`.
        PlaceNoRelease = "place-no-release", Error, Check;
        /// Two places name the same value in different forms.
        ///
        /// Keep one of them.
        PlaceOverlap = "place-overlap", Error, Check;
        /// A regular expression would not match once the new value is there.
        ///
        /// Make it match every release.
        PlaceLost = "place-lost", Error, Check;
    }
}
