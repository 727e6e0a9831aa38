//! What is known of MLX's own history, checked on a git repository that `PATCHCTL_TEST_MLX_GIT` names.
//! Not run without it: MLX is not part of this repository.

use std::time::Instant;

use camino::Utf8Path;
use patchctl::upstream::{RevisionSpec, Settings, SourceSpec, Upstream};
use semver::Version;

const DEVICE: &str = "mlx/backend/metal/device.cpp";

fn mlx() -> (Upstream, tempfile::TempDir) {
    let path = std::env::var("PATCHCTL_TEST_MLX_GIT")
        .expect("set PATCHCTL_TEST_MLX_GIT to a git repository of MLX with its tags");
    let cache = tempfile::tempdir().unwrap();
    let root = camino::Utf8PathBuf::from_path_buf(cache.path().to_owned()).unwrap();
    let order = vec![SourceSpec::GitPath(path.into())];
    (Upstream::new(order, Settings::new(root)), cache)
}

#[test]
#[ignore = "not run: needs PATCHCTL_TEST_MLX_GIT"]
fn the_releases_with_an_input_budget_hold_seventeen_distinct_files() {
    let (upstream, _cache) = mlx();
    let begin = Instant::now();
    let wanted: Vec<_> = upstream
        .list()
        .unwrap()
        .releases
        .into_iter()
        .filter(|release| *release >= Version::new(0, 23, 0) && *release <= Version::new(0, 32, 1))
        .map(RevisionSpec::Release)
        .collect();
    assert_eq!(wanted.len(), 32);
    let mut blobs = std::collections::BTreeSet::new();
    for found in upstream.resolve_all(&wanted) {
        let found = found.unwrap();
        let id = found
            .source
            .blob_id(&found.revision, Utf8Path::new(DEVICE))
            .unwrap()
            .unwrap();
        blobs.insert(id);
    }
    assert_eq!(blobs.len(), 17);
    for blob in &blobs {
        assert_eq!(
            patchctl_apply::BlobId::of(&upstream.read_blob(blob).unwrap()),
            *blob
        );
    }
    println!("32 releases, 17 blobs: {:?}", begin.elapsed());
}

#[test]
#[ignore = "not run: needs PATCHCTL_TEST_MLX_GIT"]
fn forty_commits_since_v0_23_0_change_the_file() {
    let (upstream, _cache) = mlx();
    let begin = Instant::now();
    let touching = upstream
        .history()
        .unwrap()
        .touching("v0.23.0", "main", Utf8Path::new(DEVICE))
        .unwrap();
    println!("touching: {:?}", begin.elapsed());
    for commit in &touching {
        println!(
            "{} {} {} {}",
            &commit.commit[..9],
            commit.release,
            commit.described,
            commit.subject
        );
    }
    assert_eq!(touching.len(), 40);
    let begin = Instant::now();
    let main = upstream
        .resolve(&RevisionSpec::Name("main".into()))
        .unwrap()
        .revision;
    println!("{main:?} {:?}", begin.elapsed());
    assert!(main.moving && !main.is_release);
    let begin = Instant::now();
    println!(
        "{:?} {:?}",
        upstream.history().unwrap().distance("v0.32.0", "v0.32.1"),
        begin.elapsed()
    );
}
