//! A git repository on this machine.

use camino::Utf8Path;
use patchctl::upstream::{RevisionFrom, RevisionSpec};
use semver::Version;

use crate::small::{FILE, Small, git, header, refusal, resolve, revision, upstream_at};

#[test]
fn a_release_is_the_commit_of_its_tag_with_or_without_a_v() {
    let (small, [one, .., four]) = Small::with_releases();
    small.tag("0.32.3", one);
    let upstream = small.upstream();
    for text in ["0.32.4", "v0.32.4"] {
        let found = revision(&upstream, text);
        assert_eq!(found.commit, four.to_string());
        assert_eq!(found.commit_from, RevisionFrom::Git);
        assert_eq!(found.described, "v0.32.4");
        assert_eq!(found.release, Version::new(0, 32, 4));
        assert!(found.is_release && !found.moving);
        assert_eq!(found.source, "git", "no path of this machine");
    }
    let without = revision(&upstream, "v0.32.3");
    assert_eq!(
        (without.described.as_str(), without.commit),
        ("0.32.3", one.to_string())
    );
}

#[test]
fn an_annotated_tag_gives_its_commit_by_name_and_by_its_own_id() {
    let (small, [.., four]) = Small::with_releases();
    let tag = small.annotated_tag("v0.32.5", four);
    let upstream = small.upstream();
    assert_eq!(revision(&upstream, "0.32.5").commit, four.to_string());
    assert_eq!(
        revision(&upstream, &tag.to_string()).commit,
        four.to_string()
    );
}

#[test]
fn the_latest_release_is_never_a_pre_release() {
    let (mut small, [.., four]) = Small::with_releases();
    let next = small.commit(&[("x", Some("x"))]);
    small.tag("v0.33.0-rc1", next);
    small.tag("nightly", next);
    let upstream = small.upstream();
    assert_eq!(revision(&upstream, "latest").commit, four.to_string());
    assert_eq!(
        upstream.list().unwrap().releases,
        [Version::new(0, 32, 1), Version::new(0, 32, 4)]
    );
    let asked = revision(&upstream, "v0.33.0-rc1");
    assert_eq!(asked.commit, next.to_string());
    assert_eq!(asked.release, Version::parse("0.33.0-rc1").unwrap());
}

#[test]
fn a_branch_is_said_to_be_moving_and_described_like_git_does() {
    let (mut small, _) = Small::with_releases();
    let after = small.commit(&[("x", Some("x"))]);
    let after = small.commit_on("refs/heads/main", &[after], &[("x", Some("y"))]);
    let main = revision(&small.upstream(), "main");
    assert!(main.moving && !main.is_release);
    assert_eq!(main.commit, after.to_string());
    let own = small.describe("main");
    assert_eq!(main.described, own);
}

#[test]
fn the_description_is_gits_own_where_branches_were_merged_around_a_tag() {
    let mut small = Small::new();
    let root = small.commit(&[header(1)]);
    small.tag("v0.30.0", root);
    let side = small.commit_on("refs/heads/side", &[root], &[("side", Some("1"))]);
    let side = small.commit_on("refs/heads/side", &[side], &[("side", Some("2"))]);
    let main = small.commit(&[("main", Some("1"))]);
    small.tag("v0.31.0", main);
    let main = small.commit(&[("main", Some("2"))]);
    let merged = small.commit_on("refs/heads/main", &[main, side], &[("merged", Some("1"))]);
    let upstream = small.upstream();
    for commit in [side, main, merged] {
        let own = small.describe(&commit.to_string());
        assert_eq!(revision(&upstream, &commit.to_string()).described, own);
    }
}

#[test]
fn a_commit_takes_its_release_from_the_header_and_else_from_the_tag_before() {
    let (mut small, [_, two, three, _]) = Small::with_releases();
    let upstream = small.upstream();
    // The header was raised right after the tag.
    let found = revision(&upstream, &two.to_string()[..9]);
    assert_eq!(
        (found.commit.as_str(), &found.release),
        (two.to_string().as_str(), &Version::new(0, 32, 4))
    );
    assert_eq!(
        found.described,
        format!("v0.32.1-1-g{}", &two.to_string()[..7])
    );
    let without = small.commit_on("refs/heads/old", &[three], &[("mlx/version.h", None)]);
    let found = revision(&small.upstream(), &without.to_string());
    assert_eq!(found.release, Version::new(0, 32, 1));
}

