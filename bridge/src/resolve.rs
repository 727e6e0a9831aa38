//! From environment and chip to the decode budget. Pure; [`process`](crate::decode_budget) caches it.

use std::ffi::{OsStr, OsString};
use std::fmt;

use crate::InputBudget;
use crate::environment::{DECODE_MB_PER_BUFFER, DecodeEnvironment};
use crate::hardware::{AppleGpu, gains_from_longer_buffers};

/// The decode budget and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecodeBudget {
    /// What to hold around pipelined decode; `None`: leave MLX's own limit.
    pub budget: Option<InputBudget>,
    /// Which rule decided.
    pub source: BudgetSource,
    /// Set when `MLXCEL_DECODE_MB_PER_BUFFER` was passed over because it cannot be read.
    pub unreadable: Option<UnreadableBudget>,
}

/// The rules, in order of precedence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BudgetSource {
    /// `MLX_MAX_MB_PER_BUFFER` is set, to whatever: the user pins both phases.
    PinnedForBothPhases,
    /// `MLXCEL_DECODE_MB_PER_BUFFER` is `0`, `off`, `false` or `no`.
    TurnedOff,
    /// `MLXCEL_DECODE_MB_PER_BUFFER` is a positive number.
    Chosen,
    /// Neither decided: 1000 on M1 to M4, none on all else.
    HardwareDefault,
}

/// A value of `MLXCEL_DECODE_MB_PER_BUFFER` that is neither a budget nor a word that turns it off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadableBudget {
    /// As it stands in the environment.
    pub value: OsString,
    /// What holds instead.
    pub instead: Option<InputBudget>,
}

impl fmt::Display for UnreadableBudget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{DECODE_MB_PER_BUFFER} is {:?}, which is neither a whole number from 1 to {} nor 0, off, false \
             or no; the hardware default holds: ",
            self.value,
            i32::MAX
        )?;
        match self.instead {
            Some(budget) => write!(f, "{budget}"),
            None => f.write_str("no decode budget"),
        }
    }
}

/// Decides on the decode budget.
///
/// `MLX_MAX_MB_PER_BUFFER`, present with any value, wins: no decode budget. Else
/// `MLXCEL_DECODE_MB_PER_BUFFER`, trimmed: empty, the hardware default; `0`, `off`, `false`, `no` in any
/// case, none; a positive number, that number, also where the hardware default is none; anything else, the
/// hardware default with [`DecodeBudget::unreadable`] set. `MLXCEL_FORCE_SYNC` has no say here: it keeps a
/// loop from being pipelined ([`Phases`](crate::Phases)), and only a pipelined loop can hold a budget.
///
/// `hardware` is `None` for a chip that is no known Apple GPU.
pub fn resolve_decode_budget(env: &DecodeEnvironment, hardware: Option<AppleGpu>) -> DecodeBudget {
    let decided = |budget, source| DecodeBudget {
        budget,
        source,
        unreadable: None,
    };
    if env.max_mb_per_buffer.is_some() {
        return decided(None, BudgetSource::PinnedForBothPhases);
    }
    let default = gains_from_longer_buffers(hardware).then_some(InputBudget::DECODE);
    let Some(value) = &env.decode_mb_per_buffer else {
        return decided(default, BudgetSource::HardwareDefault);
    };
    match Wish::read(value) {
        Wish::Nothing => decided(default, BudgetSource::HardwareDefault),
        Wish::Off => decided(None, BudgetSource::TurnedOff),
        Wish::Budget(budget) => decided(Some(budget), BudgetSource::Chosen),
        Wish::Unreadable => DecodeBudget {
            unreadable: Some(UnreadableBudget {
                value: value.clone(),
                instead: default,
            }),
            ..decided(default, BudgetSource::HardwareDefault)
        },
    }
}

/// What a value of `MLXCEL_DECODE_MB_PER_BUFFER` asks for.
enum Wish {
    Nothing,
    Off,
    Budget(InputBudget),
    Unreadable,
}

impl Wish {
    fn read(value: &OsStr) -> Self {
        let Some(text) = value.to_str().map(str::trim) else {
            return Self::Unreadable;
        };
        if text.is_empty() {
            return Self::Nothing;
        }
        if ["0", "off", "false", "no"]
            .iter()
            .any(|word| text.eq_ignore_ascii_case(word))
        {
            return Self::Off;
        }
        // A number too large for MLX's `int` is unreadable too: clipping it would hide the mistake.
        text.parse()
            .ok()
            .and_then(InputBudget::new)
            .map_or(Self::Unreadable, Self::Budget)
    }
}
