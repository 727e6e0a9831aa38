//! The cached form, and what else a process does but once: a process for each environment.

use std::process::{Command, Output};
use std::sync::Barrier;
use std::thread;

use mlx_bridge::{
    AppleGpu, DECODE_MB_PER_BUFFER, DecodeEnvironment, FORCE_SYNC, InputBudget, MAX_MB_PER_BUFFER,
    MAX_OPS_PER_BUFFER, OpsLimit, decode_budget, decode_budget_or_warn, resolve_decode_budget,
};

/// Set for the children: the tests that change their process's environment do nothing in any other.
const CHILD: &str = "MLX_BRIDGE_TEST_CHILD";

/// Runs one of the tests below that wait to be children, with just these of our variables set.
fn child(test: &str, variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([
        "--exact",
        &format!("process_budget::{test}"),
        "--ignored",
        "--nocapture",
    ]);
    for name in [
        MAX_MB_PER_BUFFER,
        DECODE_MB_PER_BUFFER,
        MAX_OPS_PER_BUFFER,
        FORCE_SYNC,
    ] {
        command.env_remove(name);
    }
    command.env(CHILD, "1").envs(variables.iter().copied());
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    output
}

/// What a child found, from the line that it prints, and how often it warned.
fn found(output: &Output) -> (String, usize) {
    let out = String::from_utf8_lossy(&output.stdout);
    let err = String::from_utf8_lossy(&output.stderr);
    let budget = out
        .lines()
        .find_map(|line| Some(line.split_once("found: ")?.1));
    let warnings = err.matches("warning: MLXCEL_DECODE_MB_PER_BUFFER").count();
    (
        budget.expect("the child says what it found").to_owned(),
        warnings,
    )
}

/// The hardware default of the machine that runs this.
fn default_here() -> String {
    let env = DecodeEnvironment::default();
    shown(resolve_decode_budget(&env, AppleGpu::detect()).budget)
}

fn shown(budget: Option<InputBudget>) -> String {
    budget.map_or("none".to_owned(), |budget| budget.to_string())
}

#[test]
#[ignore = "a child of the tests below"]
fn child_asks_from_many_threads() {
    let start = Barrier::new(8);
    let answers: Vec<_> = thread::scope(|scope| {
        let asking: Vec<_> = (0..8)
            .map(|_| {
                scope.spawn(|| {
                    start.wait();
                    [decode_budget(), decode_budget()]
                })
            })
            .collect();
        asking.into_iter().flat_map(|t| t.join().unwrap()).collect()
    });
    assert!(answers.iter().all(|answer| *answer == answers[0]));
    println!("found: {}", shown(answers[0]));
}

/// Variables, the budget that they lead to, and the number of warnings.
type Row<'r> = (&'r [(&'r str, &'r str)], &'r str, usize);

#[test]
fn the_process_budget_is_the_resolved_one_and_warns_once_however_many_ask() {
    let default = default_here();
    let rows: [Row<'_>; 9] = [
        (&[], &default, 0),
        (&[(DECODE_MB_PER_BUFFER, "")], &default, 0),
        (&[(DECODE_MB_PER_BUFFER, " 400 ")], "400", 0),
        (&[(DECODE_MB_PER_BUFFER, "Off")], "none", 0),
        (&[(DECODE_MB_PER_BUFFER, "1.5")], &default, 1),
        (&[(DECODE_MB_PER_BUFFER, "4294967296")], &default, 1),
        (
            &[(DECODE_MB_PER_BUFFER, "400"), (FORCE_SYNC, "1")],
            "400",
            0,
        ),
        (
            &[(DECODE_MB_PER_BUFFER, "400"), (MAX_MB_PER_BUFFER, "")],
            "none",
            0,
        ),
        (
            &[(DECODE_MB_PER_BUFFER, "x"), (MAX_MB_PER_BUFFER, "50")],
            "none",
            0,
        ),
    ];
    for (variables, budget, warnings) in rows {
        let output = child("child_asks_from_many_threads", variables);
        assert_eq!(
            found(&output),
            (budget.to_owned(), warnings),
            "{variables:?}"
        );
    }
}

#[test]
#[ignore = "a child of the test below"]
fn child_changes_its_environment_after_the_first_question() {
    if std::env::var_os(CHILD).is_none() {
        return;
    }
    let mut warned = 0;
    let first = decode_budget_or_warn(|_| warned += 1);
    // SAFETY: the only test that this process runs, and it starts no thread.
    #[expect(unsafe_code, reason = "what is cached must not follow the environment")]
    unsafe {
        std::env::set_var(DECODE_MB_PER_BUFFER, "7");
        std::env::set_var(MAX_MB_PER_BUFFER, "7");
    }
    assert_eq!(decode_budget_or_warn(|_| warned += 1), first);
    assert_eq!(decode_budget(), first);
    println!("found: {} after {warned} warnings", shown(first));
}

#[test]
fn the_first_answer_stands_for_the_process_and_its_warning_goes_where_the_caller_said() {
    let child = |value| {
        let variables = [(DECODE_MB_PER_BUFFER, value)];
        found(&child(
            "child_changes_its_environment_after_the_first_question",
            &variables,
        ))
    };
    assert_eq!(child("400"), ("400 after 0 warnings".to_owned(), 0));
    assert_eq!(
        child("x"),
        (format!("{} after 1 warnings", default_here()), 0)
    );
}

#[test]
#[ignore = "a child of the test below"]
fn child_applies_an_ops_limit() {
    if std::env::var_os(CHILD).is_none() {
        return;
    }
    // SAFETY: the only test that this process runs, and it starts no thread.
    #[expect(
        unsafe_code,
        reason = "shown as a program does it, first thing in `main`"
    )]
    unsafe {
        OpsLimit::Raise.apply_to_process();
        OpsLimit::Leave.apply_to_process();
        OpsLimit::UserSet.apply_to_process();
    }
    let mut grandchild = Command::new("env");
    let seen = grandchild.output().unwrap();
    let seen = String::from_utf8_lossy(&seen.stdout);
    let limit = seen
        .lines()
        .find(|line| line.starts_with(MAX_OPS_PER_BUFFER));
    println!("found: {}", limit.unwrap_or("none"));
}

#[test]
fn the_ops_limit_reaches_the_c_environment_of_this_process_or_of_a_command() {
    let output = child("child_applies_an_ops_limit", &[]);
    assert_eq!(found(&output).0, "MLX_MAX_OPS_PER_BUFFER=1000");

    let mut command = Command::new("some-program");
    OpsLimit::Leave.apply_to_command(&mut command);
    OpsLimit::UserSet.apply_to_command(&mut command);
    assert_eq!(command.get_envs().count(), 0);
    OpsLimit::Raise.apply_to_command(&mut command);
    let set: Vec<_> = command.get_envs().collect();
    assert_eq!(set, [(MAX_OPS_PER_BUFFER.as_ref(), Some("1000".as_ref()))]);
}
