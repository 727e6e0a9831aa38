//! A repository elsewhere, fetched by the user's own git into the cache. The servers are `file://`.

use std::sync::Arc;
use std::time::Duration;

use camino::Utf8PathBuf;
use patchctl::upstream::{RevisionSpec, Settings, SourceSpec, Upstream};
use semver::Version;

use crate::small::{FILE, Heard, Scratch, Small, git, refusal, resolve, revision};

/// Upstream as a new process would see it, with the cache that earlier ones left.
fn upstream(small: &Small, change: impl FnOnce(&mut Settings)) -> (Upstream, Arc<Heard>) {
    let heard = Heard::new();
    let mut settings = Settings::new(small.scratch.path.join("cache"));
    settings.progress = heard.clone();
    change(&mut settings);
    let order = vec![SourceSpec::GitUrl(small.url())];
    (Upstream::new(order, settings), heard)
}

fn cached(small: &Small) -> Utf8PathBuf {
    let folder = small.scratch.path.join("cache/git");
    let mut entries = folder.read_dir_utf8().unwrap();
    entries
        .find_map(|entry| {
            let path = entry.unwrap().into_path();
            (path.extension() == Some("git")).then_some(path)
        })
        .unwrap()
}

/// How many commits the cache holds.
fn commits(small: &Small) -> usize {
    let cached = cached(small);
    let all = git(&["-C", cached.as_str(), "rev-list", "--all", "--count"]);
    all.parse().unwrap()
}

#[test]
fn one_release_is_fetched_without_history_and_not_again() {
    let (small, [.., four]) = Small::with_releases();
    for expected in [1, 0] {
        let (upstream, heard) = upstream(&small, |_| {});
        let found = resolve(&upstream, "0.32.4").unwrap();
        assert_eq!(found.revision.commit, four.to_string());
        assert_eq!(found.revision.described, "v0.32.4");
        let blob = found.source.read(&found.revision, FILE.into()).unwrap();
        assert_eq!(blob.unwrap().bytes, b"int four;\n");
        assert_eq!(heard.count("fetching"), expected, "{:?}", heard.lines());
        assert_eq!(heard.count("asking"), 1);
    }
    assert_eq!(commits(&small), 1);
}

#[test]
fn the_releases_of_a_server_are_listed_without_fetching() {
    let (mut small, _) = Small::with_releases();
    let next = small.commit(&[("x", Some("x"))]);
    small.annotated_tag("v0.33.0-rc1", next);
    let (upstream, heard) = upstream(&small, |_| {});
    assert_eq!(
        upstream.list().unwrap().releases,
        [Version::new(0, 32, 1), Version::new(0, 32, 4)]
    );
    assert_eq!(heard.count("fetching"), 0);
    assert_eq!(revision(&upstream, "latest").described, "v0.32.4");
    let error = refusal(&upstream, "0.32.9");
    assert!(
        error.to_string().contains("it has 0.32.4, 0.32.1"),
        "{error}"
    );
}

#[test]
fn an_annotated_tag_of_a_server_gives_its_commit() {
    let (small, [.., four]) = Small::with_releases();
    let tag = small.annotated_tag("v0.32.5", four);
    let (upstream, _) = upstream(&small, |_| {});
    assert_eq!(revision(&upstream, "0.32.5").commit, four.to_string());
    assert_eq!(
        revision(&upstream, &tag.to_string()).commit,
        four.to_string()
    );
}

#[test]
fn many_releases_are_fetched_in_one_go() {
    let (small, _) = Small::with_releases();
    let (upstream, heard) = upstream(&small, |_| {});
    let wanted: Vec<RevisionSpec> = ["0.32.1", "0.32.4", "0.32.9"]
        .iter()
        .map(|text| text.parse().unwrap())
        .collect();
    let found = upstream.resolve_all(&wanted);
    assert!(found[0].is_ok() && found[1].is_ok());
    assert!(found[2].is_err());
    assert_eq!(heard.count("fetching"), 1, "{:?}", heard.lines());
    assert_eq!(commits(&small), 2);
}

