//! Every finding code, with its severity, exit status and documentation: the only place that lists them.
//!
//! `docs/findings.md` and `patchctl explain` are made from this table. The first paragraph of a code's comment says what
//! the finding means, the next one what to do.

use std::fmt;

use serde::{Serialize, Serializer};

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
            /// Returns the code as reports show it: kebab-case, the same in every version.
            pub(crate) fn as_str(self) -> &'static str {
                match self {
                    $($(Self::$variant => $code,)*)*
                }
            }

            /// Returns the status that a command ends with when nothing graver is found.
            pub(super) fn exit(self) -> Exit {
                match self {
                    $($(Self::$variant => Exit::$exit,)*)*
                }
            }

            /// Returns the severity that a finding has unless its check says otherwise.
            pub(super) fn severity(self) -> Severity {
                match self {
                    $($(Self::$variant => Severity::$severity,)*)*
                }
            }
        }

        /// The pages of all codes, in the order of `docs/findings.md`.
        #[allow(dead_code, reason = "`patchctl explain` reads it, which is to come")]
        pub(crate) const SECTIONS: &[Section] = &[$(Section {
            title: $section,
            intro: $intro,
            pages: &[$(Page {
                code: $code,
                severity: Severity::$severity,
                exit: Exit::$exit,
                text: concat!($($line, "\n"),*),
            }),*],
        }),*];
    };
}

/// Codes that belong together.
#[allow(dead_code, reason = "`patchctl explain` reads it, which is to come")]
pub(crate) struct Section {
    /// The heading, in Markdown.
    pub(crate) title: &'static str,
    /// What holds for all of its codes, in Markdown; may be empty.
    pub(crate) intro: &'static str,
    /// Its codes.
    pub(crate) pages: &'static [Page],
}

