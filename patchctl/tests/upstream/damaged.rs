//! Repositories that lack something, are damaged, or are none.

use semver::Version;

use crate::small::{FILE, Scratch, Small, git, header, refusal, resolve, revision, upstream_at};

#[test]
fn a_repository_without_commits_or_without_tags_says_so() {
    let mut small = Small::new();
    let error = refusal(&small.upstream(), "latest");
    assert!(error.to_string().contains("it has no commits"), "{error}");
    let one = small.commit(&[(FILE, Some("x"))]);
    let error = refusal(&small.upstream(), "0.32.1");
    assert!(
        error.to_string().contains("it has no release tags"),
        "{error}"
    );
    // No tag and no header: nothing says which releases' rules hold.
    let error = refusal(&small.upstream(), &one.to_string());
    assert!(error.to_string().contains("mlx/version.h"), "{error}");
    let two = small.commit(&[header(4)]);
    let found = revision(&small.upstream(), &two.to_string());
    assert_eq!(found.described, two.to_string()[..7]);
    assert_eq!(found.release, Version::new(0, 32, 4));
}

#[test]
fn a_shallow_clone_names_the_commit_that_its_history_lacks() {
    let (small, [.., four]) = Small::with_releases();
    let clone = small.scratch.path.join("shallow.git");
    git(&[
        "clone",
        "-q",
        "--bare",
        "--depth",
        "1",
        "--branch",
        "v0.32.4",
        &small.url(),
        clone.as_str(),
    ]);
    let upstream = upstream_at(&clone);
    let found = resolve(&upstream, "0.32.4").unwrap();
    assert_eq!(found.revision.commit, four.to_string());
    assert!(
        found
            .source
            .read(&found.revision, FILE.into())
            .unwrap()
            .is_some()
    );
    let error = refusal(&upstream, "0.32.1");
    assert!(error.to_string().contains("it has 0.32.4"), "{error}");
}

#[test]
fn a_history_that_is_cut_off_is_told_and_never_taken_for_the_whole() {
    let (mut small, [.., four]) = Small::with_releases();
    let head = small.commit(&[("x", Some("x"))]);
    let clone = small.scratch.path.join("shallow.git");
    git(&[
        "clone",
        "-q",
        "--bare",
        "--depth",
        "2",
        "--branch",
        "main",
        &small.url(),
        clone.as_str(),
    ]);
    git(&["-C", clone.as_str(), "tag", "-d", "v0.32.4"]);
    let upstream = upstream_at(&clone);
    // What needs no history is there.
    let main = revision(&upstream, "main");
    assert_eq!(main.described, head.to_string()[..7]);
    assert_eq!(main.release, Version::new(0, 32, 4));
    let history = upstream.history().unwrap();
    let (four, head) = (four.to_string(), head.to_string());
    assert!(
        history
            .touching(&four, &head, FILE.into())
            .unwrap()
            .is_empty()
    );
    // A release from before the cut is here too, alone: what lies between is not.
    let tag = "refs/tags/v0.32.1:refs/tags/v0.32.1";
    git(&[
        "-C",
        clone.as_str(),
        "fetch",
        "-q",
        "--depth",
        "1",
        "origin",
        tag,
    ]);
    let upstream = upstream_at(&clone);
    let history = upstream.history().unwrap();
    let error = history.touching("v0.32.1", &head, FILE.into()).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("a shallow clone, lacks the parents of commit"),
        "{error}"
    );
    assert!(error.advice().unwrap().contains("--unshallow"));
    assert!(history.distance("v0.32.1", &head).is_err());
}

#[test]
fn a_missing_blob_of_a_partial_clone_is_named() {
    let (small, [.., four]) = Small::with_releases();
    git(&[
        "-C",
        small.path().as_str(),
        "config",
        "uploadpack.allowFilter",
        "true",
    ]);
    let clone = small.scratch.path.join("partial.git");
    git(&[
        "clone",
        "-q",
        "--bare",
        "--filter=blob:none",
        &small.url(),
        clone.as_str(),
    ]);
    let upstream = upstream_at(&clone);
    let found = resolve(&upstream, "0.32.4").unwrap();
    let blob = small.blob_of(four, FILE).to_string();
    assert_eq!(
        found
            .source
            .blob_id(&found.revision, FILE.into())
            .unwrap()
            .unwrap()
            .as_str(),
        blob
    );
    let error = found.source.read(&found.revision, FILE.into()).unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains(&blob) && text.contains("a partial clone"),
        "{text}"
    );
    assert!(error.advice().unwrap().contains("fetch"));
}

#[test]
fn a_damaged_object_is_named_with_its_repository() {
    let (small, [.., four]) = Small::with_releases();
    let blob = small.blob_of(four, FILE);
    let file = small.object(blob);
    for damage in ["truncated", "altered", "empty"] {
        let whole = fs_err::read(&file).unwrap();
        let mut bytes = whole.clone();
        match damage {
            "truncated" => bytes.truncate(whole.len() / 2),
            "altered" => *bytes.last_mut().unwrap() ^= 0x55,
            _ => bytes.clear(),
        }
        let mut permissions = fs_err::metadata(&file).unwrap().permissions();
        #[expect(clippy::permissions_set_readonly_false, reason = "a scratch file")]
        permissions.set_readonly(false);
        fs_err::set_permissions(&file, permissions).unwrap();
        fs_err::write(&file, &bytes).unwrap();
        let found = resolve(&small.upstream(), "0.32.4").unwrap();
        let error = found.source.read(&found.revision, FILE.into()).unwrap_err();
        let text = error.to_string();
        assert!(text.contains(&blob.to_string()), "{damage}: {text}");
        assert!(text.contains(small.path().as_str()), "{damage}: {text}");
        assert!(error.advice().is_some(), "{damage}");
        fs_err::write(&file, &whole).unwrap();
    }
}

#[test]
fn a_damaged_reference_is_passed_over_until_it_is_asked_for() {
    let (small, _) = Small::with_releases();
    fs_err::write(small.path().join("refs/tags/v0.31.0"), "").unwrap();
    fs_err::write(
        small.path().join("refs/tags/v0.30.0"),
        "1234567890123456789012345678901234567890\n",
    )
    .unwrap();
    let upstream = small.upstream();
    assert_eq!(revision(&upstream, "latest").described, "v0.32.4");
    assert_eq!(revision(&upstream, "main").described, "v0.32.4");
    for text in ["0.31.0", "0.30.0"] {
        let error = refusal(&upstream, text);
        assert_eq!(error.code(), "source-unreachable", "{error}");
    }
}

#[test]
fn what_is_no_repository_is_refused_with_the_path() {
    let scratch = Scratch::new();
    let nothing = scratch.path.join("nothing");
    let folder = scratch.path.join("folder");
    fs_err::create_dir(&folder).unwrap();
    let file = scratch.path.join("file");
    fs_err::write(&file, "x").unwrap();
    let (small, _) = Small::with_releases();
    fs_err::write(small.path().join("config"), "[core\n").unwrap();
    for path in [nothing, folder, file, small.path().to_owned()] {
        let upstream = upstream_at(&path);
        let error = refusal(&upstream, "0.32.4");
        assert!(error.to_string().contains(path.as_str()), "{error}");
        assert!(error.advice().is_some());
    }
}
