//! Releases that are no pins, from the git repository that `PATCHCTL_TEST_MLX_GIT` names.

use crate::bench::Bench;

#[test]
#[ignore = "not run: needs clang 19 and PATCHCTL_TEST_MLX_GIT"]
fn every_scenario_passes_on_older_releases() {
    let bench = Bench::new();
    for release in ["0.29.4", "0.30.0", "0.30.6", "0.31.1"] {
        let tree = bench.tag(release);
        let built = bench.build(&tree, &tree.patched).unwrap();
        assert_eq!(
            bench.complaints(&built.program),
            (vec![], None),
            "{}",
            tree.release
        );
    }
}

#[test]
#[ignore = "not run: needs clang 19 and PATCHCTL_TEST_MLX_GIT"]
fn a_release_with_older_headers_is_not_run() {
    let bench = Bench::new();
    for release in ["0.23.0", "0.26.5", "0.29.3"] {
        let tree = bench.tag(release);
        let error = bench.build(&tree, &tree.patched).unwrap_err();
        assert!(error.is_not_run(), "{error}");
        assert!(error.to_string().contains("metal-cpp"), "{error}");
    }
}
