//! What a guard costs, against its peers in the same run: a loop that does nothing else, a guard without a
//! budget (every machine but M1 to M4), a guard with one, and two guards nested.
//!
//! `cargo bench -p mlx-bridge`. A decode step takes milliseconds; these are nanoseconds.

use std::hint::black_box;
use std::time::Instant;

use mlx_bridge::{
    DecodeCommandBufferBudget, DecodeEnvironment, DecodePhase, InputBudget, Phases, Stepping,
    backend,
};

const SAMPLES: usize = 31;
const ITERATIONS: u32 = 20_000;

#[expect(clippy::print_stdout, reason = "a benchmark's result")]
fn main() {
    // `cargo test --benches` starts benchmarks too, without this argument: once over is enough then.
    let measuring = std::env::args().any(|argument| argument == "--bench");
    let (samples, iterations) = if measuring {
        (SAMPLES, ITERATIONS)
    } else {
        (1, 1)
    };

    let mut phases = Phases::new(&DecodeEnvironment::default());
    let DecodePhase::Pipelined(decode) = phases.decode(Stepping::Pipelined) else {
        return;
    };
    let enter = |budget| DecodeCommandBufferBudget::enter(black_box(&decode), black_box(budget));
    let some = InputBudget::new(1000);

    let nothing = || {
        black_box(());
    };
    let inactive = || {
        black_box(enter(None).is_active());
    };
    let active = || {
        black_box(enter(some).is_active());
    };
    let nested = || {
        let outer = enter(some);
        black_box(enter(some).is_active());
        black_box(outer.is_active());
    };
    let peers: [(&str, &dyn Fn()); 4] = [
        ("nothing", &nothing),
        ("guard without a budget", &inactive),
        ("guard with a budget", &active),
        ("two guards, nested", &nested),
    ];

    // A sample of each in turn, so that what else the machine does meets all of them alike.
    let mut times = peers.map(|_| Vec::with_capacity(samples));
    for _ in 0..samples {
        for ((_, work), times) in peers.iter().zip(&mut times) {
            times.push(nanoseconds_each(iterations, work));
        }
    }
    println!("backend {}, {samples} samples of {iterations}", backend());
    for ((name, _), mut times) in peers.iter().zip(times) {
        times.sort_by(f64::total_cmp);
        let (least, median) = (times[0], times[times.len() / 2]);
        println!("{name:<24} {median:>8.2} ns median {least:>8.2} ns least");
    }
}

/// The mean time of a call of `work`.
fn nanoseconds_each(iterations: u32, work: &dyn Fn()) -> f64 {
    let start = Instant::now();
    for _ in 0..iterations {
        work();
    }
    start.elapsed().as_secs_f64() * 1e9 / f64::from(iterations)
}
