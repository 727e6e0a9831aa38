//! The override and the guard, through whatever backend is linked: with a real one the values come from the
//! patched MLX, with the stub they are 0, which proves nothing about a release.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;

use mlx_bridge::{
    DecodeCommandBufferBudget, DecodeEnvironment, DecodePhase, InputBudget, Phases,
    PipelinedDecode, Stepping, backend, mb_per_buffer_override, set_mb_per_buffer_override,
};

/// The override is the process's: one test at a time.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    let guard = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    set_mb_per_buffer_override(0);
    guard
}

/// Fails unless the override is `value`, or 0 on the stub.
#[track_caller]
fn assert_in_force(value: i32) {
    let expected = if backend().is_real() { value } else { 0 };
    assert_eq!(mb_per_buffer_override(), expected, "on {}", backend());
}

fn decoding(act: impl FnOnce(&PipelinedDecode<'_>)) {
    let mut phases = Phases::new(&DecodeEnvironment::default());
    let DecodePhase::Pipelined(decode) = phases.decode(Stepping::Pipelined) else {
        panic!("nothing forces this loop to be synchronous");
    };
    act(&decode);
}

fn enter<'d>(decode: &'d PipelinedDecode<'_>, budget: i32) -> DecodeCommandBufferBudget<'d> {
    DecodeCommandBufferBudget::enter(decode, InputBudget::new(budget))
}

#[test]
fn an_override_is_read_back_and_none_is_zero() {
    let _alone = alone();
    for (set, read) in [
        (1, 1),
        (1000, 1000),
        (i32::MAX, i32::MAX),
        (0, 0),
        (50, 50),
        (-1, 0),
        (50, 50),
        (i32::MIN, 0),
    ] {
        set_mb_per_buffer_override(set);
        assert_in_force(read);
    }
}

#[test]
fn an_override_set_on_one_thread_is_read_on_another() {
    let _alone = alone();
    set_mb_per_buffer_override(321);
    let seen = thread::spawn(mb_per_buffer_override).join().unwrap();
    assert_eq!(seen, mb_per_buffer_override());
    assert_in_force(321);
    set_mb_per_buffer_override(0);
}

#[test]
fn guards_nest_and_each_restores_what_it_found() {
    let _alone = alone();
    set_mb_per_buffer_override(50);
    decoding(|decode| {
        let outer = enter(decode, 1000);
        assert_in_force(1000);
        {
            let _inner = enter(decode, 400);
            assert_in_force(400);
        }
        assert_in_force(1000);
        drop(outer);
        assert_in_force(50);
    });
    set_mb_per_buffer_override(0);
}

#[test]
fn guards_dropped_out_of_order_leave_nothing_behind() {
    let _alone = alone();
    decoding(|decode| {
        let outer = enter(decode, 1000);
        let inner = enter(decode, 400);
        drop(outer);
        assert_in_force(400);
        drop(inner);
        assert_in_force(0);
    });
}

#[test]
fn a_guard_without_a_budget_does_nothing_and_says_so() {
    let _alone = alone();
    set_mb_per_buffer_override(50);
    decoding(|decode| {
        let guard = DecodeCommandBufferBudget::enter(decode, None);
        assert!(!guard.is_active());
        assert_in_force(50);
        // Nor when it goes: it has nothing to put back.
        set_mb_per_buffer_override(60);
        drop(guard);
        assert_in_force(60);
        assert!(enter(decode, 1).is_active());
    });
    set_mb_per_buffer_override(0);
}

#[test]
fn a_panic_in_a_decode_step_restores_what_was_found() {
    let _alone = alone();
    set_mb_per_buffer_override(50);
    let unwound = catch_unwind(AssertUnwindSafe(|| {
        decoding(|decode| {
            let _outer = enter(decode, 1000);
            let _inner = enter(decode, 400);
            panic!("a decode step fails");
        });
    }));
    assert!(unwound.is_err());
    assert_in_force(50);
    set_mb_per_buffer_override(0);
}

#[test]
fn guards_of_two_threads_that_cross_leave_nothing_behind() {
    let _alone = alone();
    // Each side waits for the other's word, and is told at once when the other has failed.
    let (first_says, to_second) = mpsc::channel();
    let (second_says, to_first) = mpsc::channel();
    thread::scope(|scope| {
        scope.spawn(move || {
            decoding(|decode| {
                let first = enter(decode, 1000);
                first_says.send("entered").unwrap();
                to_first.recv().unwrap();
                drop(first);
                assert_in_force(400);
                first_says.send("gone").unwrap();
            });
        });
        to_second.recv().unwrap();
        decoding(|decode| {
            let _second = enter(decode, 400);
            second_says.send("entered").unwrap();
            to_second.recv().unwrap();
            assert_in_force(400);
        });
    });
    assert_in_force(0);
}
