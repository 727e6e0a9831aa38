//! Opens repositories with libgit2, whatever the user's configuration says and whoever owns them.

use std::sync::Once;

use camino::Utf8Path;
use git2::{ConfigLevel, ErrorClass, Repository, RepositoryOpenFlags};

/// The reason for which a repository cannot be opened.
pub(super) struct NotOpened {
    pub(super) why: String,
    pub(super) help: String,
}

/// Opens the repository at `path`, bare or not, and nothing above it.
pub(super) fn open(path: &Utf8Path) -> Result<Repository, NotOpened> {
    set_up();
    // Without a search upwards: a folder inside another repository must never be taken for that repository.
    let nothing: [&str; 0] = [];
    Repository::open_ext(path.as_std_path(), RepositoryOpenFlags::NO_SEARCH, nothing).map_err(
        |error| {
            let help = if !path.exists() {
                "check the path: nothing is there".to_owned()
            } else if error.message().contains("refstorage") {
                format!("it keeps its references in a form that is not read here: `git clone --bare --ref-format=files {path}`")
            } else if error.message().contains("objectformat") || error.message().contains("object format") {
                "repositories with SHA-256 ids are not read: MLX's ids are SHA-1".to_owned()
            } else if error.class() == ErrorClass::Config {
                format!("its own `config` file is damaged: look at {path}")
            } else {
                format!("{path} must be a git repository, bare or with a `.git`: try `git -C {path} fsck`")
            };
            NotOpened {
                why: format!("{path} is no readable git repository: {}", error.message()),
                help,
            }
        },
    )
}

/// Once a process, before the first repository: libgit2 keeps these in globals.
fn set_up() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let levels = [
            ConfigLevel::ProgramData,
            ConfigLevel::System,
            ConfigLevel::XDG,
            ConfigLevel::Global,
        ];
        for level in levels {
            // The user's configuration must change nothing. A failure leaves libgit2's default, which is harmless.
            #[expect(
                unsafe_code,
                reason = "libgit2's globals; `Once` runs this before any use and alone"
            )]
            let _ = unsafe { git2::opts::set_search_path(level, "") };
        }
        // Ownership is checked against configuration that runs programs (hooks, filters, fsmonitor). Objects are
        // read here and nothing is run, so a repository of another user, as in a container, is fine.
        #[expect(unsafe_code, reason = "as above")]
        let _ = unsafe { git2::opts::set_verify_owner_validation(false) };
        // A partial clone is readable; what it lacks is named when it is missed.
        #[expect(unsafe_code, reason = "as above")]
        let _ = unsafe { git2::opts::set_extensions(&["partialclone"]) };
    });
}
