//! Revisions and sources as a user types them.

use std::fmt;
use std::str::FromStr;

use camino::{Utf8Path, Utf8PathBuf};
use semver::Version;

use super::RevisionSpec;
use crate::report::Error;

const REVISION_HELP: &str = "write a release (0.32.4 or v0.32.4), `latest`, a commit id of at least seven hex digits, \
                             or the name of a branch or tag";
const SOURCE_HELP: &str = "write `git:URL`, `git:PATH`, `crates` or `dir:PATH`, as in git:https://github.com/ml-explore/mlx";

/// The fault of a text that names no revision or no source. The caller names the text.
fn refuse<T>(why: &str, help: impl Into<String>) -> Result<T, Error> {
    Err(Error::usage(why).help(help.into()))
}

impl FromStr for RevisionSpec {
    type Err = Error;

    /// Tells a release, `latest`, a commit id and a name apart, in this order.
    fn from_str(text: &str) -> Result<Self, Error> {
        if text.is_empty() {
            return refuse("nothing is there", REVISION_HELP);
        }
        if text == "latest" {
            return Ok(Self::Latest);
        }
        if let Some(release) = release_of_name(text) {
            return Ok(Self::Release(release));
        }
        if looks_like_part_of_a_release(text) {
            let rest = ".0".repeat(2usize.saturating_sub(text.matches('.').count()));
            return refuse(
                "a release has three numbers",
                format!("did you mean {text}{rest}? Otherwise {REVISION_HELP}"),
            );
        }
        if (7..=40).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Ok(Self::Commit(text.to_ascii_lowercase()));
        }
        if text.contains(['~', '^', '@', ':', ' ', '*', '?', '[', '\\']) || text.contains("..") {
            return refuse(
                "git's expressions are not taken here",
                format!("write the commit it stands for (`git rev-parse {text}`); {REVISION_HELP}"),
            );
        }
        if text.starts_with('-') || !git2::Reference::is_valid_name(&format!("refs/heads/{text}")) {
            return refuse("git allows no branch or tag of that name", REVISION_HELP);
        }
        Ok(Self::Name(text.into()))
    }
}

impl fmt::Display for RevisionSpec {
    /// As it can be typed.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Release(version) => write!(f, "{version}"),
            Self::Latest => f.write_str("latest"),
            Self::Commit(text) | Self::Name(text) => f.write_str(text),
        }
    }
}

/// The release that a tag's name stands for: `v0.32.4` or `0.32.4`, with or without a pre-release part.
pub(super) fn release_of_name(name: &str) -> Option<Version> {
    Version::parse(name.strip_prefix('v').unwrap_or(name)).ok()
}

/// `0.32` or `v0`: all digits and dots, but too few of them.
fn looks_like_part_of_a_release(text: &str) -> bool {
    let digits = text.strip_prefix('v').unwrap_or(text);
    let parts: Vec<_> = digits.split('.').collect();
    (parts.len() < 3 && digits.len() < 7)
        && parts
            .iter()
            .all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
}

/// A place to look for upstream, as in `patchctl.yaml` and after `--source`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SourceSpec {
    /// `git:PATH`: a repository on this machine. It is only read.
    GitPath(Utf8PathBuf),
    /// `git:URL`: fetched by the user's own git into the cache.
    GitUrl(String),
    /// `crates`: packages on crates.io that carry the tree.
    Crates,
    /// `dir:PATH`: a folder that holds an upstream tree.
    Directory(Utf8PathBuf),
}

impl SourceSpec {
    /// The same, with a relative path taken from `base`: the working directory for the command line, the
    /// repository's root for `patchctl.yaml`.
    pub fn relative_to(self, base: &Utf8Path) -> Self {
        match self {
            Self::GitPath(path) => Self::GitPath(base.join(path)),
            Self::Directory(path) => Self::Directory(base.join(path)),
            other => other,
        }
    }

    /// As it may stand in `lock.yaml`: no path of this machine, no credentials.
    pub fn public_name(&self) -> String {
        match self {
            // A URL that means the same on every machine.
            Self::GitUrl(url) if !url.starts_with("file:") => self.to_string(),
            Self::GitPath(_) | Self::GitUrl(_) => "git".into(),
            Self::Crates => "crates".into(),
            Self::Directory(_) => "dir".into(),
        }
    }
}

impl fmt::Display for SourceSpec {
    /// As it can be given to `--source`, without credentials.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::GitPath(path) => write!(f, "git:{path}"),
            Self::GitUrl(url) => write!(f, "git:{}", without_credentials(url)),
            Self::Crates => f.write_str("crates"),
            Self::Directory(path) => write!(f, "dir:{path}"),
        }
    }
}

impl FromStr for SourceSpec {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let (kind, rest) = match text.split_once(':') {
            None if text == "crates" => return Ok(Self::Crates),
            None if text == "git" || text == "dir" => {
                return refuse("the place is missing after the kind", SOURCE_HELP);
            }
            None => return refuse("the kind of source is missing", SOURCE_HELP),
            Some(parts) => parts,
        };
        match kind {
            "git" | "dir" if rest.trim().is_empty() => {
                refuse("the place is missing after the colon", SOURCE_HELP)
            }
            "git" | "dir" if rest.starts_with('-') => {
                refuse("a place does not begin with a dash", SOURCE_HELP)
            }
            "git" | "dir" if rest.starts_with("~/") => refuse(
                "the shell has not expanded `~`",
                "write the whole path, or $HOME/…",
            ),
            "git" if is_url(rest) => Ok(Self::GitUrl(rest.into())),
            "git" => Ok(Self::GitPath(rest.into())),
            "dir" => Ok(Self::Directory(rest.into())),
            "crates" => refuse("`crates` takes nothing after it", "write `crates`"),
            "http" | "https" | "ssh" | "file" => refuse(
                "the kind of source is missing before the URL",
                format!("did you mean git:{text}?"),
            ),
            _ => refuse("there is no such kind of source", SOURCE_HELP),
        }
    }
}

