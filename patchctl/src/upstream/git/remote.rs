//! A URL's copy in the cache: the server's references are listed once, one revision is fetched shallow, history only
//! when it is asked for.

use std::sync::{Mutex, OnceLock, PoisonError};

use camino::Utf8Path;
use git2::Oid;
use semver::Version;

use super::names::{self, References};
use super::server::{Listing, Server};
use super::store::Store;
use crate::report::Error;
use crate::store::sha256_hex;
use crate::upstream::revision::{not_there, tag_moved};
use crate::upstream::{RevisionSpec, Settings, Working};

/// A server with its copy in the cache.
pub(super) struct Remote {
    server: Server,
    pub(super) store: Store,
    /// The server's answer: asked once a process.
    listed: OnceLock<Result<Listing, Error>>,
    /// The outcome of bringing the history.
    history: Mutex<Option<Result<(), Error>>>,
}

fn tag_refspec(name: &str) -> String {
    // Without a `+`: branches move, tags must not.
    format!("refs/tags/{name}:refs/tags/{name}")
}

impl Remote {
    pub(super) fn new(url: String, name: String, settings: Settings) -> Self {
        Self {
            store: Store::cached(&settings, "git", &name_of(&url), &name),
            server: Server {
                settings,
                name,
                url,
            },
            listed: OnceLock::new(),
            history: Mutex::new(None),
        }
    }

    fn settings(&self) -> &Settings {
        &self.server.settings
    }

    /// Sees to it that `wanted` is in the cached repository, as the server has it now.
    pub(super) fn bring(&self, wanted: &RevisionSpec) -> Result<(), Error> {
        let cached = self.cached(wanted);
        if self.settings().offline {
            return match cached {
                Some(_) => Ok(()),
                None => Err(self.not_cached(wanted)),
            };
        }
        let fixed = match wanted {
            // An id says itself what it stands for.
            RevisionSpec::Commit(hex) => hex.len() == 40,
            RevisionSpec::Release(_) => self.settings().prefer_cache,
            RevisionSpec::Latest | RevisionSpec::Name(_) => false,
        };
        if fixed && cached.is_some() {
            return Ok(());
        }
        let listing = match self.listing() {
            Ok(listing) => listing,
            // What was fetched once is still right for a release; that it was not compared is said.
            Err(why) if cached.is_some() && !matches!(wanted, RevisionSpec::Latest) => {
                self.settings().progress.note(&format!(
                    "{wanted} is taken from the cache, not compared with the server: {why}"
                ));
                return Ok(());
            }
            Err(why) => return Err(why),
        };
        match wanted {
            RevisionSpec::Commit(hex) => self.bring_commit(hex, wanted, listing),
            _ => self.bring_named(wanted, listing),
        }
    }

    /// Brings the releases in one go; one that cannot be brought is left for [`Remote::bring`] to explain.
    pub(super) fn bring_releases(&self, wanted: &[RevisionSpec]) {
        if self.settings().offline {
            return;
        }
        let missing: Vec<_> = wanted
            .iter()
            .filter(|wanted| matches!(wanted, RevisionSpec::Release(_)))
            .filter(|wanted| self.cached(wanted).is_none())
            .collect();
        if missing.len() < 2 {
            return;
        }
        let Ok(listing) = self.listing() else { return };
        let named = missing.iter().filter_map(|it| listing.named(it).ok()?);
        let wants: Vec<_> = named.filter_map(|it| it.tag().map(tag_refspec)).collect();
        // An error comes up again, in its place, when the release is asked for.
        let _ = self.fetch(&wants, &format!("{} releases", wants.len()), false);
    }

    /// The releases: the server's, or with `--offline` the cached ones.
    pub(super) fn releases(&self) -> Result<Vec<Version>, Error> {
        if !self.settings().offline {
            return self.listing()?.releases();
        }
        if !self.store.exists() {
            return Err(self.nothing_cached());
        }
        self.store.with(|repo| repo.releases())
    }

    /// Brings the whole history, once a process.
    pub(super) fn bring_history(&self) -> Result<(), Error> {
        let mut brought = self.history.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(before) = &*brought {
            return before.clone();
        }
        let answer = self.fetch_history();
        *brought = Some(answer.clone());
        answer
    }

    fn fetch_history(&self) -> Result<(), Error> {
        if self.settings().offline {
            return match self.store.exists() {
                true => Ok(()),
                false => Err(self.nothing_cached()),
            };
        }
        let listing = self.listing()?;
        // A tag that was moved is left as it is: it is told when it is asked for.
        let is_new = |tag: &&str| self.cached_commit(&format!("refs/tags/{tag}")).is_none();
        let tags = listing.below("refs/tags/").filter(is_new);
        let mut wants: Vec<_> = tags.map(tag_refspec).collect();
        wants.push("+refs/heads/*:refs/heads/*".into());
        self.fetch(&wants, "its history", true)
    }

    fn listing(&self) -> Result<&Listing, Error> {
        let listed = self.listed.get_or_init(|| self.server.list());
        listed.as_ref().map_err(Clone::clone)
    }

