//! The overlays of this repository on every MLX release since 0.23.0, from a git repository that has them.

use std::fs;
use std::path::Path;

use patchctl_apply::BlobId;
use semver::Version;

use crate::bump::{DEVICE, overlays};
use crate::support::outcome::Outcome;
use crate::support::scratch::Scratch;
use crate::support::upstream::git;

/// The first release with an input budget.
const FIRST: Version = Version::new(0, 23, 0);

/// The first release that has the method in `CommandEncoder`.
const MOVED: Version = Version::new(0, 31, 2);

/// These need the repository that `PATCHCTL_TEST_MLX_GIT` names.
mod needs_mlx_git {
    use super::*;

    fn mlx() -> String {
        std::env::var("PATCHCTL_TEST_MLX_GIT")
            .expect("PATCHCTL_TEST_MLX_GIT names a git repository with MLX's tags")
    }

    fn repository() -> Scratch {
        let mut scratch = Scratch::new();
        scratch.write_all("overlays", &overlays());
        scratch.set_source(Some(format!("git:{}", mlx())));
        scratch
    }

    fn tagged() -> Vec<Version> {
        let tags = git(Path::new(&mlx()), &["tag", "--list", "v0.*"]);
        let mut releases: Vec<Version> =
            tags.lines().map(|tag| tag[1..].parse().unwrap()).collect();
        releases.retain(|release| *release >= FIRST);
        releases.sort();
        assert!(releases.len() >= 32, "{releases:?}");
        releases
    }

    fn succeeds(scratch: &Scratch, line: &str) -> Outcome {
        let outcome = scratch.run(line);
        assert_eq!(outcome.code, Some(0), "{outcome}");
        assert_eq!(
            outcome.statuses(),
            ["passed".to_owned()].into(),
            "{outcome}"
        );
        outcome
    }

    #[test]
    #[ignore = "needs PATCHCTL_TEST_MLX_GIT, a git repository with MLX's tags"]
    fn every_release_since_0_23_0_is_verified_and_the_read_lands_in_the_method_that_decides() {
        let outcome = succeeds(
            &repository(),
            "verify --releases >=0.23.0 --level structure",
        );
        let json = outcome.json();
        let results = json["results"].as_array().unwrap();
        let releases: Vec<Version> = results
            .iter()
            .map(|it| it["release"].as_str().unwrap().parse().unwrap())
            .collect();
        assert_eq!(releases, tagged());
        for (release, result) in releases.iter().zip(results) {
            let method = match *release < MOVED {
                true => "Device::command_buffer_needs_commit",
                false => "CommandEncoder::needs_commit",
            };
            let landed = result["landed"].as_array().unwrap();
            let reads = landed.iter().map(|it| it.as_str().unwrap());
            let there = reads
                .filter(|it| it.contains("/commit-check.read:") && it.contains(method))
                .count();
            assert!(there == 1, "{release}: {landed:?}");
        }
    }

    #[test]
    #[ignore = "needs PATCHCTL_TEST_MLX_GIT, a git repository with MLX's tags"]
    fn the_branch_main_is_verified() {
        succeeds(&repository(), "verify --mlx main --level structure");
    }

    #[test]
    #[ignore = "needs PATCHCTL_TEST_MLX_GIT, a git repository with MLX's tags"]
    fn every_commit_since_0_23_0_that_changes_the_file_is_verified() {
        let range = "v0.23.0..main";
        let outcome = succeeds(
            &repository(),
            &format!("verify --commits {range} --level structure"),
        );
        let commits = git(Path::new(&mlx()), &["rev-list", range, "--", DEVICE]);
        let json = outcome.json();
        let mut found: Vec<&str> = json["results"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["revision"].as_str().unwrap())
            .collect();
        let mut wanted: Vec<&str> = commits.lines().collect();
        found.sort_unstable();
        wanted.sort_unstable();
        assert_eq!(found, wanted);
    }

    #[test]
    #[ignore = "needs PATCHCTL_TEST_MLX_GIT, a git repository with MLX's tags"]
    fn a_release_before_0_23_0_is_unsupported_and_no_conflict() {
        let scratch = repository();
        let alone = scratch.run("verify --mlx 0.22.1 --level structure");
        assert_eq!(alone.code, Some(2), "{alone}");
        assert_eq!(
            alone.statuses(),
            ["unsupported".to_owned()].into(),
            "{alone}"
        );
        let among = scratch.run("verify --releases >=0.21.0,<0.24.0 --level structure");
        assert_eq!(among.code, Some(0), "{among}");
        let both = ["passed".to_owned(), "unsupported".to_owned()];
        assert_eq!(among.statuses(), both.into(), "{among}");
    }

    #[test]
    #[ignore = "needs PATCHCTL_TEST_MLX_GIT, a git repository with MLX's tags"]
    fn on_every_release_the_overlay_goes_on_once_and_comes_off_without_a_trace() {
        let scratch = repository();
        for release in tagged() {
            succeeds(&scratch, &format!("bump --level structure --mlx {release}"));
            let at = format!("v{release}:{DEVICE}");
            let blob = git(Path::new(&mlx()), &["rev-parse", &at]);
            let object = git2::Repository::open_bare(mlx()).unwrap();
            let object = object
                .find_blob(git2::Oid::from_str(&blob).unwrap())
                .unwrap();
            let file = scratch.path("tree").join(DEVICE);
            scratch.write(&format!("tree/{DEVICE}"), object.content());
            succeeds(&scratch, &format!("apply tree --mlx {release}"));
            let patched = fs::read(&file).unwrap();
            succeeds(&scratch, &format!("apply tree --mlx {release}"));
            assert!(fs::read(&file).unwrap() == patched, "{release}");
            let reading = crate::support::patched::read(&patched).unwrap();
            assert_eq!(BlobId::of(&reading.upstream).as_str(), blob, "{release}");
            succeeds(&scratch, &format!("apply tree --remove --mlx {release}"));
            assert_eq!(
                BlobId::of(&fs::read(&file).unwrap()).as_str(),
                blob,
                "{release}"
            );
        }
    }
}
