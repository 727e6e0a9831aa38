//! Compares the repository's own files: pins, lock, overlays and the other places of the pin. Looks at
//! no source, so it is cheap and works offline.

use camino::Utf8Path;
use patchctl_apply::{Lock, LockedPin};
use semver::Version;

use crate::overlay::{Overlay, Overlays};
use crate::report::{Code, Finding};

use super::locked_edits;
use super::{LOCK_FILE, PINS_FILE, PinPlaces, Pins, locked_overlay, place_disagreements};

/// The files to hold against each other.
pub struct Agreement<'a> {
    /// The repository's root.
    pub root: &'a Utf8Path,
    /// The overlay folder, relative to the root.
    pub folder: &'a Utf8Path,
    /// `pins.yaml`.
    pub pins: &'a Pins,
    /// `lock.yaml`.
    pub lock: &'a Lock,
    /// The overlays.
    pub overlays: &'a Overlays,
    /// The other places of the pin.
    pub places: &'a PinPlaces,
}

impl Agreement<'_> {
    /// Every disagreement, pins first. A place that only follows the pin is a warning.
    pub fn findings(&self) -> Vec<Finding> {
        let mut findings = self.pins_and_lock();
        let locked = self.lock.pins.iter();
        findings.extend(locked.flat_map(|pin| self.lock_and_overlays(pin)));
        findings.extend(self.pin_places());
        findings
    }

    /// The other places of the pin against the current one.
    pub fn pin_places(&self) -> Vec<Finding> {
        let Some(current) = self.pins.current() else {
            return Vec::new();
        };
        place_disagreements(self.root, self.places, current)
    }

    /// Pins that the lock has not, or has as another commit, and the other way round.
    pub fn pins_and_lock(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        for pin in self.pins.all() {
            let release = &pin.release;
            let mut locked = self.lock.pins.iter();
            let message = match locked.find(|locked| locked.release == *release) {
                None => format!("the pin {release} is not in the lock"),
                Some(locked) if locked.revision != pin.revision => format!(
                    "the pin {release} is commit {}, the lock has {}",
                    pin.revision, locked.revision
                ),
                Some(_) => continue,
            };
            findings.push(self.mismatch(PINS_FILE, message));
        }
        for LockedPin { release, .. } in &self.lock.pins {
            if self.pins.get(release).is_none() {
                let message = format!("the lock holds {release}, which is no pin");
                findings.push(self.mismatch(LOCK_FILE, message));
            }
        }
        findings
    }

    /// Overlays that are other than when the pin was locked, and edits in the lock that are not those of an unchanged one.
    pub fn lock_and_overlays(&self, pin: &LockedPin) -> Vec<Finding> {
        let is_unchanged = |overlay: &Overlay| pin.overlays.contains(&locked_overlay(overlay));
        self.differences(pin, &is_unchanged)
    }

    /// As [`Agreement::lock_and_overlays`], with the edits of overlays that have changed: which of them are others now.
    pub fn lock_and_edits(&self, pin: &LockedPin) -> Vec<Finding> {
        let is_locked = |overlay: &Overlay| pin.overlays.iter().any(|it| it.id == overlay.id);
        self.differences(pin, &is_locked)
    }

    /// `is_compared` says which overlays' edits are held against the lock's.
    fn differences(&self, pin: &LockedPin, is_compared: &dyn Fn(&Overlay) -> bool) -> Vec<Finding> {
        let release = &pin.release;
        let claiming: Vec<_> = self.claiming(pin).map(locked_overlay).collect();
        let mut messages = Vec::new();
        for locked in &pin.overlays {
            let id = &locked.id;
            let what = match self.overlays.get(id) {
                _ if claiming.contains(locked) => continue,
                None => "is no longer there",
                Some(_) if claiming.iter().any(|now| now.id == *id) => "has changed since",
                Some(_) => "no longer claims that release",
            };
            messages.push(format!(
                "{release} was locked with overlay `{id}`, which {what}"
            ));
        }
        let compared: Vec<&Overlay> = self.claiming(pin).filter(|it| is_compared(it)).collect();
        for why in locked_edits::contradictions(pin, &compared) {
            messages.push(format!(
                "the lock of {release} is not what a bump writes: {why}"
            ));
        }
        for now in &claiming {
            if !pin.overlays.iter().any(|locked| locked.id == now.id) {
                let id = &now.id;
                messages.push(format!(
                    "overlay `{id}` claims {release}, whose lock does not have it"
                ));
            }
        }
        let messages = messages.into_iter();
        messages
            .map(|message| self.mismatch(LOCK_FILE, message))
            .collect()
    }

    /// The overlays that claim a pin's release. For a commit that is no release, the lock's own choice
    /// stands: what release it counts as, only a source can tell.
    fn claiming<'s>(&'s self, pin: &'s LockedPin) -> impl Iterator<Item = &'s Overlay> {
        let release = Version::parse(&pin.release).ok();
        let claims = move |overlay: &&Overlay| match &release {
            Some(release) => overlay.claims(release),
            None => pin.overlays.iter().any(|locked| locked.id == overlay.id),
        };
        self.overlays.as_slice().iter().filter(claims)
    }

    fn mismatch(&self, file: &str, message: String) -> Finding {
        Finding::new(Code::LockMismatch, message)
            .file(self.folder.join(file).into_string())
            .help("`patchctl bump --all-pins` writes pins and lock anew")
    }
}

