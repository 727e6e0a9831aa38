//! Level `structure` over many revisions: each distinct set of files is read, located and checked once,
//! spread over the cores; then every landing is judged against the nearest pin that holds it. A result depends on nothing
//! else that is asked in the same run.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::slice::from_ref;
use std::sync::Arc;

use camino::Utf8PathBuf;
use patchctl_apply::BlobId;
use rayon::prelude::*;
use semver::Version;

use crate::cpp::{Parsed, Reading};
use crate::overlay::Overlay;
use crate::patch::{
    Base, Carried, Landing, PatchedFile, Text, Texts, Verdict, carry, judge, paths, review_finding,
    structure,
};
use crate::report::{Code, Error, Finding, ReleaseResult, Status};
use crate::upstream::{Found, Resolved};

use super::findings::{blame, landed_line, replaced_note};

/// Level `structure`, but for the revisions.
pub struct Structure<'a> {
    /// The overlays.
    pub overlays: &'a [Overlay],
    /// The overlay folder relative to the root, for messages.
    pub folder: &'a str,
    /// The recorded verdict on a landing in upstream's blob with this id.
    pub known: &'a (dyn Fn(&BlobId, &Landing) -> Option<Verdict> + Sync),
    /// The pins to merge from.
    pub pins: &'a [Found],
}

/// The outcome on one revision.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// For the report.
    pub result: ReleaseResult,
    /// The patched files; empty unless the result is passed or needs review.
    pub files: Vec<PatchedFile>,
    /// The landings, each with its verdict.
    pub landings: Vec<(Landing, Verdict)>,
    /// The ids of the overlays that claim this release.
    pub overlays: Vec<String>,
}

/// A file set: the ids of the overlays that claim the release, and each file's blob.
type Key = (Vec<usize>, Vec<(Utf8PathBuf, Option<BlobId>)>);

/// The facts that verdicts depend on: a file set, and the pins to merge from, by index.
type Judged<'k> = (&'k Key, Vec<usize>);

/// Every blob of the run, by each way in which overlays read it.
type Readings = HashMap<(BlobId, Reading), Arc<Parsed>>;

/// One distinct file set, worked through.
pub(super) struct Work<'a> {
    pub(super) texts: Texts,
    pub(super) carried: Carried<'a>,
    checks: Vec<Finding>,
    base: Base,
}

impl Work<'_> {
    /// The landings, each with the file that it is in.
    fn landed(&self) -> impl Iterator<Item = (&Landing, &Text)> {
        let landings = self.carried.landings.iter();
        landings.filter_map(|landing| Some((landing, self.texts.get(&landing.file)?)))
    }
}

impl<'a> Structure<'a> {
    /// Looks at every subject.
    ///
    /// # Errors
    /// When a source cannot be read.
    pub fn run(&self, subjects: &[Found]) -> Result<Vec<Outcome>, Error> {
        let all: Vec<&Found> = subjects.iter().chain(self.pins).collect();
        let keys = all.iter().map(|subject| self.key(subject));
        let keys: Vec<Key> = keys.collect::<Result<_, _>>()?;
        let parsed = self.parse(&all, &keys)?;
        // The first of several with the same files gives its name.
        let distinct: BTreeMap<&Key, &&Found> = keys.iter().zip(&all).rev().collect();
        let work: HashMap<&Key, Work<'a>> = distinct
            .par_iter()
            .map(|(key, subject)| (*key, self.work(key, &parsed, &subject.revision)))
            .collect();
        let (own, of_pins) = keys.split_at(subjects.len());
        // Equal files between the same pins get the same verdicts.
        let asked: Vec<Judged<'_>> = subjects
            .iter()
            .zip(own)
            .map(|(subject, key)| (key, self.near(subject, key, of_pins)))
            .collect();
        let distinct: HashSet<&Judged<'_>> = asked.iter().collect();
        let verdicts: HashMap<&Judged<'_>, Vec<Verdict>> = distinct
            .into_par_iter()
            .map(|judged| (judged, self.verdicts(judged, of_pins, &work)))
            .collect();
        let asked = subjects.par_iter().zip(&asked);
        Ok(asked
            .map(|(subject, judged)| {
                self.outcome(subject, judged, of_pins, &work, &verdicts[judged])
            })
            .collect())
    }