#[test]
fn a_tag_that_the_server_moved_is_an_alarm_with_both_commits() {
    let (small, [_, two, _, four]) = Small::with_releases();
    assert!(resolve(&upstream(&small, |_| {}).0, "0.32.4").is_ok());
    small.tag("v0.32.4", two);
    for _ in 0..2 {
        let error = refusal(&upstream(&small, |_| {}).0, "0.32.4");
        assert_eq!(error.code(), "tag-moved");
        let (was, now) = (format!("was {four}"), format!("now has {two}"));
        let text = error.to_string();
        assert!(text.contains(&was) && text.contains(&now), "{text}");
    }
    // The lock knows another commit than the server, and nothing is cached.
    small.tag("v0.32.5", two);
    let (upstream, _) = upstream(&small, |settings| {
        settings
            .known_commits
            .insert(Version::new(0, 32, 5), four.to_string());
    });
    assert_eq!(refusal(&upstream, "0.32.5").code(), "tag-moved");
}

#[test]
fn a_branch_is_followed_and_described_with_history() {
    let (mut small, _) = Small::with_releases();
    for text in ["one", "two"] {
        let head = small.commit(&[("x", Some(text))]);
        let main = revision(&upstream(&small, |_| {}).0, "main");
        assert!(main.moving);
        assert_eq!(main.commit, head.to_string());
        let own = small.describe("main");
        assert_eq!(main.described, own);
    }
    let error = refusal(&upstream(&small, |_| {}).0, "nowhere");
    assert!(error.to_string().contains("branches main"), "{error}");
}

#[test]
fn a_commit_is_fetched_by_its_id_or_the_beginning_of_it() {
    let (small, [_, two, three, _]) = Small::with_releases();
    for wanted in [two.to_string(), three.to_string()[..8].to_owned()] {
        let found = revision(&upstream(&small, |_| {}).0, &wanted);
        assert!(found.commit.starts_with(&wanted));
        assert!(found.described.starts_with("v0.32.1-"), "{found:?}");
    }
    let nowhere = "0123456789012345678901234567890123456789";
    let error = refusal(&upstream(&small, |_| {}).0, nowhere);
    assert_eq!(error.code(), "revision-not-there", "{error}");
}

#[test]
fn the_commit_of_a_release_needs_no_history() {
    let (small, [.., four]) = Small::with_releases();
    let (upstream, heard) = upstream(&small, |_| {});
    revision(&upstream, "0.32.4");
    let found = revision(&upstream, &four.to_string());
    assert_eq!(found.described, "v0.32.4");
    assert_eq!(heard.count("its history"), 0, "{:?}", heard.lines());
    assert_eq!(commits(&small), 1);
}

#[test]
fn history_comes_when_it_is_asked_for() {
    let (small, [_, two, _, four]) = Small::with_releases();
    let (upstream, heard) = upstream(&small, |_| {});
    revision(&upstream, "0.32.4");
    assert_eq!(commits(&small), 1);
    let history = upstream.history().unwrap();
    let touching = history.touching("v0.32.1", "main", FILE.into()).unwrap();
    let touching: Vec<_> = touching.into_iter().map(|commit| commit.commit).collect();
    assert_eq!(touching, [two.to_string(), four.to_string()]);
    assert_eq!(history.distance("v0.32.1", "v0.32.4").unwrap(), (3, 3));
    assert_eq!(heard.count("its history"), 1, "{:?}", heard.lines());
    assert_eq!(commits(&small), 4);
}

#[test]
fn a_release_fetched_after_the_history_does_not_cut_it() {
    let (mut small, _) = Small::with_releases();
    let (first, _) = upstream(&small, |_| {});
    first
        .history()
        .unwrap()
        .distance("v0.32.1", "main")
        .unwrap();
    let five = small.commit(&[("x", Some("x"))]);
    small.tag("v0.32.5", five);
    assert_eq!(
        revision(&upstream(&small, |_| {}).0, "0.32.5").commit,
        five.to_string()
    );
    let (offline, _) = upstream(&small, |settings| settings.offline = true);
    let history = offline.history().unwrap();
    assert_eq!(history.distance("v0.32.1", "v0.32.5").unwrap().0, 4);
}

