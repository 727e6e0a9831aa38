//! How the decode budget is wired into loops that generate text: the four generate loops (streaming or with
//! statistics, from tokens or embeddings), a speculative loop, and a server's lookahead. The model is a toy,
//! the phases and guards are as in a real program.
//!
//! `cargo run -p mlx-bridge --example decode_loop`, perhaps with `MLXCEL_DECODE_MB_PER_BUFFER=400` or
//! `MLXCEL_FORCE_SYNC=1` in the environment.

#[path = "decode_loop/generate.rs"]
mod generate;
#[path = "decode_loop/server.rs"]
mod server;
#[path = "decode_loop/speculative.rs"]
mod speculative;
#[path = "decode_loop/toy.rs"]
mod toy;

use mlx_bridge::{AppleGpu, DecodeEnvironment, Phases, backend, decode_budget, resolve_ops_limit};
use toy::{Prompt, Toy};

const PROMPT: [u32; 3] = [5, 11, 17];
const TOKENS: usize = 6;

#[expect(clippy::print_stdout, reason = "the example's output")]
fn main() {
    let env = DecodeEnvironment::of_process();
    // The ops limit comes first: MLX reads its variable once, and no other thread runs yet.
    let ops = resolve_ops_limit(&env, AppleGpu::detect());
    // SAFETY: first thing in `main`, before any thread is started.
    #[expect(unsafe_code, reason = "setting a variable of this process")]
    unsafe {
        ops.apply_to_process();
    }
    let budget = decode_budget();
    let shown = budget.map_or("none".to_owned(), |budget| budget.to_string());
    println!(
        "backend {}, ops limit {ops:?}, decode budget {shown}",
        backend()
    );

    let tokens = Prompt::Tokens(&PROMPT);
    let embeddings = Prompt::Embeddings(&[0.5, 1.5]);
    let mut phases = Phases::new(&env);
    let mut run = |name, generate: &dyn Fn(&mut Toy, &mut Phases)| {
        let mut toy = Toy::default();
        generate(&mut toy, &mut phases);
        show(name, &toy);
    };
    run("streaming", &|toy, phases| {
        generate::streaming(toy, phases, budget, tokens, |_| {});
    });
    run("streaming, embeddings", &|toy, phases| {
        generate::streaming(toy, phases, budget, embeddings, |_| {});
    });
    run("statistics", &|toy, phases| {
        generate::with_statistics(toy, phases, budget, tokens);
    });
    run("statistics, embeddings", &|toy, phases| {
        generate::with_statistics(toy, phases, budget, embeddings);
    });
    run("speculative", &|toy, phases| {
        speculative::generate(toy, phases, budget, &PROMPT);
    });
    let mut server = server::Server::new(phases, budget);
    server.admit(&PROMPT);
    while server.tick() {}
    show("server", &server.toy);
}

#[expect(clippy::print_stdout, reason = "the example's output")]
fn show(name: &str, toy: &Toy) {
    println!("{name}");
    for row in toy.summary() {
        let held = if row.held { "budget held" } else { "no budget" };
        let (work, times, seen) = (row.work, row.times, row.seen);
        println!("  {work:<20} {times} x  {held:<11}  MLX reads override {seen}");
    }
}

#[cfg(test)]
#[path = "decode_loop/tests.rs"]
mod tests;
