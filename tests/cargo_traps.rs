//! cargo runs where the repository's configuration does not reach it.

use std::fs;
use std::path::{Path, PathBuf};

use crate::program::{Ran, ran};
use crate::support::locked::Repository;

/// Runs cargo, or patchctl that runs cargo, with the developer's toolchain and no registry.
fn with_toolchain(command: &mut assert_cmd::Command, home: &Path) {
    let real = std::env::var_os("HOME")
        .map(PathBuf::from)
        .unwrap_or_default();
    let rustup = std::env::var_os("RUSTUP_HOME").unwrap_or_else(|| real.join(".rustup").into());
    command.env("RUSTUP_HOME", rustup).env("CARGO_HOME", home);
}

#[cfg(unix)]
#[test]
fn cargo_obeys_no_configuration_of_the_repository() {
    use std::os::unix::fs::PermissionsExt;
    let repository = Repository::new();
    let sprung = repository.path("sprung");
    let trap = repository.path("trap.sh");
    let script = format!("#!/bin/sh\n: > {}\nexec \"$@\"\n", sprung.display());
    fs::write(&trap, script).unwrap();
    fs::set_permissions(&trap, fs::Permissions::from_mode(0o755)).unwrap();
    fs::create_dir(repository.path(".cargo")).unwrap();
    let config = format!("[build]\nrustc-wrapper = {trap:?}\n");
    fs::write(repository.path(".cargo/config.toml"), config).unwrap();
    let home = repository.dir.path().join("cargo-home");

    // The trap works: cargo itself, run there, springs it.
    let own = repository.path("own");
    fs::create_dir_all(own.join("src")).unwrap();
    fs::write(own.join("src/lib.rs"), "").unwrap();
    fs::write(
        own.join("Cargo.toml"),
        "[package]\nname = \"own\"\nversion = \"0.0.0\"\n[workspace]\n",
    )
    .unwrap();
    let mut cargo = assert_cmd::Command::new("cargo");
    with_toolchain(cargo.current_dir(&own).args(["check", "--offline"]), &home);
    let plain: Ran = ran(&mut cargo);
    assert!(sprung.exists(), "{plain:?}");
    fs::remove_file(&sprung).unwrap();

    let mut command = crate::program::patchctl(&repository.path(""));
    command
        .env("PATCHCTL_CACHE", repository.path("cache"))
        .args([
            "--offline",
            "--source",
            "crates",
            "verify",
            "--mlx",
            "0.31.2",
        ]);
    with_toolchain(&mut command, &home);
    let verified = ran(&mut command);
    // It got as far as cargo, which found no package.
    assert!(
        verified.stdout.contains("cargo cannot bring")
            || verified.stderr.contains("cargo cannot bring"),
        "{verified:?}"
    );
    assert!(!sprung.exists());
}
