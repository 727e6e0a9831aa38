//! The exit status: every one that patchctl can end with, and nothing else decides one.
//!
//! A panic ends with 101 and is a bug, never a status.

use std::process::ExitCode;

/// The exit status. Documented for users in `docs/exit-status.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Exit {
    /// 0: all that was asked holds.
    #[default]
    Success,
    /// 1: a check failed or needs review. The report says which; nothing was written that claims otherwise.
    Check,
    /// 2: the command line or a YAML file is wrong, or an unsupported release was named alone. Asking
    /// again without a change gives the same.
    Usage,
    /// 3: the surroundings failed: network, missing tool, unreadable or unwritable file. Asking again
    /// elsewhere or later may work.
    Surroundings,
}

impl Exit {
    /// The number that the process ends with.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// Returns the status of a check that holds, or does not.
    pub fn of_check(holds: bool) -> Self {
        match holds {
            true => Self::Success,
            false => Self::Check,
        }
    }

    /// The one that counts when there are several causes: 2 before 3 before 1. What the user
    /// must change comes first, and a check's answer is worth nothing when its surroundings failed.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let graver = |exit: &Self| match exit {
            Self::Success => 0,
            Self::Check => 1,
            Self::Surroundings => 2,
            Self::Usage => 3,
        };
        std::cmp::max_by_key(other, self, graver)
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

#[cfg(test)]
mod tests {
    use super::Exit;

    #[test]
    fn of_several_statuses_2_3_1_0_counts() {
        let all = |causes: &[Exit]| causes.iter().copied().fold(Exit::Success, Exit::and);
        assert_eq!(all(&[]), Exit::Success);
        assert_eq!(all(&[Exit::Success, Exit::Check]), Exit::Check);
        assert_eq!(all(&[Exit::Check, Exit::Surroundings]), Exit::Surroundings);
        assert_eq!(
            all(&[Exit::Check, Exit::Usage, Exit::Surroundings]),
            Exit::Usage
        );
        assert_eq!(
            all(&[Exit::Usage, Exit::Surroundings, Exit::Success]),
            Exit::Usage
        );
    }

    #[test]
    fn the_numbers_are_0_to_3_in_order() {
        let all = [Exit::Success, Exit::Check, Exit::Usage, Exit::Surroundings];
        assert_eq!(all.map(Exit::code), [0, 1, 2, 3]);
    }
}
