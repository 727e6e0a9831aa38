//! The complete table: every combination of the variables and every chip.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

use mlx_bridge::{
    AppleGpu, BudgetSource, DecodeEnvironment, DecodePhase, InputBudget, OpsLimit, Phases,
    Stepping, resolve_decode_budget, resolve_ops_limit,
};

/// What a value of `MLXCEL_DECODE_MB_PER_BUFFER` says.
#[derive(Clone, Copy, PartialEq)]
enum Says {
    Nothing,
    Off,
    Budget(i32),
    Unreadable,
}

const ABSENT: Option<&[u8]> = None;

/// Every value that any of the variables takes here, and what it says as a decode budget.
const VALUES: [(Option<&[u8]>, Says); 22] = [
    (ABSENT, Says::Nothing),
    (Some(b""), Says::Nothing),
    (Some(b" \t"), Says::Nothing),
    (Some(b"0"), Says::Off),
    (Some(b" 0 "), Says::Off),
    (Some(b"off"), Says::Off),
    (Some(b"FALSE"), Says::Off),
    (Some(b"No"), Says::Off),
    (Some(b" 400 "), Says::Budget(400)),
    (Some(b"1000"), Says::Budget(1000)),
    (Some(b"1"), Says::Budget(1)),
    (Some(b"2147483647"), Says::Budget(i32::MAX)),
    (Some(b"2147483648"), Says::Unreadable),
    (Some(b"4294967296"), Says::Unreadable),
    (Some(b"-5"), Says::Unreadable),
    (Some(b"00"), Says::Unreadable),
    (Some(b"1.5"), Says::Unreadable),
    (Some(b"x"), Says::Unreadable),
    (Some(b"4 00"), Says::Unreadable),
    (Some(b"400MB"), Says::Unreadable),
    (Some(b"on"), Says::Unreadable),
    (Some(b"4\xff0"), Says::Unreadable),
];

/// Chips as the system names them, and whether decode gains from long buffers there.
const CHIPS: [(Option<&str>, bool); 27] = [
    (Some("Apple M1"), true),
    (Some("Apple M1 Pro"), true),
    (Some("Apple M1 Max"), true),
    (Some("Apple M1 Ultra"), true),
    (Some("Apple M2"), true),
    (Some("Apple M2 Pro"), true),
    (Some("Apple M2 Max"), true),
    (Some("Apple M2 Ultra"), true),
    (Some("Apple M3"), true),
    (Some("Apple M3 Pro"), true),
    (Some("Apple M3 Max"), true),
    (Some("Apple M3 Ultra"), true),
    (Some("Apple M4"), true),
    (Some("Apple M4 Pro"), true),
    (Some("Apple M4 Max"), true),
    (Some("Apple M4 Ultra"), true),
    (Some("Apple M5"), false),
    (Some("Apple M5 Pro"), false),
    (Some("Apple M5 Max"), false),
    (Some("Apple M5 Ultra"), false),
    (Some("Apple M6"), false),
    (Some("Apple M14"), false),
    (Some("Apple A18 Pro"), false),
    (Some("Apple processor"), false),
    (Some("VirtualApple @ 2.50GHz"), false),
    (Some("Intel(R) Core(TM) i9-9980HK CPU @ 2.40GHz"), false),
    (None, false),
];

fn variable(value: Option<&[u8]>) -> Option<OsString> {
    value.map(|bytes| OsStr::from_bytes(bytes).to_owned())
}

fn chip(brand: Option<&str>) -> Option<AppleGpu> {
    AppleGpu::from_brand(brand?)
}

#[test]
fn the_decode_budget_follows_the_table_for_every_environment_and_chip() {
    let mut rows = 0;
    for (max_mb, _) in VALUES {
        for (decode, says) in VALUES {
            for (force_sync, _) in VALUES {
                let env = DecodeEnvironment {
                    max_mb_per_buffer: variable(max_mb),
                    decode_mb_per_buffer: variable(decode),
                    force_sync: variable(force_sync),
                    ..DecodeEnvironment::default()
                };
                for (brand, gains) in CHIPS {
                    let default = gains.then_some(1000);
                    let (budget, source, warns) = match says {
                        _ if max_mb.is_some() => (None, BudgetSource::PinnedForBothPhases, false),
                        Says::Nothing => (default, BudgetSource::HardwareDefault, false),
                        Says::Off => (None, BudgetSource::TurnedOff, false),
                        Says::Budget(budget) => (Some(budget), BudgetSource::Chosen, false),
                        Says::Unreadable => (default, BudgetSource::HardwareDefault, true),
                    };
                    let found = resolve_decode_budget(&env, chip(brand));
                    let row = format!("{env:?} on {brand:?}");
                    assert_eq!(found.budget.map(InputBudget::get), budget, "{row}");
                    assert_eq!(found.source, source, "{row}");
                    assert_eq!(found.unreadable.is_some(), warns, "{row}");
                    rows += 1;
                }
                assert_eq!(may_hold_a_budget(&env), force_sync.is_none(), "{env:?}");
            }
        }
    }
    assert_eq!(rows, 22 * 22 * 22 * 27);
}

fn may_hold_a_budget(env: &DecodeEnvironment) -> bool {
    let mut phases = Phases::new(env);
    assert!(
        matches!(
            phases.decode(Stepping::Synchronous),
            DecodePhase::Synchronous(_)
        ),
        "a synchronous step never may"
    );
    matches!(
        phases.decode(Stepping::Pipelined),
        DecodePhase::Pipelined(_)
    )
}

#[test]
fn the_ops_limit_is_raised_on_the_same_chips_unless_the_user_set_it() {
    for (max_ops, _) in VALUES {
        for (brand, gains) in CHIPS {
            // The budget's own variables have no say in it.
            for (other, _) in VALUES {
                let env = DecodeEnvironment {
                    max_ops_per_buffer: variable(max_ops),
                    max_mb_per_buffer: variable(other),
                    decode_mb_per_buffer: variable(other),
                    force_sync: variable(other),
                };
                let expected = match (max_ops, gains) {
                    (Some(_), _) => OpsLimit::UserSet,
                    (None, true) => OpsLimit::Raise,
                    (None, false) => OpsLimit::Leave,
                };
                assert_eq!(
                    resolve_ops_limit(&env, chip(brand)),
                    expected,
                    "{env:?} on {brand:?}"
                );
            }
        }
    }
}

#[test]
fn only_a_raised_ops_limit_sets_a_variable() {
    let raised = ("MLX_MAX_OPS_PER_BUFFER", "1000".to_owned());
    assert_eq!(OpsLimit::Raise.variable(), Some(raised));
    assert_eq!(OpsLimit::UserSet.variable(), None);
    assert_eq!(OpsLimit::Leave.variable(), None);
}

#[test]
fn the_warning_names_the_variable_its_value_and_what_holds_instead() {
    let env = DecodeEnvironment {
        decode_mb_per_buffer: Some("1.5".into()),
        ..DecodeEnvironment::default()
    };
    let on = |brand| {
        let found = resolve_decode_budget(&env, AppleGpu::from_brand(brand));
        found.unreadable.unwrap().to_string()
    };
    assert_eq!(
        on("Apple M1 Ultra"),
        "MLXCEL_DECODE_MB_PER_BUFFER is \"1.5\", which is neither a whole number from 1 to 2147483647 \
         nor 0, off, false or no; the hardware default holds: 1000"
    );
    assert!(on("Apple M5").ends_with("the hardware default holds: no decode budget"));
}
