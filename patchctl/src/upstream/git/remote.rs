//! A URL's copy in the cache: what the server has is listed once, one revision is fetched shallow, history only
//! when it is asked for.

use std::collections::BTreeMap;
use std::sync::{Mutex, OnceLock, PoisonError};

use camino::Utf8PathBuf;
use git2::Oid;
use semver::Version;

use super::command::Git;
use super::listing::Listing;
use super::names;
use super::store::Store;
use crate::store::{Cache, sha256_hex};
use crate::upstream::settings::Settings;
use crate::upstream::{RevisionSpec, SourceError, Working};

/// The server behind a cached repository.
pub(super) struct Remote {
    url: String,
    shown: String,
    git_dir: Utf8PathBuf,
    settings: Settings,
    cache: Cache,
    /// What the server answered, or why it did not: asked once a process.
    listed: OnceLock<Result<Listing, SourceError>>,
    /// True if the history was brought, or why not.
    history: Mutex<Option<Result<(), SourceError>>>,
}

/// One thing to fetch: `from` on the server, kept under the reference `to`.
struct Want {
    from: String,
    to: String,
}

impl Want {
    fn tag(name: &str) -> Self {
        Self {
            from: format!("refs/tags/{name}"),
            to: format!("refs/tags/{name}"),
        }
    }
}

impl Remote {
    pub(super) fn new(url: String, shown: String, settings: Settings) -> Self {
        let cache = Cache::new(&settings.cache, &settings.progress);
        Self {
            git_dir: cache.path("git", &name_of(&url)),
            url,
            shown,
            settings,
            cache,
            listed: OnceLock::new(),
            history: Mutex::new(None),
        }
    }

    pub(super) fn git_dir(&self) -> &Utf8PathBuf {
        &self.git_dir
    }

