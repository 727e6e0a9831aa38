//! Several sources, asked in order.

use patchctl::report::Exit;
use patchctl::upstream::{RevisionSpec, Settings, SourceSpec, Upstream};

use crate::small::{FILE, Scratch, Small, header, resolve, revision};

#[test]
fn the_first_source_that_has_it_is_taken_and_the_others_are_told() {
    let (old, _) = Small::with_releases();
    let (mut new, _) = Small::with_releases();
    let five = new.commit(&[("x", Some("x"))]);
    new.tag("v0.32.5", five);
    let order = vec![
        SourceSpec::GitPath(old.path().to_owned()),
        SourceSpec::GitPath(new.path().to_owned()),
    ];
    let upstream = Upstream::new(order, Settings::new(old.scratch.path.join("cache")));
    let found = resolve(&upstream, "0.32.5").unwrap();
    assert_eq!(found.revision.commit, five.to_string());
    assert_eq!(found.source.name(), format!("git:{}", new.path().as_str()));
    assert_eq!(found.passed_over.len(), 1);
    assert!(resolve(&upstream, "0.32.4").unwrap().passed_over.is_empty());
    let id = found
        .source
        .blob_id(&found.revision, FILE.into())
        .unwrap()
        .unwrap();
    assert!(upstream.read_blob(&id).is_some());
}

#[test]
fn when_none_has_it_each_says_what_it_has_or_why_it_cannot_be_reached() {
    let (small, _) = Small::with_releases();
    let scratch = Scratch::new();
    let folder = scratch.path.join("tree");
    fs_err::create_dir_all(folder.join("mlx")).unwrap();
    fs_err::write(folder.join("mlx/version.h"), header(1).1.unwrap()).unwrap();
    let missing = scratch.path.join("missing.git");
    let order = vec![
        SourceSpec::GitPath(missing.clone()),
        SourceSpec::GitPath(small.path().to_owned()),
        SourceSpec::Crates,
        SourceSpec::Directory(folder),
    ];
    let upstream = Upstream::new(order, Settings::new(scratch.path.join("cache")));
    let error = resolve(&upstream, "0.32.7").err().unwrap();
    let text = error.to_string();
    for part in [
        "no source has 0.32.7",
        missing.as_str(),
        "it has 0.32.4, 0.32.1",
        "crates has no 0.32.7 (it has 0.32.2, 0.32.0, 0.31.2)",
        "it has 0.32.1, by its mlx/version.h",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(error.advice().unwrap().contains("check the path"));
    assert_eq!(error.exit(), Exit::Surroundings);
}

#[test]
fn a_moved_tag_ends_the_search() {
    let (small, [_, two, ..]) = Small::with_releases();
    let mut settings = Settings::new(small.scratch.path.join("cache"));
    settings
        .known_commits
        .insert(semver::Version::new(0, 32, 4), two.to_string());
    let (other, _) = Small::with_releases();
    let order = vec![
        SourceSpec::GitPath(small.path().to_owned()),
        SourceSpec::GitPath(other.path().to_owned()),
    ];
    let error = resolve(&Upstream::new(order, settings), "0.32.4")
        .err()
        .unwrap();
    assert_eq!(error.code(), "tag-moved", "{error}");
    assert_eq!(error.exit(), Exit::Check);
    assert!(error.advice().is_some());
}

#[test]
fn a_pin_that_is_at_hand_needs_no_source_before_it() {
    let (small, [_, two, _, four]) = Small::with_releases();
    let unreachable = SourceSpec::GitUrl("file:///nowhere/mlx.git".into());
    let order = vec![unreachable, SourceSpec::GitPath(small.path().to_owned())];
    let cache = small.scratch.path.join("cache");
    let upstream = |known: &str, prefer_cache: bool| {
        let mut settings = Settings::new(&*cache);
        settings.prefer_cache = prefer_cache;
        let release = semver::Version::new(0, 32, 4);
        settings.known_commits.insert(release, known.to_owned());
        Upstream::new(order.clone(), settings)
    };
    let known = four.to_string();
    for wanted in ["0.32.4", &known] {
        let found = resolve(&upstream(&known, true), wanted).unwrap();
        assert_eq!(found.revision.commit, known);
        assert!(found.passed_over.is_empty());
        let asked = resolve(&upstream(&known, false), wanted).unwrap();
        assert_eq!(asked.passed_over.len(), 1);
    }
    // At hand is not enough where it is another commit than the lock's.
    let error = resolve(&upstream(&two.to_string(), true), "0.32.4").err();
    assert_eq!(error.unwrap().code(), "tag-moved");
}

#[test]
fn a_pin_without_a_commit_knows_nothing_that_could_have_moved() {
    let (small, [.., four]) = Small::with_releases();
    let mut settings = Settings::new(small.scratch.path.join("cache"));
    settings.prefer_cache = true;
    let release = semver::Version::new(0, 32, 4);
    settings.known_commits.insert(release, String::new());
    let order = vec![
        SourceSpec::GitPath(small.path().to_owned()),
        SourceSpec::Crates,
    ];
    let upstream = Upstream::new(order, settings);
    assert_eq!(revision(&upstream, "0.32.4").commit, four.to_string());
    let nothing = upstream.resolve(&RevisionSpec::Commit(String::new()));
    assert_eq!(nothing.err().unwrap().code(), "no-source");
}

#[test]
fn without_any_source_the_help_says_how_to_name_one() {
    let upstream = Upstream::new(Vec::new(), Settings::new("unused"));
    let error = resolve(&upstream, "latest").err().unwrap();
    assert!(error.advice().unwrap().contains("sources:"));
    assert!(upstream.history().is_none());
    assert!(upstream.list().is_err());
}

#[test]
fn releases_come_from_the_first_source_that_answers() {
    let (small, _) = Small::with_releases();
    let order = vec![
        SourceSpec::GitPath(small.scratch.path.join("missing")),
        SourceSpec::GitPath(small.path().to_owned()),
    ];
    let upstream = Upstream::new(order, Settings::new(small.scratch.path.join("cache")));
    assert_eq!(upstream.list().unwrap().releases.len(), 2);
    assert_eq!(revision(&upstream, "latest").described, "v0.32.4");
}

#[test]
fn latest_is_the_newest_of_all_sources() {
    let (old, _) = Small::with_releases();
    let (mut new, _) = Small::with_releases();
    let five = new.commit(&[("x", Some("x"))]);
    new.tag("v0.32.5", five);
    let cache = old.scratch.path.join("cache");
    let [old_source, new_source] =
        [&old, &new].map(|small| SourceSpec::GitPath(small.path().to_owned()));
    let missing = SourceSpec::GitPath(old.scratch.path.join("missing"));
    for order in [
        vec![old_source.clone(), new_source.clone(), missing.clone()],
        vec![missing, new_source, old_source.clone()],
    ] {
        let found = resolve(&Upstream::new(order, Settings::new(&*cache)), "latest").unwrap();
        assert_eq!(found.revision.described, "v0.32.5");
        assert_eq!(found.passed_over.len(), 1);
    }
}