#[test]
fn offline_takes_what_is_cached_and_nothing_else() {
    let (small, _) = Small::with_releases();
    let offline = |settings: &mut Settings| settings.offline = true;
    let error = refusal(&upstream(&small, offline).0, "0.32.4");
    assert!(
        error.to_string().contains("nothing of it is in the cache"),
        "{error}"
    );
    assert!(error.advice().unwrap().contains("--offline"));
    revision(&upstream(&small, |_| {}).0, "0.32.4");
    let (upstream, heard) = upstream(&small, |settings| {
        settings.offline = true;
        settings.git = "patchctl-no-such-git".into();
    });
    revision(&upstream, "0.32.4");
    revision(&upstream, "latest");
    assert_eq!(upstream.list().unwrap().releases, [Version::new(0, 32, 4)]);
    let error = refusal(&upstream, "0.32.1");
    assert!(error.to_string().contains("it has 0.32.4"), "{error}");
    assert!(heard.lines().is_empty(), "{:?}", heard.lines());
}

#[test]
fn a_cached_release_outlives_its_server_and_that_is_said() {
    let (small, _) = Small::with_releases();
    revision(&upstream(&small, |_| {}).0, "0.32.4");
    fs_err::rename(small.path(), small.scratch.path.join("gone")).unwrap();
    let (asking, heard) = upstream(&small, |_| {});
    revision(&asking, "0.32.4");
    assert_eq!(heard.count("note: 0.32.4 is taken from the cache"), 1);
    assert!(resolve(&asking, "latest").is_err());
    let (caching, heard) = upstream(&small, |settings| settings.prefer_cache = true);
    revision(&caching, "0.32.4");
    assert!(heard.lines().is_empty(), "{:?}", heard.lines());
}

#[test]
fn a_server_that_is_not_there_is_refused_with_gits_reason() {
    let scratch = Scratch::new();
    let url = format!("file://{}/none.git", scratch.path);
    let upstream = Upstream::new(
        vec![SourceSpec::GitUrl(url.clone())],
        Settings::new(scratch.path.join("cache")),
    );
    let error = refusal(&upstream, "0.32.4");
    assert!(
        error
            .to_string()
            .contains("does not appear to be a git repository")
            || error.to_string().contains("does not exist"),
        "{error}"
    );
    assert!(
        error
            .advice()
            .unwrap()
            .contains(&format!("git ls-remote {url}"))
    );
    assert!(
        !scratch.path.join("cache").exists(),
        "nothing is made for it"
    );
}

#[test]
fn without_git_the_error_says_what_to_install_and_paths_still_work() {
    let (small, _) = Small::with_releases();
    let without = |settings: &mut Settings| settings.git = "patchctl-no-such-git".into();
    let error = refusal(&upstream(&small, without).0, "0.32.4");
    assert!(
        error
            .to_string()
            .contains("no `patchctl-no-such-git` on PATH"),
        "{error}"
    );
    assert!(error.advice().unwrap().contains("install git"));
    assert!(resolve(&small.upstream_with(without), "0.32.4").is_ok());
}

/// A git that does what a script says.
#[cfg(unix)]
fn fake_git(scratch: &Scratch, script: &str) -> Utf8PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let path = scratch.path.join("fake-git");
    fs_err::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs_err::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path
}

#[cfg(unix)]
#[test]
fn a_server_that_never_answers_is_given_up_once_and_the_next_source_is_asked() {
    let (small, _) = Small::with_releases();
    let asked = small.scratch.path.join("asked");
    let silent = fake_git(
        &small.scratch,
        &format!("echo x >> {asked}; exec sleep 1000"),
    );
    let mut settings = Settings::new(small.scratch.path.join("cache"));
    settings.git = silent.into_string().into();
    settings.first_answer = Duration::from_millis(200);
    let order = vec![
        SourceSpec::GitUrl("https://example.invalid/mlx".into()),
        SourceSpec::GitPath(small.path().to_owned()),
    ];
    let upstream = Upstream::new(order, settings);
    for _ in 0..3 {
        let found = resolve(&upstream, "0.32.4").unwrap();
        assert_eq!(found.revision.source, "git");
        let [passed] = &found.passed_over[..] else {
            panic!("{:?}", found.passed_over)
        };
        assert!(
            passed.to_string().contains("no answer within 0.2 s"),
            "{passed}"
        );
    }
    assert_eq!(fs_err::read_to_string(asked).unwrap(), "x\n");
}