    fn git(&self) -> Git<'_> {
        Git {
            settings: &self.settings,
            source: &self.shown,
            url: &self.url,
            shown_url: self.shown.strip_prefix("git:").unwrap_or(&self.shown),
        }
    }

    /// Sees to it that `wanted` is in the cached repository, as the server has it now.
    pub(super) fn bring(&self, store: &Store, wanted: &RevisionSpec) -> Result<(), SourceError> {
        let cached = self.cached(store, wanted);
        if self.settings.offline {
            return match cached {
                Some(_) => Ok(()),
                None => Err(self.not_cached(store, wanted)),
            };
        }
        let fixed = match wanted {
            // An id says itself what it stands for.
            RevisionSpec::Commit(hex) => hex.len() == 40,
            RevisionSpec::Release(_) => self.settings.prefer_cache,
            RevisionSpec::Latest | RevisionSpec::Name(_) => false,
        };
        if fixed && cached.is_some() {
            return Ok(());
        }
        let listing = match self.listing() {
            Ok(listing) => listing,
            // What was fetched once is still right for a release; that it was not compared is said.
            Err(why) if cached.is_some() && !matches!(wanted, RevisionSpec::Latest) => {
                self.settings.progress.note(&format!(
                    "{wanted} is taken from the cache, not compared with the server: {why}"
                ));
                return Ok(());
            }
            Err(why) => return Err(why),
        };
        match wanted {
            RevisionSpec::Release(version) => match listing.tag_of(version) {
                Some((tag, commit)) => self.bring_tag(store, &tag, commit),
                None => Err(self.not_there(wanted, listing)),
            },
            RevisionSpec::Latest => match listing.releases().last() {
                Some(newest) => self.bring(store, &RevisionSpec::Release(newest.clone())),
                None => Err(self.not_there(wanted, listing)),
            },
            RevisionSpec::Name(name) => self.bring_name(store, name, wanted, listing),
            RevisionSpec::Commit(hex) => self.bring_commit(store, hex, wanted, listing),
        }
    }

    /// Brings all of it in one go; what cannot be is left for [`Remote::bring`] to explain.
    pub(super) fn bring_releases(&self, store: &Store, wanted: &[RevisionSpec]) {
        if self.settings.offline {
            return;
        }
        let missing: Vec<_> = wanted
            .iter()
            .filter(|wanted| matches!(wanted, RevisionSpec::Release(_)))
            .filter(|wanted| self.cached(store, wanted).is_none())
            .collect();
        if missing.len() < 2 {
            return;
        }
        let Ok(listing) = self.listing() else { return };
        let wants: Vec<_> = missing
            .iter()
            .filter_map(|wanted| match wanted {
                RevisionSpec::Release(version) => listing.tag_of(version),
                _ => None,
            })
            .map(|(tag, _)| Want::tag(&tag))
            .collect();
        // An error comes up again, in its place, when the release is asked for.
        let _ = self.fetch(store, &wants, &format!("{} releases", wants.len()));
    }

    /// The releases: the server's, or with `--offline` the cached ones.
    pub(super) fn releases(&self, store: &Store) -> Result<Vec<Version>, SourceError> {
        if !self.settings.offline {
            return Ok(self.listing()?.releases());
        }
        if !self.git_dir.exists() {
            return Err(self.nothing_cached());
        }
        store.with(names::releases)
    }

    /// Brings the whole history, once a process.
    pub(super) fn bring_history(&self, store: &Store) -> Result<(), SourceError> {
        let mut brought = self.history.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(before) = &*brought {
            return before.clone();
        }
        let answer = self.fetch_history(store);
        *brought = Some(answer.clone());
        answer
    }

    fn fetch_history(&self, store: &Store) -> Result<(), SourceError> {
        if self.settings.offline {
            return if self.git_dir.exists() {
                Ok(())
            } else {
                Err(self.nothing_cached())
            };
        }
        let listing = self.listing()?;
        let known = self.cached_tags(store);
        // A tag that was moved is left as it is: it is told when it is asked for.
        let mut wants: Vec<_> = listing
            .tags
            .keys()
            .filter(|tag| !known.contains_key(*tag))
            .map(|tag| Want::tag(tag))
            .collect();
        wants.push(Want {
            from: "refs/heads/*".into(),
            to: "refs/heads/*".into(),
        });
        self.fetch_with(store, &wants, "its history", true)
    }

    pub(super) fn listing(&self) -> Result<&Listing, SourceError> {
        self.listed
            .get_or_init(|| {
                let _working = Working::on(
                    &self.settings.progress,
                    &format!("asking {} what it has", self.shown),
                );
                let arguments = ["ls-remote", "--tags", "--heads", "--", &self.url];
                Ok(Listing::read(&self.git().ask(&arguments)?))
            })
            .as_ref()
            .map_err(Clone::clone)
    }

    /// The commit that the cached repository has for `wanted`, where it has one with its tree.
    pub(super) fn cached(&self, store: &Store, wanted: &RevisionSpec) -> Option<Oid> {
        if !self.git_dir.exists() {
            return None;
        }
        store
            .with(|repo| {
                let commit = names::find(repo, wanted)?.commit;
                let tree = repo.commit(commit)?.tree_id();
                repo.tree(tree)?;
                Ok(commit)
            })
            .ok()
    }

    fn cached_tags(&self, store: &Store) -> BTreeMap<String, Oid> {
        if !self.git_dir.exists() {
            return BTreeMap::new();
        }
        let tagged = store.with(names::tagged_commits).unwrap_or_default();
        tagged
            .into_iter()
            .flat_map(|(commit, names)| names.into_iter().map(move |name| (name, commit)))
            .collect()
    }

    fn bring_tag(&self, store: &Store, tag: &str, commit: Oid) -> Result<(), SourceError> {
        match self.cached_tags(store).get(tag) {
            Some(was) if *was != commit => {
                return Err(SourceError::TagMoved {
                    source_name: self.shown.clone(),
                    tag: tag.into(),
                    was: was.to_string(),
                    now: commit.to_string(),
                });
            }
            Some(_) => return Ok(()),
            None => {}
        }
        self.fetch(store, &[Want::tag(tag)], tag)
    }

    fn bring_name(
        &self,
        store: &Store,
        name: &str,
        wanted: &RevisionSpec,
        listing: &Listing,
    ) -> Result<(), SourceError> {
        if let Some(commit) = listing.tags.get(name) {
            return self.bring_tag(store, name, *commit);
        }
        let branch = name.strip_prefix("origin/").unwrap_or(name);
        let Some(head) = listing.heads.get(branch) else {
            return Err(self.not_there(wanted, listing));
        };
        let to = format!("refs/heads/{name}");
        let here = store
            .with(|repo| Ok(repo.git.refname_to_id(&to).ok()))
            .ok()
            .flatten();
        if here == Some(*head) {
            return Ok(());
        }
        let from = format!("refs/heads/{branch}");
        self.fetch(store, &[Want { from, to }], name)
    }

    fn bring_commit(
        &self,
        store: &Store,
        hex: &str,
        wanted: &RevisionSpec,
        listing: &Listing,
    ) -> Result<(), SourceError> {
        let named = listing.tags.values().chain(listing.heads.values());
        let whole = named
            .map(Oid::to_string)
            .find(|commit| commit.starts_with(hex))
            .or_else(|| (hex.len() == 40).then(|| hex.to_owned()));
        if let Some(commit) = whole {
            let want = Want {
                to: format!("refs/patchctl/{commit}"),
                from: commit,
            };
            match self.fetch(store, &[want], hex) {
                Ok(()) => return Ok(()),
                // The server does not have it: no history will.
                Err(error) if error.to_string().contains("not our ref") => {
                    return self.bring_name(store, hex, wanted, listing);
                }
                // Some servers give only what a tag or a branch names; then the history has it.
                Err(_) => {}
            }
        }
        self.bring_history(store)?;
        match self.cached(store, wanted) {
            Some(_) => Ok(()),
            // `abcdef1` may be the name of a branch or a tag.
            None => self.bring_name(store, hex, wanted, listing),
        }
    }

    fn fetch(&self, store: &Store, wants: &[Want], what: &str) -> Result<(), SourceError> {
        self.fetch_with(store, wants, what, false)
    }

    fn fetch_with(
        &self,
        store: &Store,
        wants: &[Want],
        what: &str,
        history: bool,
    ) -> Result<(), SourceError> {
        let _lock = self.lock()?;
        self.cache.ensure_repository(&self.git_dir)?;
        // A damaged one is made anew, before git says less about it.
        if names::check_references(store).is_err() || store.take_damage() {
            self.cache.remove(&self.git_dir)?;
            store.reopen();
            self.cache.ensure_repository(&self.git_dir)?;
        }
        let working = Working::on(
            &self.settings.progress,
            &format!("fetching {what} from {}", self.shown),
        );
        let shallow = self.git_dir.join("shallow").is_file();
        // A repository with its history keeps it: a shallow fetch would cut it.
        let whole = has_packs(&self.git_dir) && !shallow;
        let depth = match (history, shallow) {
            (true, true) => &["--unshallow"][..],
            (false, _) if !whole => &["--depth", "1"],
            _ => &[],
        };
        let refspecs: Vec<_> = wants
            .iter()
            .map(|want| {
                // Branches move, tags must not.
                let force = if want.to.starts_with("refs/tags/") {
                    ""
                } else {
                    "+"
                };
                format!("{force}{}:{}", want.from, want.to)
            })
            .collect();
        let mut arguments = vec![
            "fetch",
            "--progress",
            "--no-tags",
            "--no-prune",
            "--no-recurse-submodules",
        ];
        arguments.extend(depth);
        arguments.extend(["--", self.url.as_str()]);
        arguments.extend(refspecs.iter().map(String::as_str));
        let answer = self.git().fetch(&self.git_dir, &arguments, &working);
        store.reopen();
        answer
    }

    /// Removes the cached repository, which is damaged, so that it is fetched again. Returns false offline.
    pub(super) fn discard(&self, store: &Store) -> Result<bool, SourceError> {
        if self.settings.offline {
            return Ok(false);
        }
        let _lock = self.lock()?;
        self.cache.remove(&self.git_dir)?;
        store.reopen();
        *self.history.lock().unwrap_or_else(PoisonError::into_inner) = None;
        Ok(true)
    }

    fn lock(&self) -> Result<crate::store::Lock, SourceError> {
        Ok(self.cache.lock("git", &name_of(&self.url))?)
    }

    fn not_there(&self, wanted: &RevisionSpec, listing: &Listing) -> SourceError {
        SourceError::NotThere {
            source_name: self.shown.clone(),
            wanted: wanted.to_string(),
            has: listing.summary(wanted),
        }
    }

    fn not_cached(&self, store: &Store, wanted: &RevisionSpec) -> SourceError {
        if !self.git_dir.exists() {
            return self.nothing_cached();
        }
        // The cached repository's own answer: what it has instead, or what is wrong with it.
        match store.with(|repo| names::find(repo, wanted)) {
            Err(error) => error,
            Ok(_) => self.nothing_cached(),
        }
    }

    fn nothing_cached(&self) -> SourceError {
        SourceError::Unreachable {
            source_name: self.shown.clone(),
            why: format!("nothing of it is in the cache ({}), and --offline forbids to fetch it", self.git_dir),
            help: Some("run once without --offline, or name a repository on this machine: --source git:PATH".into()),
        }
    }
}

fn has_packs(git_dir: &Utf8PathBuf) -> bool {
    git_dir
        .join("objects/pack")
        .read_dir_utf8()
        .is_ok_and(|mut entries| entries.next().is_some())
}

/// A name for a URL's repository: readable, and never the same for two URLs.
fn name_of(url: &str) -> String {
    let tail = url.trim_end_matches('/').trim_end_matches(".git");
    let name: String = tail
        .rsplit(['/', ':'])
        .next()
        .unwrap_or_default()
        .chars()
        .filter(|letter| letter.is_ascii_alphanumeric() || "-_.".contains(*letter))
        .collect();
    format!("{name}-{}.git", &sha256_hex(url.as_bytes())[..12])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_urls_never_share_a_repository() {
        let one = name_of("https://github.com/ml-explore/mlx");
        let other = name_of("https://github.com/someone/mlx");
        assert_ne!(one, other);
        for name in [one, other, name_of("git@github.com:ml-explore/mlx.git")] {
            assert!(name.starts_with("mlx-"), "{name}");
        }
    }
}