#[test]
fn a_release_that_is_not_there_is_refused_with_what_there_is() {
    let (small, _) = Small::with_releases();
    let error = refusal(&small.upstream(), "0.32.9");
    assert_eq!(error.code(), "revision-not-there");
    assert!(
        error.to_string().ends_with("(it has 0.32.4, 0.32.1)"),
        "{error}"
    );
}

#[test]
fn a_moved_tag_is_an_alarm_with_both_commits() {
    let (small, [_, two, _, four]) = Small::with_releases();
    let upstream = small.upstream_with(|settings| {
        settings
            .known_commits
            .insert(Version::new(0, 32, 4), two.to_string());
    });
    let error = refusal(&upstream, "0.32.4");
    assert_eq!(error.code(), "tag-moved", "{error}");
    let text = error.to_string();
    assert!(
        text.contains(&two.to_string()) && text.contains(&four.to_string()),
        "{text}"
    );
    // By its id, the commit can be had all the same.
    assert_eq!(
        revision(&upstream, &four.to_string()).commit,
        four.to_string()
    );
}

#[test]
fn files_are_read_from_the_revision_and_not_from_a_checkout() {
    let (small, [one, ..]) = Small::with_releases();
    let upstream = small.upstream();
    let found = resolve(&upstream, "0.32.1").unwrap();
    let path = Utf8Path::new(FILE);
    let blob = found.source.read(&found.revision, path).unwrap().unwrap();
    assert_eq!(blob.bytes, b"int one;\n");
    assert_eq!(blob.id.as_str(), small.blob_of(one, FILE).to_string());
    assert_eq!(
        found.source.blob_id(&found.revision, path).unwrap(),
        Some(blob.id.clone())
    );
    assert_eq!(upstream.read_blob(&blob.id), Some(blob.bytes));
    for absent in ["mlx/none.cpp", "mlx", "mlx/version.h/x"] {
        assert_eq!(
            found.source.read(&found.revision, absent.into()).unwrap(),
            None,
            "{absent}"
        );
    }
    assert_eq!(
        found.source.paths(&found.revision).unwrap(),
        [FILE, "mlx/version.h"]
    );
}

#[test]
fn a_tree_is_written_whole() {
    let (small, _) = Small::with_releases();
    let found = resolve(&small.upstream(), "0.32.4").unwrap();
    let into = small.scratch.path.join("tree");
    found.source.materialise(&found.revision, &into).unwrap();
    let read = |path: &str| fs_err::read_to_string(into.join(path)).unwrap();
    assert_eq!(read(FILE), "int four;\n");
    assert_eq!(read("README.md"), "three\n");
    let error = found
        .source
        .materialise(&found.revision, &into)
        .unwrap_err();
    assert!(
        error.code() == "unwritable" && error.advice().is_some(),
        "{error}"
    );
}

#[test]
fn the_commits_that_touch_a_file_are_told_in_order() {
    let (mut small, [_, two, _, four]) = Small::with_releases();
    let gone = small.commit(&[(FILE, None)]);
    let upstream = small.upstream();
    let path = Utf8Path::new(FILE);
    let history = upstream.history().unwrap();
    let touching = history.touching("v0.32.1", "main", path).unwrap();
    let commits: Vec<_> = touching
        .iter()
        .map(|commit| commit.commit.clone())
        .collect();
    assert_eq!(commits, [two, four, gone].map(|id| id.to_string()));
    assert_eq!(touching[0].subject, "Change number 2");
    assert_eq!(touching[1].described, "v0.32.4");
    assert_eq!(touching[1].release, Version::new(0, 32, 4));
    assert_eq!(
        touching[1].blob.as_ref().map(|blob| blob.as_str()),
        Some(small.blob_of(four, FILE).to_string().as_str())
    );
    assert_eq!(touching[2].blob, None);
    assert_eq!(history.distance("v0.32.1", "0.32.4").unwrap(), (3, 3));
    assert!(
        history
            .touching("v0.32.4", "v0.32.4", path)
            .unwrap()
            .is_empty()
    );
    let error = history.touching("v0.1.0", "main", path).unwrap_err();
    assert!(error.to_string().contains("has no 0.1.0"), "{error}");
}

#[test]
fn a_merge_that_only_takes_over_one_side_does_not_touch_the_file() {
    let mut small = Small::new();
    let root = small.commit(&[(FILE, Some("int root;\n")), header(1)]);
    small.tag("v0.32.1", root);
    let side = small.commit_on("refs/heads/side", &[root], &[(FILE, Some("int side;\n"))]);
    let main = small.commit(&[("x", Some("x"))]);
    small.commit_on(
        "refs/heads/main",
        &[main, side],
        &[(FILE, Some("int side;\n"))],
    );
    let upstream = small.upstream();
    let touching = upstream
        .history()
        .unwrap()
        .touching("v0.32.1", "main", FILE.into())
        .unwrap();
    assert_eq!(touching.len(), 1);
    assert_eq!(touching[0].commit, side.to_string());
}