    /// The pins to merge from, by index, nearest first. One with the same bytes says nothing new.
    fn near(&self, subject: &Found, key: &Key, of_pins: &[Key]) -> Vec<usize> {
        let mut near = nearest_first(self.pins, &subject.revision.release);
        near.retain(|&pin| of_pins[pin] != *key);
        near
    }

    /// The verdicts on the landings of a file set, in their order.
    fn verdicts(
        &self,
        (key, near): &Judged<'_>,
        of_pins: &[Key],
        work: &HashMap<&Key, Work<'a>>,
    ) -> Vec<Verdict> {
        let bases: Vec<&Base> = near.iter().map(|&pin| &work[&of_pins[pin]].base).collect();
        let landed = work[key].landed();
        landed
            .map(|(landing, text)| {
                let known = (self.known)(&text.id, landing);
                judge(landing, &text.parsed, known, &bases)
            })
            .collect()
    }

    fn key(&self, subject: &Found) -> Result<Key, Error> {
        let mut claiming: Vec<usize> = (0..self.overlays.len()).collect();
        claiming.retain(|&index| self.overlays[index].claims(&subject.revision.release));
        let overlays = claiming.iter().map(|&index| &self.overlays[index]);
        let paths: BTreeSet<Utf8PathBuf> = overlays.flat_map(|it| paths(from_ref(it))).collect();
        let mut blobs = Vec::new();
        for path in paths {
            let id = subject.source.blob_id(&subject.revision, &path)?;
            blobs.push((path, id));
        }
        Ok((claiming, blobs))
    }

    /// Reads every distinct blob once, and parses it once for each way in which overlays read it.
    fn parse(&self, all: &[&Found], keys: &[Key]) -> Result<Readings, Error> {
        let mut bytes: BTreeMap<&BlobId, Vec<u8>> = BTreeMap::new();
        let mut wanted: BTreeSet<(&BlobId, Reading)> = BTreeSet::new();
        for (subject, key) in all.iter().zip(keys) {
            for (path, id, reading) in self.readings(key) {
                if !bytes.contains_key(id)
                    && let Some(blob) = subject.source.read(&subject.revision, path)?
                {
                    bytes.insert(id, blob.bytes);
                }
                wanted.insert((id, reading));
            }
        }
        let parse = |(id, reading): (&BlobId, Reading)| {
            let parsed = Parsed::new(bytes.get(id)?, &reading);
            Some(((id.clone(), reading), Arc::new(parsed)))
        };
        Ok(wanted.into_par_iter().filter_map(parse).collect())
    }