#[cfg(test)]
mod tests {
    use patchctl_apply::markers::{Block, Comment, Digest12, EditName, insertion};
    use patchctl_apply::{BlobId, LockedFile};

    use super::*;
    use crate::overlay::{EditText, edit_digest, load_all};

    const OVERLAY: &str = "schema: 1\noverlay: o\ntitle: t\nwhy: w\nfile: d.cpp\nreleases: '>=1.0.0'\nhunks:\n  - id: h\n    \
                           edits:\n      - at: { include: <a>, position: before }\n        insert: |\n          X;\n";

    fn overlays(text: &str) -> Overlays {
        load_all(vec![("o.yaml".into(), text.as_bytes().to_vec())]).unwrap()
    }

    fn pins(text: &str) -> Pins {
        Pins::parse("pins.yaml".into(), text.as_bytes()).unwrap()
    }

    /// What a bump puts into `d.cpp`.
    fn patched(overlays: &Overlays) -> Vec<LockedFile> {
        let upstream = b"#include <a>\n";
        let splices = overlays.as_slice().iter().map(|overlay| {
            let edit = &overlay.hunks[0].variants[0].edits[0];
            let block = Block {
                edit: EditName::new(&overlay.id, "h", "1").unwrap(),
                digest: Digest12::first_of(&edit_digest(&overlay.id, "h", edit)).unwrap(),
                comment: Comment::default(),
            };
            let EditText::Insert(text) = &edit.text else {
                panic!("{edit:?}");
            };
            insertion(upstream, 0, &block, text).unwrap()
        });
        vec![LockedFile {
            path: "d.cpp".to_owned(),
            before: BlobId::of(upstream),
            after: BlobId::of(b""),
            splices: splices.collect(),
        }]
    }

    fn lock(overlays: &Overlays) -> Lock {
        let pin = LockedPin {
            release: "1.0.0".to_owned(),
            revision: "a".repeat(40),
            revision_from: patchctl_apply::RevisionFrom::Git,
            source: "git".to_owned(),
            tree: None,
            overlays: overlays.as_slice().iter().map(locked_overlay).collect(),
            files: patched(overlays),
            proven: Vec::new(),
            lowered_from: None,
        };
        Lock {
            schema: 1,
            pins: vec![pin],
        }
    }

    fn said(pins: &Pins, lock: &Lock, overlays: &Overlays) -> Vec<String> {
        let places = PinPlaces::default();
        let (root, folder) = (Utf8Path::new("."), Utf8Path::new("f"));
        let findings = Agreement {
            root,
            folder,
            pins,
            lock,
            overlays,
            places: &places,
        }
        .findings();
        assert!(
            findings
                .iter()
                .all(|finding| finding.code == Code::LockMismatch && finding.help.is_some())
        );
        findings
            .into_iter()
            .map(|finding| finding.message)
            .collect()
    }