    /// The commit that the cached repository has for `wanted`, where it has one with its tree.
    pub(super) fn cached(&self, wanted: &RevisionSpec) -> Option<Oid> {
        self.store.if_there(|repo| {
            let commit = names::find(repo, wanted)?.commit;
            let tree = repo.commit(commit)?.tree_id();
            repo.tree(tree)?;
            Ok(commit)
        })
    }

    /// The commit that the cached repository has for a reference.
    fn cached_commit(&self, reference: &str) -> Option<Oid> {
        self.store.if_there(|repo| repo.commit_of(reference))?
    }

    /// Brings a tag or a branch.
    fn bring_named(&self, wanted: &RevisionSpec, listing: &Listing) -> Result<(), Error> {
        let name = &self.server.name;
        let Some(named) = listing.named(wanted)? else {
            return Err(not_there(name, wanted, listing.summary(wanted)));
        };
        let reference = named.reference.as_deref().unwrap_or_default();
        match (named.tag(), self.cached_commit(reference)) {
            (_, Some(here)) if here == named.commit => Ok(()),
            (Some(tag), Some(was)) => Err(tag_moved(name, tag, was, named.commit)),
            (Some(tag), None) => self.fetch(&[tag_refspec(tag)], tag, false),
            (None, _) => {
                let want = format!("+{}:{reference}", listing.own_name(reference));
                self.fetch(&[want], &wanted.to_string(), false)
            }
        }
    }

    fn bring_commit(
        &self,
        hex: &str,
        wanted: &RevisionSpec,
        listing: &Listing,
    ) -> Result<(), Error> {
        let whole = listing
            .0
            .values()
            .map(Oid::to_string)
            .find(|commit| commit.starts_with(hex))
            .or_else(|| (hex.len() == 40).then(|| hex.to_owned()));
        if let Some(commit) = whole {
            let want = format!("+{commit}:refs/patchctl/{commit}");
            match self.fetch(&[want], hex, false) {
                Ok(()) => return Ok(()),
                // The server does not have it: no history will.
                Err(error) if error.to_string().contains("not our ref") => {
                    return self.bring_named(wanted, listing);
                }
                // Some servers give only what a tag or a branch names; then the history has it.
                Err(_) => {}
            }
        }
        self.bring_history()?;
        match self.cached(wanted) {
            Some(_) => Ok(()),
            // `abcdef1` may be the name of a branch or a tag.
            None => self.bring_named(wanted, listing),
        }
    }

    /// Fetches the refspecs: one revision without its history, unless the history is here or `history` asks for it.
    fn fetch(&self, wants: &[String], what: &str, history: bool) -> Result<(), Error> {
        let _lock = self.store.lock()?;
        self.store.ensure()?;
        // A damaged one is made anew, before git says less about it.
        if names::check_references(&self.store).is_err() || self.store.take_damage() {
            self.store.remove()?;
            self.store.ensure()?;
        }
        let what = format!("fetching {what} from {}", self.server.name);
        let working = Working::on(&self.settings().progress, &what);
        let git_dir = self.store.path();
        let shallow = git_dir.join("shallow").is_file();
        // A repository with its history keeps it: a shallow fetch would cut it.
        let whole = has_packs(git_dir) && !shallow;
        let depth = match (history, shallow) {
            (true, true) => &["--unshallow"][..],
            (false, _) if !whole => &["--depth", "1"],
            _ => &[],
        };
        let mut arguments = vec![
            "fetch",
            "--progress",
            "--no-tags",
            "--no-prune",
            "--no-recurse-submodules",
        ];
        arguments.extend(depth);
        arguments.extend(["--", self.server.url.as_str()]);
        arguments.extend(wants.iter().map(String::as_str));
        let answer = self.server.run(Some(git_dir), &arguments, &working);
        self.store.reopen();
        answer.map(|_| ())
    }

    /// Forgets the outcomes: the repository in the cache was removed.
    pub(super) fn forget(&self) {
        *self.history.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn not_cached(&self, wanted: &RevisionSpec) -> Error {
        if !self.store.exists() {
            return self.nothing_cached();
        }
        // The cached repository's own answer: what it has instead, or what is wrong with it.
        match self.store.with(|repo| names::find(repo, wanted)) {
            Err(error) => error,
            Ok(_) => self.nothing_cached(),
        }
    }

    fn nothing_cached(&self) -> Error {
        let path = self.store.path();
        self.store.unreachable(
            format!("nothing of it is in the cache ({path}), and --offline forbids to fetch it"),
            "run once without --offline, or name a repository on this machine: --source git:PATH",
        )
    }
}

fn has_packs(git_dir: &Utf8Path) -> bool {
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
    fn urls_share_no_repository() {
        let one = name_of("https://github.com/ml-explore/mlx");
        let other = name_of("https://github.com/someone/mlx");
        assert_ne!(one, other);
        for name in [one, other, name_of("git@github.com:ml-explore/mlx.git")] {
            assert!(name.starts_with("mlx-"), "{name}");
        }
    }
}
