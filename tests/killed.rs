//! A bump, or an apply, that is killed: the next command that writes finds the repository as it was before or
//! as it would have become, byte for byte, and nothing in between. So does one that runs beside another.

use std::fs;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use crate::support::files::{self, Files, Snapshot};
use crate::support::outcome::Outcome;
use crate::support::play::Player;
use crate::support::quill;

const BUMP: &str = "bump --mlx 1.1.0";

/// A command that writes, were there such a release. So it mends what it finds, and does no more.
pub const MEND: &str = "bump --mlx 9.9.9";

/// Ends the process, in a debug build, at the n-th step that has to survive a power cut.
const ABORT_AT: &str = "PATCHCTL_TEST_ABORT_AT";

/// The repository's files before and after a bump that nobody disturbs.
struct Bumped {
    quill: Player,
    old: Files,
    new: Files,
    took: Duration,
}

fn bumped() -> Bumped {
    let quill = quill::pinned();
    let old = files::read(&quill.scratch.root());
    let start = Instant::now();
    let outcome = quill.scratch.run(BUMP);
    let took = start.elapsed();
    assert_eq!(outcome.code, Some(0), "{outcome}");
    let new = committed(&quill);
    assert_ne!(committed_of(&old), new);
    Bumped {
        quill,
        old,
        new,
        took,
    }
}

impl Bumped {
    /// Puts the repository back to the state before.
    fn rewind(&self) {
        let root = self.quill.scratch.root();
        fs::remove_dir_all(&root).unwrap();
        files::write(&root, &self.old);
    }

    /// Runs a command that mends what a killed one left, and says whether the repository is then the new one.
    /// Anything but the old or the new is a failure.
    fn mended_to_the_new(&self, when: &str) -> bool {
        let outcome = self.quill.scratch.run(MEND);
        assert_eq!(outcome.code, Some(3), "{when}: {outcome}");
        let found = committed(&self.quill);
        let is_new = found == self.new;
        if !is_new {
            let old = committed_of(&self.old);
            let differing: Vec<_> = old
                .iter()
                .filter(|(path, bytes)| found.get(*path) != Some(bytes))
                .collect();
            assert!(
                found == old,
                "{when}: neither old nor new: {:?}, differing {differing:?}",
                found.keys()
            );
        }
        // What was mended stays so, and the bump can be done.
        let outcome = self.quill.scratch.run(BUMP);
        assert_eq!(outcome.code, Some(0), "{when}: {outcome}");
        assert_eq!(committed(&self.quill), self.new, "{when}");
        is_new
    }
}

/// All that git would see of the repository.
fn committed(quill: &Player) -> Files {
    committed_of(&files::read(&quill.scratch.root()))
}

fn committed_of(files: &Files) -> Files {
    let seen = files
        .iter()
        .filter(|(path, _)| !path.starts_with(".patchctl/"));
    seen.map(|(path, bytes)| (path.clone(), bytes.clone()))
        .collect()
}

fn aborting(quill: &Player, line: &str, step: u32) -> Outcome {
    quill.scratch.run_with(line, |command| {
        command.env(ABORT_AT, step.to_string());
    })
}

/// Xorshift, so that a failure can be repeated from the seed that it prints.
pub struct Random(u64);

impl Random {
    pub fn fresh() -> (Self, u64) {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let seed = now.map_or(1, |time| time.as_nanos() as u64 | 1);
        (Self(seed), seed)
    }

    pub fn from(seed: u64) -> Self {
        Self(seed | 1)
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit.max(1)
    }
}

/// How long to wait before a kill. What a command takes on this machine changes with what else runs there: a kill that
/// came too late shortens the wait, one that came in time lengthens it, so that both sides of the end are seen.
pub struct Patience {
    pub micros: u64,
    pub tried: u32,
    pub killed: u32,
}

impl Patience {
    pub fn of(took: Duration) -> Self {
        Self {
            micros: took.as_micros() as u64,
            tried: 0,
            killed: 0,
        }
    }

    /// Until `wanted` were killed; it fails where many more have ended before.
    fn wants_more(&self, wanted: u32) -> bool {
        assert!(
            self.tried < wanted * 5,
            "only {} of {} were killed before they ended",
            self.killed,
            self.tried
        );
        self.killed < wanted
    }

    pub fn saw(&mut self, status: ExitStatus) {
        self.tried += 1;
        let was_killed = status.code().is_none();
        self.killed += u32::from(was_killed);
        let step = (self.micros / 32).max(1);
        match was_killed {
            true => self.micros += step,
            false => self.micros = self.micros.saturating_sub(2 * step).max(1000),
        }
    }
}