    fn pin(commit: &str) -> Pins {
        pins(&format!(
            "schema: 1\ncurrent: 1.0.0\npins:\n- release: 1.0.0\n  revision: {commit}\n"
        ))
    }

    #[test]
    fn files_that_a_bump_has_just_written_agree() {
        let overlays = overlays(OVERLAY);
        assert_eq!(
            said(&pin(&"a".repeat(40)), &lock(&overlays), &overlays),
            Vec::<String>::new()
        );
    }

    #[test]
    fn a_changed_overlay_is_named() {
        let old = overlays(OVERLAY);
        let (pins, lock) = (pin(&"a".repeat(40)), lock(&old));
        let changed = said(&pins, &lock, &overlays(&OVERLAY.replace("X;", "Y;")));
        assert_eq!(
            changed,
            ["1.0.0 was locked with overlay `o`, which has changed since"]
        );
        let gone = said(&pins, &lock, &Overlays::default());
        assert_eq!(
            gone,
            ["1.0.0 was locked with overlay `o`, which is no longer there"]
        );
        let narrowed = said(
            &pins,
            &lock,
            &overlays(&OVERLAY.replace(">=1.0.0", ">=2.0.0")),
        );
        assert_eq!(
            narrowed,
            ["1.0.0 was locked with overlay `o`, which no longer claims that release"]
        );
        let mut without = lock.clone();
        without.pins[0].overlays.clear();
        without.pins[0].files.clear();
        assert_eq!(
            said(&pins, &without, &old),
            ["overlay `o` claims 1.0.0, whose lock does not have it"]
        );
    }

    /// Changes that leave pins, overlays' digests and upstream's bytes as they are.
    #[test]
    fn a_lock_of_other_edits_is_named() {
        let overlays = overlays(OVERLAY);
        let (pins, good) = (pin(&"a".repeat(40)), lock(&overlays));
        type Change = fn(&mut LockedFile);
        let changes: [(Change, &str); 9] = [
            (
                |file| file.path = "e.cpp".to_owned(),
                "o/h.1 is of d.cpp, the lock has it in e.cpp",
            ),
            (
                |file| file.splices[0].edit = "o/h.2".to_owned(),
                "the overlay has no edit o/h.2",
            ),
            (
                |file| file.splices[0].edit = "o/i.1".to_owned(),
                "the lock lacks o/h.1",
            ),
            (
                |file| file.splices[0].edit = "p/h.1".to_owned(),
                "p/h.1 is of overlay `p`, which the pin does not list",
            ),
            (
                |file| file.splices[0].length = 3,
                "o/h.1 takes 3 bytes of d.cpp away, which no edit does",
            ),
            (
                |file| file.splices[0].line = 7,
                "o/h.1 cannot stand at line 7 and byte 0",
            ),
            (|file| file.splices.clear(), "d.cpp has no splice"),
            (
                |file| file.splices[0].text = file.splices[0].text.replace("X;", "Y;"),
                "the text of o/h.1 is not the edit's",
            ),
            (
                |file| file.splices[0].text = file.splices[0].text.replacen("h.1 ", "h.1 0", 1),
                "the marker of o/h.1 is not the edit's: `// patchctl:begin",
            ),
        ];
        for (change, expected) in changes {
            let mut lock = good.clone();
            change(&mut lock.pins[0].files[0]);
            let said = said(&pins, &lock, &overlays);
            let start = format!("the lock of 1.0.0 is not what a bump writes: {expected}");
            assert!(said[0].starts_with(&start), "{said:?}");
        }
    }

    #[test]
    fn a_pin_of_another_commit_is_named() {
        let overlays = overlays(OVERLAY);
        let other = said(&pin(&"b".repeat(40)), &lock(&overlays), &overlays);
        assert!(
            other[0].starts_with("the pin 1.0.0 is commit bbbb"),
            "{other:?}"
        );
        let unlocked = said(
            &pin(&"a".repeat(40)),
            &Lock {
                schema: 1,
                pins: vec![],
            },
            &overlays,
        );
        assert_eq!(unlocked, ["the pin 1.0.0 is not in the lock"]);
        let stray = said(&Pins::default(), &lock(&overlays), &overlays);
        assert_eq!(stray, ["the lock holds 1.0.0, which is no pin"]);
    }
}
