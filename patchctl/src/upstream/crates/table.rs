//! The table of the packages that carry releases. A row is believed only as far as its digests reach.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use semver::Version;
use serde::{Deserialize, Serialize};

/// One exact version of a package.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "package")]
pub struct Package {
    /// Its name on crates.io.
    pub name: String,
    /// The one version.
    pub version: Version,
    /// SHA-256 of its archive, in hex, as the index and every `Cargo.lock` have it.
    pub checksum: String,
}

/// A place in a package.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, deny_unknown_fields)]
#[schemars(rename = "place-in-package")]
pub enum Place {
    /// A folder of the package.
    Folder {
        /// Its path in the package.
        folder: String,
    },
    /// An archive in the package.
    Archive {
        /// Its path in the package; the name's end tells the format.
        archive: String,
        /// SHA-256 of the archive, in hex.
        sha256: String,
        /// The folder in the archive.
        root: String,
    },
}

/// A release that a package carries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "crate-release")]
pub struct CrateRelease {
    /// The release.
    pub release: Version,
    /// The commit that is said to be it. A package cannot prove that.
    pub commit: String,
    /// Git's id of the whole tree.
    pub tree: String,
    /// The package.
    pub package: Package,
    /// Where the tree lies in it.
    pub place: Place,
    /// Plain files that `cargo vendor` leaves out of a package's folder, with their blob ids, so that the tree's id
    /// can be proven for such a folder too.
    #[serde(default)]
    pub left_out: BTreeMap<String, String>,
}

/// The releases of MLX that packages carry, oldest first.
///
/// For 0.31.2 and 0.32.0 the tree ids are those of the tags `v0.31.2` and `v0.32.0` of MLX's repository. For 0.32.2
/// it was computed from the package, whose build script names the commit; its `device.cpp` is that of `v0.32.1`,
/// its `version.h` says 0.32.2, and 919 of its 943 files have contents that MLX's history to `v0.32.1-26` has too.
pub fn built_in() -> Vec<CrateRelease> {
    let mlxrs_sys = |release, commit: &str, tree: &str, version, checksum: &str, ignored: &str| {
        let left_out = [
            (".gitignore", ignored),
            (
                "docs/.gitignore",
                "fa80a135e6a052eaaf552e328ba083a0c6e2e9f8",
            ),
            (
                "mlx/distributed/jaccl/.gitignore",
                "ebf4281dc07b920ecb6cac515f64985801cdb608",
            ),
        ];
        CrateRelease {
            release,
            commit: commit.into(),
            tree: tree.into(),
            package: package("mlxrs-sys", version, checksum),
            place: Place::Folder {
                folder: "vendor/mlx".into(),
            },
            left_out: left_out
                .map(|(path, blob)| (path.into(), blob.into()))
                .into(),
        }
    };
    vec![
        mlxrs_sys(
            Version::new(0, 31, 2),
            "68cf2fddd8de5edd8ab3d926391772b2e2cedad8",
            "daeca1f087e8437eb1a00ed96876728a47e5923a",
            Version::new(0, 1, 0),
            "b920a0ec6f7ac8d01cfdd835b00156dad40de97cf3c0116eafeec118f316d7db",
            "1daaa46d126098a7ae38e579654bd3fd063a63d1",
        ),
        CrateRelease {
            release: Version::new(0, 32, 0),
            commit: "7a1d4f5c12ac82f4b4d0a6e71538d89ca0605247".into(),
            tree: "c83429ea4d8f99e07279244ba8e2783413f51115".into(),
            package: safemlx_sys(),
            place: Place::Archive {
                archive: "vendor/mlx-v0.32.0.tar.gz".into(),
                sha256: "8e74a0eb613861ce50c09402dd99dbc42b65a762e7fdd291caa39f611db978ec".into(),
                root: "mlx-0.32.0".into(),
            },
            left_out: BTreeMap::new(),
        },
        mlxrs_sys(
            Version::new(0, 32, 2),
            "1f8e74e3f12f31365464a6867c6579f0e9b29d85",
            "70648a0e39ecd8460c18e7d87ec28ebd140db9bb",
            Version::new(0, 2, 0),
            "ace6d5383b15cade95fbf8b7a10dfa5c4a84b3dcfa57abe012a5020208570f25",
            "161d8d67eb0a74bf05a399a7981afd2b28208dbf",
        ),
    ]
}

/// The built-in table and a repository's own rows, which win.
pub(in crate::upstream) fn rows(own: &[CrateRelease]) -> Vec<CrateRelease> {
    let mut rows = own.to_vec();
    for row in built_in() {
        if rows.iter().all(|own| own.release != row.release) {
            rows.push(row);
        }
    }
    rows.sort_by(|one, other| one.release.cmp(&other.release));
    rows
}

/// Carries MLX 0.32.0 and what its Metal build needs from elsewhere.
pub(super) fn safemlx_sys() -> Package {
    let checksum = "0462b11b888a73d4e2adba3814952fcae5a8e8fb80795d2bd7c22df0ee5e576b";
    package("safemlx-sys", Version::new(0, 2, 3), checksum)
}

fn package(name: &str, version: Version, checksum: &str) -> Package {
    Package {
        name: name.into(),
        version,
        checksum: checksum.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_whole_and_releases_unique() {
        let rows = built_in();
        let hex = |text: &str, digits: usize| {
            text.len() == digits && text.bytes().all(|byte| byte.is_ascii_hexdigit())
        };
        for row in &rows {
            assert!(
                hex(&row.commit, 40) && hex(&row.tree, 40),
                "{}",
                row.release
            );
            assert!(hex(&row.package.checksum, 64), "{}", row.release);
            assert!(row.left_out.values().all(|blob| hex(blob, 40)));
        }
        assert!(rows.is_sorted_by(|one, other| one.release < other.release));
    }

    #[test]
    fn row_is_read_from_yaml() {
        let row = |place: &str| {
            let text = format!(
                "release: 0.32.4\ncommit: c\ntree: t\npackage: {{name: p, version: 1.0.0, checksum: s}}\nplace: {place}\n"
            );
            let root = crate::yaml::tree("row.yaml".into(), text.as_bytes()).unwrap();
            <CrateRelease as serde::Deserialize>::deserialize(&root).map(|row| row.place)
        };
        assert_eq!(
            row("{folder: vendor/mlx}").unwrap(),
            Place::Folder {
                folder: "vendor/mlx".into()
            }
        );
        assert!(matches!(
            row("{archive: a.tar.gz, sha256: d, root: mlx}").unwrap(),
            Place::Archive { archive, .. } if archive == "a.tar.gz"
        ));
        assert!(row("{folder: vendor/mlx, sha256: d}").is_err());
    }
}