    /// The files of a file set that are there, each as each of its overlays reads it.
    fn readings<'k>(
        &'k self,
        (claiming, blobs): &'k Key,
    ) -> impl Iterator<Item = (&'k Utf8PathBuf, &'k BlobId, Reading)> {
        let overlays = claiming.iter().map(|&index| &self.overlays[index]);
        overlays.flat_map(move |overlay| {
            let own = paths(from_ref(overlay));
            let own = blobs.iter().filter(move |(path, _)| own.contains(path));
            own.filter_map(|(path, id)| Some((path, id.as_ref()?, overlay.reading(path))))
        })
    }

    fn work(&self, key: &Key, parsed: &Readings, revision: &Resolved) -> Work<'a> {
        let mut texts = Texts::default();
        for (path, id, reading) in self.readings(key) {
            if let Some(parsed) = parsed.get(&(id.clone(), reading)) {
                texts.insert(path.clone(), id.clone(), Arc::clone(parsed));
            }
        }
        let overlays: Vec<&Overlay> = key.0.iter().map(|&index| &self.overlays[index]).collect();
        let carried = carry(&overlays, &texts);
        let files = carried.files.iter();
        let checks = files.flat_map(|file| structure(&texts, file, &overlays));
        let checks = checks.collect();
        let base = self.base(revision, &texts, &carried);
        Work {
            texts,
            carried,
            checks,
            base,
        }
    }

    /// Collects what a merge can start from: the edits that were accepted.
    fn base(&self, revision: &Resolved, texts: &Texts, carried: &Carried<'_>) -> Base {
        let is_known = |landing: &&Landing| {
            let text = texts.get(&landing.file);
            text.is_some_and(|text| (self.known)(&text.id, landing).is_some())
        };
        let accepted = carried.landings.iter().filter(is_known);
        Base {
            described: revision.described.clone(),
            texts: texts.clone(),
            accepted: accepted
                .map(|landing| (landing.key.clone(), landing.splices().to_vec()))
                .collect(),
        }
    }

    fn outcome(
        &self,
        subject: &Found,
        (key, near): &Judged<'_>,
        of_pins: &[Key],
        work: &HashMap<&Key, Work<'a>>,
        verdicts: &[Verdict],
    ) -> Outcome {
        let overlays: Vec<String> = key.0.iter().map(|&i| self.overlays[i].id.clone()).collect();
        let revision = &subject.revision;
        let mut result = ReleaseResult {
            findings: self.unclaimed(key, revision),
            ..ReleaseResult::new(&released(revision), &revision.commit, "structure")
        };
        let work_here = &work[key];
        if overlays.is_empty() {
            result.status = Status::Unsupported;
            return Outcome {
                result,
                files: Vec::new(),
                landings: Vec::new(),
                overlays,
            };
        }
        let nearest = near.first();
        let nearest = nearest.map(|&pin| (&self.pins[pin], &work[&of_pins[pin]]));
        let carried = &work_here.carried;
        let mut landings = Vec::new();
        let mut reviews = Vec::new();
        for ((landing, text), verdict) in work_here.landed().zip(verdicts) {
            let place = self.yaml_place(landing);
            if let Some(mut finding) = review_finding(verdict, landing, &text.parsed, place) {
                if let Some(commit) = nearest.and_then(|(from, work)| {
                    self.reshaped(landing, &from.revision.commit, &work.carried, subject)
                }) {
                    blame(&mut finding, &commit, "changed this code");
                }
                reviews.push(finding);
            }
            result.landed.push(landed_line(landing, text));
            landings.push((landing.clone(), verdict.clone()));
        }
        let problems = self.explain(
            subject,
            work_here,
            nearest.map(|(pin, _)| pin),
            nearest.map(|(_, work)| &work.base),
        );
        let failed = !problems.is_empty() || !work_here.checks.is_empty();
        result.status = match (failed, reviews.is_empty()) {
            (true, _) => Status::Failed,
            (false, false) => Status::NeedsReview,
            (false, true) => Status::Passed,
        };
        let all = carried.landings.iter();
        let replaced = all.filter_map(|one| replaced_note(one, &work_here.texts, self.edit(one)));
        let checks = work_here.checks.iter().cloned();
        let findings = problems.into_iter().chain(checks).chain(reviews);
        result.findings.extend(findings.chain(replaced));
        Outcome {
            result,
            files: match failed {
                true => Vec::new(),
                false => carried.files.clone(),
            },
            landings,
            overlays,
        }
    }

    /// A note for each overlay that does not claim the release.
    fn unclaimed(&self, key: &Key, revision: &Resolved) -> Vec<Finding> {
        let others = self.overlays.iter().enumerate();
        let others = others.filter(|(index, _)| !key.0.contains(index));
        let finding = |(_, overlay): (usize, &Overlay)| {
            let message = format!(
                "`{}` claims releases {}, which {} is not among",
                overlay.id, overlay.releases, revision.release
            );
            Finding::new(Code::UnsupportedRelease, message)
                .file(format!("{}/{}.yaml", self.folder, overlay.id))
        };
        others.map(finding).collect()
    }
}

/// Orders pins by the number of pins between them and a release. Of two at the same distance the older one comes first.
fn nearest_first(pins: &[Found], release: &Version) -> Vec<usize> {
    let older = |than: &Version| {
        pins.iter()
            .filter(|pin| pin.revision.release < *than)
            .count()
    };
    let here = older(release);
    let distance = |&pin: &usize| {
        let there = older(&pins[pin].revision.release);
        match there < here {
            true => (here - there - 1, 0),
            false => (there - here, 1),
        }
    };
    let mut order: Vec<usize> = (0..pins.len()).collect();
    order.sort_by_key(distance);
    order
}

/// A release as itself, another commit as git describes it.
pub(crate) fn released(revision: &Resolved) -> String {
    match revision.is_release {
        true => revision.release.to_string(),
        false => revision.described.clone(),
    }
}
