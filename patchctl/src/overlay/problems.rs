//! Where the checks of a file put what they find.

use super::error::OverlayProblem;
use crate::yaml::Mark;

/// Problems with their places, in no order.
#[derive(Debug, Default)]
pub(super) struct Problems(Vec<(Mark, OverlayProblem)>);

impl Problems {
    pub(super) fn push(&mut self, mark: Mark, problem: OverlayProblem) {
        self.0.push((mark, problem));
    }

    pub(super) fn into_iter(self) -> impl Iterator<Item = (Mark, OverlayProblem)> {
        self.0.into_iter()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
