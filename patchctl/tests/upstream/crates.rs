//! The packages of the built-in table, brought by cargo from the registry.

use camino::{Utf8Path, Utf8PathBuf};
use patchctl::upstream::{
    FMT, JSON, METAL_CPP, RevisionFrom, RevisionSpec, Settings, SourceSpec, Upstream, built_in,
    unpacked,
};

fn scratch() -> (tempfile::TempDir, Utf8PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = Utf8PathBuf::from_path_buf(folder.path().to_owned()).unwrap();
    (folder, path)
}

#[test]
#[ignore = "not run: downloads packages of tens of megabytes"]
fn every_release_of_the_table_has_its_tree_and_is_at_hand_offline_afterwards() {
    let (_keep, cache) = scratch();
    let mut settings = Settings::new(cache.join("cache"));
    for offline in [false, true] {
        settings.offline = offline;
        // Without a cargo the second time: the cache alone must do.
        settings.cargo = if offline { "no-such-cargo" } else { "cargo" }.into();
        let upstream = Upstream::new(vec![SourceSpec::Crates], settings.clone());
        for row in built_in() {
            let begin = std::time::Instant::now();
            let found = upstream
                .resolve(&RevisionSpec::Release(row.release.clone()))
                .unwrap();
            let revision = &found.revision;
            assert_eq!(revision.commit, row.commit);
            assert_eq!(revision.commit_from, RevisionFrom::Table);
            assert_eq!(revision.tree.as_deref(), Some(row.tree.as_str()));
            let device = Utf8Path::new("mlx/backend/metal/device.cpp");
            let blob = found.source.read(revision, device).unwrap().unwrap();
            assert_eq!(upstream.read_blob(&blob.id).unwrap(), blob.bytes);
            let into = cache.join(format!("{}-{offline}", row.release));
            println!("{} {offline} {:?}", row.release, begin.elapsed());
            found.source.materialise(revision, &into).unwrap();
            println!("{} {offline} with tree {:?}", row.release, begin.elapsed());
            assert!(into.join(".gitignore").is_file());
            let paths = found.source.paths(revision).unwrap();
            assert!(
                paths.iter().all(|path| into.join(path).is_file()),
                "{}",
                paths.len()
            );
        }
    }
}

#[test]
#[ignore = "not run: downloads packages of tens of megabytes"]
fn what_a_metal_build_needs_is_unpacked_once() {
    let (_keep, cache) = scratch();
    let settings = Settings::new(cache);
    let holds = [
        (METAL_CPP, "Metal/Metal.hpp"),
        (FMT, "include/fmt/format.h"),
        (JSON, "include/nlohmann/json.hpp"),
    ];
    for (what, file) in holds {
        let folder = unpacked(&what, &settings).unwrap();
        assert!(folder.join(file).is_file(), "{folder}");
        let again = Settings {
            cargo: "no-such-cargo".into(),
            ..settings.clone()
        };
        assert_eq!(unpacked(&what, &again).unwrap(), folder);
    }
}