#[test]
fn a_bump_killed_200_times_at_random_points_leaves_the_old_or_the_new_repository() {
    let bumped = bumped();
    let (mut random, seed) = Random::fresh();
    let mut patience = Patience::of(bumped.took);
    while patience.wants_more(200) {
        bumped.rewind();
        // Half of them anywhere, half where the writing is.
        let delay = match patience.tried % 2 {
            0 => random.below(patience.micros),
            _ => patience.micros * 3 / 4 + random.below(patience.micros / 4),
        };
        let mut child = bumped.quill.scratch.spawn(BUMP);
        std::thread::sleep(Duration::from_micros(delay));
        let _ = child.kill();
        patience.saw(child.wait().unwrap());
        let point = patience.tried;
        bumped.mended_to_the_new(&format!("seed {seed}, point {point}, after {delay} us"));
    }
}

#[test]
fn bump_is_whole_at_any_durable_step() {
    let bumped = bumped();
    let mut outcomes = Vec::new();
    for step in 1.. {
        assert!(step < 1000, "the bump never ends");
        bumped.rewind();
        let outcome = aborting(&bumped.quill, BUMP, step);
        if outcome.code == Some(0) {
            break;
        }
        assert_eq!(outcome.code, None, "step {step}: {outcome}");
        outcomes.push(bumped.mended_to_the_new(&format!("step {step}")));
    }
    assert!(
        outcomes.len() >= 4,
        "{} steps: the abort is not wired up",
        outcomes.len()
    );
    // The rename of lock.yaml decides: old before it, new from it on.
    assert!(outcomes.is_sorted(), "{outcomes:?}");
    assert!(
        outcomes.contains(&false) && outcomes.contains(&true),
        "{outcomes:?}"
    );
}

#[test]
fn reading_commands_tell_of_a_cut_off_bump() {
    let bumped = bumped();
    let mut told = 0;
    for step in 1.. {
        assert!(step < 1000, "the bump never ends");
        bumped.rewind();
        if aborting(&bumped.quill, BUMP, step).code == Some(0) {
            break;
        }
        let before = Snapshot::of(&bumped.quill.scratch.root());
        let outcome = bumped.quill.scratch.run("status --check");
        assert_eq!(
            before.differences(&Snapshot::of(&bumped.quill.scratch.root())),
            Vec::<String>::new()
        );
        if outcome.codes().contains("pending-transaction") {
            assert_eq!(outcome.code, Some(1), "{outcome}");
            told += 1;
        }
    }
    assert!(told >= 2, "told of {told}");
}

#[test]
fn an_apply_killed_100_times_at_random_points_is_finished_by_the_next_one() {
    let quill = quill::with_tree();
    let tree = quill.scratch.path("tree");
    let clean = files::read(&tree);
    let start = Instant::now();
    assert_eq!(quill.scratch.run("apply tree").code, Some(0));
    let mut patience = Patience::of(start.elapsed());
    let patched = files::read(&tree);
    assert_ne!(clean, patched);
    let (mut random, seed) = Random::fresh();
    while patience.wants_more(100) {
        fs::remove_dir_all(&tree).unwrap();
        files::write(&tree, &clean);
        let delay = random.below(patience.micros);
        let mut child = quill.scratch.spawn("apply tree");
        std::thread::sleep(Duration::from_micros(delay));
        let _ = child.kill();
        patience.saw(child.wait().unwrap());
        let point = patience.tried;
        let when = format!("seed {seed}, point {point}, after {delay} us");
        for (path, bytes) in files::read(&tree) {
            let known = [clean.get(&path), patched.get(&path)];
            let is_temporary = known == [None, None];
            assert!(
                is_temporary || known.contains(&Some(&bytes)),
                "{when}: {path} is half a file"
            );
        }
        let outcome = quill.scratch.run("apply tree");
        assert_eq!(outcome.code, Some(0), "{when}: {outcome}");
        assert_eq!(files::read(&tree), patched, "{when}");
    }
}

#[test]
fn two_bumps_at_once_leave_a_whole_repository() {
    let quill = quill::pinned();
    let before = files::read(&quill.scratch.path("overlays"));
    let bump = || quill.scratch.run("bump --mlx 1.1.0");
    let (first, second) = std::thread::scope(|scope| {
        let first = scope.spawn(bump);
        let second = scope.spawn(bump);
        (first.join().unwrap(), second.join().unwrap())
    });
    let ended = [first.code, second.code];
    assert!(ended.contains(&Some(0)), "{first}{second}");
    for outcome in [&first, &second] {
        // The other one waited, or was told who holds the lock.
        assert!([Some(0), Some(3)].contains(&outcome.code), "{outcome}");
    }
    let after = files::read(&quill.scratch.path("overlays"));
    let alone = quill::pinned();
    assert_eq!(alone.scratch.run("bump --mlx 1.1.0").code, Some(0));
    assert_ne!(before, after);
    assert_eq!(after, files::read(&alone.scratch.path("overlays")));
}