/// The documentation of one code.
#[allow(dead_code, reason = "`patchctl explain` reads it, which is to come")]
pub(crate) struct Page {
    /// The code.
    pub(crate) code: &'static str,
    /// The usual severity.
    pub(crate) severity: Severity,
    /// The status that the command ends with when nothing graver is found.
    pub(crate) exit: Exit,
    /// Markdown, one space before each line.
    pub(crate) text: &'static str,
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
    "Files (`patchctl.yaml`, overlays, `pins.yaml`, `reviewed.yaml`)", "Exit status 2, but for `file-unreadable`, which is 3. All findings of all files are reported at once." {
        /// The system cannot read the file, or it is no regular file.
        ///
        /// See the message; exit status 3.
        FileUnreadable = "file-unreadable", Error, Surroundings;
        /// The file has over 1 MiB; it was not read.
        ///
        /// Check that it is the file you mean.
        FileTooLarge = "file-too-large", Error, Usage;
        /// Bytes that are no UTF-8, or control characters.
        ///
        /// Save it as UTF-8.
        FileNotText = "file-not-text", Error, Usage;
        /// Nothing but comments and white space.
        ///
        /// Write the file, or remove it.
        YamlEmpty = "yaml-empty", Error, Usage;
        /// No YAML: a tab in the indentation, a second document, a tag, a list as a key.
        YamlSyntax = "yaml-syntax", Error, Usage;
        /// A key stands twice in one map.
        ///
        /// Keep one of them.
        YamlDuplicateKey = "yaml-duplicate-key", Error, Usage;
        /// Aliases write the file out many times over, or it nests deeper than 32.
        ///
        /// Write the values out.
        YamlBomb = "yaml-bomb", Error, Usage;
        /// A key that is not part of the form.
        ///
        /// Write the suggested one, or remove it.
        YamlUnknownKey = "yaml-unknown-key", Error, Usage;
        /// A key that has to be there.
        ///
        /// Add it.
        YamlMissingKey = "yaml-missing-key", Error, Usage;
        /// A list where a map is meant, a number where a text is meant.
        ///
        /// See the message; quotes make a number a text.
        YamlWrongType = "yaml-wrong-type", Error, Usage;
        /// A word that is none of the allowed ones.
        ///
        /// Write one of those.
        YamlUnknownValue = "yaml-unknown-value", Error, Usage;
        /// The file's `schema` is newer than this version.
        ///
        /// Use a newer patchctl.
        SchemaUnsupported = "schema-unsupported", Error, Usage;
    }
    "Overlays", "Exit status 2." {
        /// `kind: new-file` or `file-copy`, which are to come.
        ///
        /// Write `kind: hunks`, or leave it out.
        OverlayKindUnsupported = "overlay-kind-unsupported", Error, Usage;
        /// An id that is not made of `a` to `z`, `0` to `9` and `-`.
        ///
        /// Write the suggested one.
        OverlayBadId = "overlay-bad-id", Error, Usage;
        /// Two hunks, edits, variants or overlays of one name.
        ///
        /// Give each its own.
        OverlayDuplicateId = "overlay-duplicate-id", Error, Usage;
        /// The file is not named as the overlay, or ends in `.yml`.
        ///
        /// Rename one of them.
        OverlayFileName = "overlay-file-name", Error, Usage;
        /// The markers would have over 80 columns, and clang-format would break them.
        ///
        /// Shorten the ids.
        OverlayMarkerTooLong = "overlay-marker-too-long", Error, Usage;
        /// A path that is absolute, leaves the upstream tree (for `record`, this repository) or is git's own.
        ///
        /// Write it relative to the tree, with `/`.
        OverlayBadPath = "overlay-bad-path", Error, Usage;
        /// Neither the edit or condition nor the overlay names a file.
        ///
        /// Add `file`.
        OverlayNoFile = "overlay-no-file", Error, Usage;
        /// No hunks, no edits or no variants.
        ///
        /// Add one.
        OverlayNothingToDo = "overlay-nothing-to-do", Error, Usage;
        /// Keys that say nothing beside, or without, each other.
        ///
        /// Keep one, or add the other.
        OverlayKeysClash = "overlay-keys-clash", Error, Usage;
        /// A name that is no C++ name, an include without `<…>` or quotes, an empty title.
        OverlayBadName = "overlay-bad-name", Error, Usage;
        /// The construct does not have that `position`, or the anchor has none.
        ///
        /// Write one of those named.
        OverlayBadPosition = "overlay-bad-position", Error, Usage;
        /// A text that is no sequence of C++ tokens.
        ///
        /// Close the literal or comment.
        OverlayBadTokens = "overlay-bad-tokens", Error, Usage;
        /// A regular expression that does not compile, is too large or matches everywhere.
        OverlayBadRegex = "overlay-bad-regex", Error, Usage;
        /// A text that could not be taken off again: no last line feed, marker words, an open comment.
        OverlayBadText = "overlay-bad-text", Error, Usage;
        /// A replacement without its reason.
        ///
        /// Add `why`, or use `insert`.
        OverlayReplaceWithoutWhy = "overlay-replace-without-why", Error, Usage;
        /// `releases` is no version requirement.
        ///
        /// Write one such as `'>=0.23.0'`.
        OverlayBadRequirement = "overlay-bad-requirement", Error, Usage;
        /// `after` names no overlay, or overlays wait for each other.
        ///
        /// Write the suggested one, or remove one.
        OverlayBadOrder = "overlay-bad-order", Error, Usage;
    }
    "Trees (`apply`)", "Exit status 1, but for the last three, which are 3, and `pin-ambiguous`, which is 2. Nothing is written when there is one." {
        /// With `--check`: the file is upstream's, without the overlays.
        ///
        /// `patchctl apply DIR`.
        CleanTree = "clean-tree", Error, Check;
        /// With `--check`: the file has blocks that are not the lock's, of an older text or of an overlay that
        /// is no longer carried.
        ///
        /// `patchctl apply DIR`, which takes them off first.
        StaleTree = "stale-tree", Error, Check;
        /// Without its blocks the file is not upstream's: another release, an edit by hand, other line ends.
        ///
        /// See the help; get upstream's file.
        ForeignTree = "foreign-tree", Error, Check;
        /// The markers in the file do not pair.
        ///
        /// Restore the file from upstream's revision.
        BrokenMarkers = "broken-markers", Error, Check;
        /// The pin's file is not in the tree.
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
    "Hunks (`bump`, `verify`)", "Exit status 1; a note or warning decides nothing. Each finding shows upstream's code, the upstream commit where a history is at hand, and, where it can, the YAML to add." {
        /// Nothing has the anchor's name, or the function has no such statement.
        ///
        /// Read the likeliest new place; paste the variant.
        AnchorNotFound = "anchor-not-found", Error, Check;
        /// The anchor names more than one thing; all are listed.
        ///
        /// Narrow it: `signature`, more of the name, longer `tokens`, `preprocessor`.
        AnchorAmbiguous = "anchor-ambiguous", Error, Check;
        /// The place is there, and the two readings of the file do not agree on it.
        ///
        /// `macros: [NAME]` where an export macro confuses the parser; else another anchor.
        AnchorUntrusted = "anchor-untrusted", Error, Check;
        /// Whole lines cannot go there: other code on the line, or the body of an `if` without braces.
        ///
        /// Another statement or position.
        AnchorNotOnOwnLine = "anchor-not-on-own-line", Error, Check;
        /// It stands under other `#if` conditions than the anchor says.
        ///
        /// Name them with `preprocessor`.
        PreprocessorMismatch = "preprocessor-mismatch", Error, Check;
        /// No variant of the hunk is for this form of upstream.
        ///
        /// Add the variant shown.
        NoVariant = "no-variant", Error, Check;
        /// More than one variant fits.
        ///
        /// Narrow `when`.
        SeveralVariants = "several-variants", Error, Check;
        /// The place is there, and the hunk would no longer do its work.
        ///
        /// Read the code, then split the variant as shown.
        PremiseFailed = "premise-failed", Error, Check;
        /// The revision has no such file.
        ///
        /// See the likeliest new home.
        FileGone = "file-gone", Error, Check;
        /// Upstream holds the change already.
        ///
        /// End the overlay's `releases`, or retire it.
        LandedUpstream = "landed-upstream", Error, Check;
        /// Two overlays insert at one place, or change each other's places.
        ///
        /// `after: [other]`, or a narrower anchor.
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
        /// `insert`, or another statement.
        ReplaceRefused = "replace-refused", Error, Check;
        /// Nobody has reviewed the code there, and no merge confirms the place.
        ///
        /// Look; `--reviewed overlay/hunk`.
        NeedsReviewShape = "needs-review-shape", Error, Check;
        /// A three-way merge puts the edit elsewhere; both places are shown.
        ///
        /// Look; `--reviewed overlay/hunk`, or another anchor.
        LocatorsDisagree = "locators-disagree", Error, Check;
        /// The patched text has a parse error that upstream's has not.
        ///
        /// Look at the inserted code.
        NewParseErrors = "new-parse-errors", Error, Check;
        /// A defect of patchctl.
        ///
        /// Report it.
        TakeOffDiffers = "take-off-differs", Error, Check;
        /// A defect of patchctl.
        ///
        /// Report it.
        NotIdempotent = "not-idempotent", Error, Check;
        /// Upstream lines that a `replace` puts under `#if 0`.
        UpstreamLinesReplaced = "upstream-lines-replaced", Note, Success;
        /// The overlay does not claim this release; exit status 2 where it was named alone.
        UnsupportedRelease = "unsupported-release", Note, Success;
        /// A branch was named; its commit of today is pinned.
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
        /// `patchctl bump --mlx V`.
        LockMismatch = "lock-mismatch", Error, Check;
        /// An interrupted command left files half written; `status` says how it will end.
        ///
        /// Any writing command mends it first.
        PendingTransaction = "pending-transaction", Error, Check;
        /// What an overlay does was measured on older releases than the current pin, or on one that is not recorded.
        ///
        /// Measure again, add the record to `evidence`.
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
    "Snapshots (`bump`, `review`, `status`, `verify`)", "Exit status 1; a note or warning decides nothing. [review.md](review.md) tells what a snapshot is." {
        /// A pin's overlay has no snapshot.
        ///
        /// `patchctl bump --all-pins`.
        SnapshotMissing = "snapshot-missing", Error, Check;
        /// A snapshot waits to be reviewed.
        ///
        /// `patchctl review`, then `--accept` or `--reject`.
        SnapshotPending = "snapshot-pending", Error, Check;
        /// A snapshot was accepted, and no bump has taken that in yet.
        ///
        /// Run the bump again.
        SnapshotAccepted = "snapshot-accepted", Error, Check;
        /// The file is no snapshot, or was changed by hand: its digest is not its text's.
        ///
        /// Take it from version control, or bump anew.
        SnapshotDamaged = "snapshot-damaged", Error, Check;
        /// The snapshot and the lock are of different commits, lines or texts; for `verify`, what is found on
        /// the pin is something else.
        ///
        /// `patchctl bump --all-pins`.
        SnapshotDiffers = "snapshot-differs", Error, Check;
        /// The lock has no such overlay or pin.
        ///
        /// The next bump removes it.
        SnapshotUnused = "snapshot-unused", Error, Check;
        /// The snapshot is not of what is carried now; a warning for `bump`, which then asks again.
        ///
        /// Run the bump, look at the new one.
        SnapshotStale = "snapshot-stale", Error, Check;
        /// Where an edit that waits goes in, with upstream's code.
        ///
        /// Read it, then `--accept` the hunk.
        ReviewPlace = "review-place", Error, Check;
        /// What is other than on the pin before.
        ReviewDifference = "review-difference", Note, Success;
        /// No source has the commit at hand, so upstream's code is not shown.
        ///
        /// Name a source that has it.
        UpstreamNotShown = "code-not-shown", Note, Success;
    }
    "Builds (`build`, `test`)", "" {
        /// A compiler or CMake is not here, or too old; nothing was shown.
        ///
        /// Install it as the help says.
        ToolMissing = "tool-missing", Error, Surroundings;
        /// A program could not be started or did not end, or a file could not be written.
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
        /// Not run: this machine has no real backend, and why; exit status 3 where it was asked for by name.
        ///
        /// See the help.
        NoRealBackend = "no-real-backend", Error, Success;
    }
    "The repository's own checks (`verify --check`, `status --require`)", "" {
        /// The check ended with another status than 0; its last lines are shown.
        ///
        /// Read them.
        CheckFailed = "check-failed", Error, Check;
        /// It ended well, and by its `count` it ran no test.
        ///
        /// See that the tests are built, and that the pattern is theirs.
        CheckRanNothing = "check-ran-nothing", Error, Check;
        /// Its program is not here.
        ///
        /// Install it, or correct `command`.
        CheckNotStarted = "check-not-started", Error, Surroundings;
        /// The pin, an overlay or the check changed while it ran; nothing was recorded.
        ///
        /// Run it again.
        CheckOvertaken = "check-overtaken", Error, Check;
        /// `--require` names a check that has not passed for the current pin with the overlays as they are; the
        /// message says why.
        ///
        /// Run it where it can be run, and bring its record.
        CheckRequired = "check-required", Error, Check;
        /// The record of a check that patchctl.yaml no longer has.
        ///
        /// Delete it.
        CheckRetired = "check-retired", Note, Success;
    }
    "Levels `compile` and `run` (`bump`, `verify`, `test`)", "Exit status 1. What upstream alone does not do either is no finding: the level is then 'not run', with the reason." {
        /// What the overlay adds outside of functions does not compile without upstream around it.
        ///
        /// Include in the overlay what it uses.
        OwnCodeIncomplete = "own-code-incomplete", Error, Check;
        /// A file does not compile with the overlays in it, or not within ten minutes.
        ///
        /// Read what the compiler said; the file is named.
        CompileFailed = "compile-failed", Error, Check;
        /// The encoder does not link with the overlays in it.
        ///
        /// Read what the linker said.
        LinkFailed = "link-failed", Error, Check;
        /// A function of `provides:` is not defined, or hidden from callers outside the library.
        ///
        /// Define it, mark it visible, or correct `provides:`.
        NotProvided = "not-provided", Error, Check;
        /// The real encoder ends command buffers elsewhere than the scenarios say, or, over a random sequence,
        /// than upstream alone; the message says what the failures have in common.
        ///
        /// See the help: it says where to look.
        BehaviourDiffers = "behaviour-differs", Error, Check;
        /// The patched file or the bridge, compiled for macOS on Apple silicon, does not define or call what it
        /// has to.
        ///
        /// Look at the `#if` conditions around the overlay's code, and at its `provides:`.
        MacObjectWrong = "mac-object-wrong", Error, Check;
        /// A fault in the overlay's code that no check notices (`verify --mutants`).
        ///
        /// Write a scenario that tells the two apart, or leave the code out if the overlay does not need it.
        MutantSurvived = "mutant-survived", Error, Check;
        /// The driver did not answer as a driver does.
        RunFailed = "run-failed", Error, Check;
        /// With the budget around pipelined decode, a decode model's prefill or synchronous decode is not as at
        /// the device's own.
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
        /// See the help.
        Usage = "usage", Error, Usage;
        /// There is no `patchctl.yaml`.
        ///
        /// Run it inside a repository that has one, or `--root DIR`.
        NoRoot = "no-root", Error, Usage;
        /// The lock has no such pin.
        ///
        /// Name one that it has, or `patchctl bump --mlx V`.
        NoSuchPin = "no-such-pin", Error, Usage;
        /// `lock.yaml` is not as patchctl writes it, or contradicts itself.
        ///
        /// Take it from version control, or bump again.
        LockDamaged = "lock-damaged", Error, Usage;
        /// `lock.yaml` is missing or cannot be read.
        ///
        /// `patchctl bump --mlx V`.
        LockUnreadable = "lock-unreadable", Error, Surroundings;
        /// The text on which a hunk was accepted cannot be had; its blob and commit are named.
        ///
        /// A source with its history, or `--reviewed overlay/hunk`.
        BaseMissing = "base-missing", Error, Surroundings;
        /// No source has the revision; each says why.
        ///
        /// See the help.
        NoSource = "no-source", Error, Surroundings;
        /// A source that was chosen has failed since.
        RevisionNotThere = "revision-not-there", Error, Surroundings;
        /// A source that was chosen has failed since.
        SourceUnreachable = "source-unreachable", Error, Surroundings;
        /// A release's tag is not where the lock saw it; both commits are named.
        ///
        /// Ask upstream why.
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
        /// Run it again when that has ended.
        TreeBusy = "tree-busy", Error, Surroundings;
        /// Another process works in the tree.
        ///
        /// Run it again when that has ended.
        TreeChangedMeanwhile = "tree-changed-meanwhile", Error, Surroundings;
        /// A file of the tree could not be written; the message says whether all is as it was.
        TreeNotWritten = "tree-not-written", Error, Surroundings;
        /// Another command holds the repository.
        ///
        /// Wait for it.
        RepositoryHeld = "repository-held", Error, Surroundings;
        /// What an interrupted command left could not be mended.
        RecoveryFailed = "recovery-failed", Error, Surroundings;
        /// Files were changed after a command was interrupted.
        ///
        /// Make each what it should be, then run the command again.
        ChangedSince = "changed-since", Error, Check;
        /// The system refused.
        ///
        /// See the cause.
        Unwritable = "unwritable", Error, Surroundings;
        /// The system refused.
        ///
        /// See the cause.
        Io = "io", Error, Surroundings;
    }
    "`patchctl.yaml`, `pins.yaml`, `reviewed.yaml`", "Exit status 2." {
        /// A source that is none, twice the same, or none at all.
        ///
        /// Write `git: URL-OR-PATH`, `crates` or `dir: PATH`.
        ConfigBadSource = "config-bad-source", Error, Usage;
        /// A path that leaves the repository.
        ///
        /// Write it relative to the root, with `/`.
        ConfigBadPath = "config-bad-path", Error, Usage;
        /// A place with no way to its value, with several, or with one that can find nothing.
        ConfigBadPlace = "config-bad-place", Error, Usage;
        /// A check without a name, something to run, or a pattern that counts.
        ConfigBadCheck = "config-bad-check", Error, Usage;
        /// A commit id, tree id or digest that is none.
        ///
        /// Write it whole, in lower case.
        PinsBadId = "pins-bad-id", Error, Usage;
        /// A release that is none, an empty name, the record of a check under another name.
        PinsBadName = "pins-bad-name", Error, Usage;
        /// A release, commit or review that is there twice.
        ///
        /// Keep one of them.
        PinsTwice = "pins-twice", Error, Usage;
        /// There are pins and none is current, or the current one is not among them.
        ///
        /// Set `current` to the release of one of the pins.
        PinsNoCurrent = "pins-no-current", Error, Usage;
    }
    "Decode models (`test --decode`)", "Exit status 2; the codes of files (above) as well." {
        /// No layer, a layer without ops, an op without a name or that reads nothing.
        DecodeNothingThere = "decode-nothing-there", Error, Usage;
        /// Two ops of one name in a layer.
        ///
        /// Give each its own.
        DecodeOpTwice = "decode-op-twice", Error, Usage;
        /// A name in `from` or `shares` that is no op before it.
        ///
        /// Write the suggested one.
        DecodeUnknownOp = "decode-unknown-op", Error, Usage;
        /// An op with no output, or with `in_place` and what an output of its own has.
        ///
        /// Keep one of them.
        DecodeKeysClash = "decode-keys-clash", Error, Usage;
        /// Groups or words that do not come out even, an array larger than MLX's, more ops than can be driven
        /// in a minute.
        ///
        /// Correct the number.
        DecodeBadSize = "decode-bad-size", Error, Usage;
        /// No name of a GPU architecture.
        ///
        /// Write one such as `applegpu_g13d`.
        DecodeBadArchitecture = "decode-bad-architecture", Error, Usage;
    }
    "Places where the pin is written", "A place of `authority` or `write` that does not hold the current pin fails `verify`; one of `follows` is a warning. A bump rewrites `authority` and `write`, and only the value's bytes." {
        /// The place that the pin is kept in has another than `pins.yaml`.
        ///
        /// Bump to it, or set it back.
        PinAuthorityDiffers = "pin-authority-differs", Error, Check;
        /// A place that a bump writes has another pin.
        ///
        /// Bump again, or set it.
        PinPlaceDiffers = "pin-place-differs", Error, Check;
        /// A place that follows the pin is behind, or ahead.
        ///
        /// Set it when its time has come.
        PinFollowerDiffers = "pin-follower-differs", Warning, Success;
        /// The file does not parse as what the place says, or is not UTF-8.
        ///
        /// Mend it, or name the place by `regex`.
        PlaceNotParsed = "place-not-parsed", Error, Check;
        /// Nothing is found.
        ///
        /// Correct the place, or the file.
        PlaceNotThere = "place-not-there", Error, Check;
        /// The value is there several times; the lines are named.
        ///
        /// Name the place so that it is one.
        PlaceAmbiguous = "place-ambiguous", Error, Check;
        /// The value is a variable, no text, written with escapes, or not of the place's form.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_listed_for_its_readers_and_nothing_else_is() {
        let docs = include_str!("../../../docs/findings.md");
        let rows = docs.lines().filter(|line| line.starts_with("| `"));
        let listed = rows.flat_map(|line| {
            let cell = line.split('|').nth(1).unwrap_or_default();
            cell.split(',').map(|code| code.trim().trim_matches('`'))
        });
        let mut listed: Vec<&str> = listed.collect();
        let pages = SECTIONS.iter().flat_map(|section| section.pages);
        let mut codes: Vec<&str> = pages.map(|page| page.code).collect();
        listed.sort_unstable();
        listed.dedup();
        codes.sort_unstable();
        assert_eq!(listed, codes);
    }
}