/// A scheme, or git's short form `user@host:path` (a colon before the first slash).
fn is_url(place: &str) -> bool {
    if place.contains("://") {
        return true;
    }
    let head = place.split('/').next().unwrap_or_default();
    // One letter before the colon is a drive of Windows.
    head.find(':').is_some_and(|at| at > 1)
}

/// `https://user:token@host/…` without what stands before the `@`. The user of `ssh` URLs is kept: it is no secret.
fn without_credentials(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else {
        return url.into();
    };
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    match authority.rsplit_once('@') {
        Some((user, host)) if scheme == "ssh" => {
            let user = user.split(':').next().unwrap_or_default();
            format!("{scheme}://{user}@{host}{path}")
        }
        Some((_, host)) => format!("{scheme}://{host}{path}"),
        None => url.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn revision(text: &str) -> RevisionSpec {
        text.parse().unwrap()
    }

    fn source(text: &str) -> SourceSpec {
        text.parse().unwrap()
    }

    #[test]
    fn part_of_release_is_completed() {
        for (text, whole) in [("0.32", "0.32.0?"), ("v1", "v1.0.0?")] {
            let error = text.parse::<RevisionSpec>().unwrap_err();
            let help = format!("did you mean {whole}");
            assert!(error.advice().unwrap().starts_with(&help), "{error:?}");
        }
    }

    #[test]
    fn revisions_are_told_apart() {
        let release = RevisionSpec::Release(Version::new(0, 32, 4));
        assert_eq!(revision("0.32.4"), release);
        assert_eq!(revision("v0.32.4"), release);
        assert_eq!(
            revision("v0.33.0-rc1"),
            RevisionSpec::Release(Version::parse("0.33.0-rc1").unwrap())
        );
        assert_eq!(revision("latest"), RevisionSpec::Latest);
        assert_eq!(
            revision("846D1762"),
            RevisionSpec::Commit("846d1762".into())
        );
        assert_eq!(revision("main"), RevisionSpec::Name("main".into()));
        assert_eq!(revision("deadbe"), RevisionSpec::Name("deadbe".into()));
        assert_eq!(
            revision("feature/x.y"),
            RevisionSpec::Name("feature/x.y".into())
        );
    }

    #[test]
    fn revision_is_shown_as_typed() {
        for text in ["0.32.4", "0.33.0-rc1", "latest", "846d1762", "feature/x"] {
            assert_eq!(revision(text).to_string(), text);
        }
    }

    #[test]
    fn bad_revision_has_advice() {
        let help = |text: &str| {
            let error = text.parse::<RevisionSpec>().unwrap_err();
            error.advice().unwrap().to_owned()
        };
        assert!(help("0.32").contains("0.32.0"), "{}", help("0.32"));
        assert!(help("main~3").contains("git rev-parse main~3"));
        for bad in ["", "-x", "a..b", "a b", "x.lock", "/x", "@{u}"] {
            let error = bad.parse::<RevisionSpec>().unwrap_err();
            assert!(error.advice().unwrap().contains("v0.32.4"), "{error:?}");
        }
    }

    #[test]
    fn sources_are_told_apart() {
        for url in [
            "https://github.com/ml-explore/mlx",
            "git@github.com:ml-explore/mlx.git",
            "file:///srv/mlx",
        ] {
            assert_eq!(
                source(&format!("git:{url}")),
                SourceSpec::GitUrl(url.into())
            );
        }
        for path in ["/srv/mlx", "../mlx", "mlx", "./a:b", "C:/mlx"] {
            assert_eq!(
                source(&format!("git:{path}")),
                SourceSpec::GitPath(path.into())
            );
        }
        assert_eq!(source("crates"), SourceSpec::Crates);
        assert_eq!(source("dir:mlx"), SourceSpec::Directory("mlx".into()));
    }

    #[test]
    fn bad_source_has_advice() {
        let error = |text: &str| text.parse::<SourceSpec>().unwrap_err();
        assert!(
            error("https://github.com/ml-explore/mlx")
                .advice()
                .unwrap()
                .contains("git:https://github.com/ml-explore/mlx")
        );
        assert!(error("git:~/mlx").to_string().contains('~'));
        for bad in [
            "",
            "git",
            "git:",
            "dir:",
            "hg:x",
            "crates:x",
            "/srv/mlx",
            "git:--upload-pack=x",
        ] {
            assert!(error(bad).advice().is_some());
        }
    }

    #[test]
    fn lock_holds_no_path_and_no_credentials() {
        let public = |text: &str| source(text).public_name();
        assert_eq!(public("git:/home/someone/mlx"), "git");
        assert_eq!(public("git:file:///home/someone/mlx"), "git");
        assert_eq!(public("dir:/home/someone/mlx"), "dir");
        assert_eq!(public("crates"), "crates");
        assert_eq!(
            public("git:https://someone:secret@example.com/mlx"),
            "git:https://example.com/mlx"
        );
        assert_eq!(
            public("git:ssh://git:secret@example.com/mlx"),
            "git:ssh://git@example.com/mlx"
        );
        assert_eq!(
            source("git:https://t@example.com/mlx").to_string(),
            "git:https://example.com/mlx"
        );
    }

    #[test]
    fn relative_path_is_taken_from_base() {
        assert_eq!(
            source("git:../mlx").relative_to("/srv/repo".into()),
            SourceSpec::GitPath("/srv/repo/../mlx".into())
        );
        assert_eq!(
            source("crates").relative_to("/x".into()),
            SourceSpec::Crates
        );
    }
}