#[cfg(unix)]
#[test]
fn a_fetch_that_stands_still_is_given_up() {
    let (small, _) = Small::with_releases();
    let script =
        "case \"$*\" in *ls-remote*) exec git \"$@\";; esac; echo begun >&2; exec sleep 1000";
    let fake = fake_git(&small.scratch, script);
    let (upstream, _) = upstream(&small, |settings| {
        settings.git = fake.into_string().into();
        settings.stall = Duration::from_secs(2);
    });
    let error = refusal(&upstream, "0.32.4");
    assert!(
        error.to_string().contains("no answer within 2 s"),
        "{error}"
    );
}

#[test]
fn a_cache_that_cannot_be_made_is_named() {
    let (small, _) = Small::with_releases();
    let file = small.scratch.path.join("file");
    fs_err::write(&file, "x").unwrap();
    let (upstream, _) = upstream(&small, |settings| settings.cache = file.join("cache"));
    let error = refusal(&upstream, "0.32.4");
    assert_eq!(error.code(), "unwritable", "{error}");
    assert!(error.to_string().contains(file.as_str()), "{error}");
}

#[test]
fn a_damaged_repository_in_the_cache_is_named_as_what_to_remove() {
    let (small, _) = Small::with_releases();
    revision(&upstream(&small, |_| {}).0, "0.32.4");
    let cached = cached(&small);
    for entry in cached.join("objects/pack").read_dir_utf8().unwrap() {
        let path = entry.unwrap().into_path();
        fs_err::remove_file(&path).unwrap();
        fs_err::write(&path, "").unwrap();
    }
    let (upstream, _) = upstream(&small, |settings| settings.offline = true);
    let found = resolve(&upstream, "0.32.4");
    let Err(error) = found else {
        panic!("found {:?}", found.unwrap().revision)
    };
    let help = error.advice().unwrap();
    assert!(
        help.contains(&format!("remove {cached}")),
        "{error}\n{help}"
    );
}

#[test]
fn a_damaged_copy_in_the_cache_is_fetched_again() {
    let (small, [.., four]) = Small::with_releases();
    let blob = small.blob_of(four, FILE);
    let cache = small.scratch.path.join("cache");
    let upstream = || {
        Upstream::new(
            vec![SourceSpec::GitUrl(small.url())],
            Settings::new(&*cache),
        )
    };
    let copy = || {
        let mut all = cache.join("git").read_dir_utf8().unwrap();
        all.next().unwrap().unwrap().into_path()
    };
    let whole = |wanted: &str, damage: &str| {
        let found = resolve(&upstream(), wanted).unwrap();
        assert_eq!(found.revision.commit, four.to_string(), "{damage}");
        let read = found.source.read(&found.revision, FILE.into()).unwrap();
        assert_eq!(read.unwrap().id.as_str(), blob.to_string(), "{damage}");
    };
    whole("0.32.4", "none");
    let hex = four.to_string();
    let pack = || {
        let mut all = copy()
            .join("objects/pack")
            .read_dir_utf8()
            .unwrap()
            .flatten();
        all.find(|entry| entry.path().extension() == Some("pack"))
            .unwrap()
            .into_path()
    };
    let damages: [(&str, &dyn Fn()); 4] = [
        ("an empty reference", &|| {
            fs_err::write(copy().join("refs/tags/v0.32.4"), "").unwrap()
        }),
        ("an empty HEAD", &|| {
            fs_err::write(copy().join("HEAD"), "").unwrap()
        }),
        ("no objects", &|| {
            fs_err::remove_dir_all(copy().join("objects")).unwrap()
        }),
        ("a cut pack", &|| {
            let path = pack();
            let bytes = fs_err::read(&path).unwrap();
            fs_err::remove_file(&path).unwrap();
            fs_err::write(&path, &bytes[..bytes.len() / 2]).unwrap();
        }),
    ];
    for (name, damage) in damages {
        for wanted in ["0.32.4", &hex] {
            whole(wanted, "none");
            damage();
            whole(wanted, name);
        }
    }
}