#[test]
fn a_clone_with_a_checkout_finds_tags_and_the_branches_of_origin() {
    let (mut small, [.., four]) = Small::with_releases();
    small.commit_on("refs/heads/next", &[four], &[("x", Some("x"))]);
    let clone = small.scratch.path.join("clone");
    git(&["clone", "-q", small.path().as_str(), clone.as_str()]);
    let upstream = upstream_at(&clone);
    assert_eq!(revision(&upstream, "0.32.4").commit, four.to_string());
    for name in ["next", "origin/next"] {
        assert!(revision(&upstream, name).moving);
    }
    // Inside a repository is not a repository: nothing is looked for upwards.
    let inside = upstream_at(&clone.join("mlx"));
    let error = refusal(&inside, "0.32.4");
    assert!(
        error.to_string().contains("no readable git repository"),
        "{error}"
    );
}

#[test]
fn a_worktree_of_another_repository_is_read() {
    let (small, [one, ..]) = Small::with_releases();
    let tree = small.scratch.path.join("worktree");
    git(&[
        "-C",
        small.path().as_str(),
        "worktree",
        "add",
        "-q",
        tree.as_str(),
        "v0.32.1",
    ]);
    let upstream = upstream_at(&tree);
    assert_eq!(revision(&upstream, "HEAD").commit, one.to_string());
    assert_eq!(revision(&upstream, "latest").described, "v0.32.4");
}

#[test]
fn a_link_in_a_tree_is_not_read_as_a_file() {
    let (mut small, _) = Small::with_releases();
    let blob = small.repository.blob(b"/etc/passwd").unwrap();
    let tree = {
        let head = small.repository.refname_to_id("refs/heads/main").unwrap();
        let before = small.repository.find_commit(head).unwrap().tree().unwrap();
        let mut update = git2::build::TreeUpdateBuilder::new();
        update.upsert("mlx/link.cpp", blob, git2::FileMode::Link);
        update.create_updated(&small.repository, &before).unwrap()
    };
    let commit = small.commit(&[]);
    let author = git2::Signature::now("Someone", "someone@example.com").unwrap();
    let parent = small.repository.find_commit(commit).unwrap();
    let linked = small
        .repository
        .commit(
            Some("refs/heads/main"),
            &author,
            &author,
            "a link",
            &small.repository.find_tree(tree).unwrap(),
            &[&parent],
        )
        .unwrap();
    let found = resolve(&small.upstream(), &linked.to_string()).unwrap();
    let error = found
        .source
        .read(&found.revision, "mlx/link.cpp".into())
        .unwrap_err();
    assert!(error.to_string().contains("symbolic link"), "{error}");
    let into = small.scratch.path.join("tree");
    let error = found
        .source
        .materialise(&found.revision, &into)
        .unwrap_err();
    assert!(error.to_string().contains("leads out"), "{error}");
    assert!(!into.exists());
}

#[test]
fn the_users_configuration_and_environment_change_nothing() {
    let (small, [.., four]) = Small::with_releases();
    // What git itself would obey: replaced objects, and a configuration of the repository that asks for line ends.
    let two = small.repository.refname_to_id("refs/tags/v0.32.1").unwrap();
    let replace = format!("refs/replace/{four}");
    small.repository.reference(&replace, two, true, "").unwrap();
    fs_err::write(
        small.path().join("config"),
        "[core]\n\tbare = true\n\tautocrlf = true\n\tabbrev = 40\n",
    )
    .unwrap();
    let found = resolve(&small.upstream(), "0.32.4").unwrap();
    let blob = found
        .source
        .read(&found.revision, FILE.into())
        .unwrap()
        .unwrap();
    assert_eq!(blob.bytes, b"int four;\n");
}

#[test]
fn many_threads_read_one_source() {
    let (small, _) = Small::with_releases();
    let upstream = small.upstream();
    let wanted: Vec<RevisionSpec> = ["0.32.1", "0.32.4"]
        .iter()
        .map(|text| text.parse().unwrap())
        .collect();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for found in upstream.resolve_all(&wanted) {
                    let found = found.unwrap();
                    let path = Utf8Path::new(FILE);
                    assert!(found.source.read(&found.revision, path).unwrap().is_some());
                }
            });
        }
    });
}
