use std::sync::{Mutex, MutexGuard, PoisonError};

use mlx_bridge::{Backend, InputBudget, mb_per_buffer_override};

use super::*;

const BUDGET: i32 = 400;

/// The override is the process's, so with a real backend one test would see the other's.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn environment(force_sync: bool) -> DecodeEnvironment {
    DecodeEnvironment {
        force_sync: force_sync.then(|| "1".into()),
        ..DecodeEnvironment::default()
    }
}

/// Runs every loop; gives what was encoded and the tokens.
fn run_all(force_sync: bool) -> (Vec<toy::Encoded>, Vec<Vec<u32>>) {
    let budget = InputBudget::new(BUDGET);
    let mut phases = Phases::new(&environment(force_sync));
    let mut encoded = Vec::new();
    let mut tokens = Vec::new();
    for prompt in [Prompt::Tokens(&PROMPT), Prompt::Embeddings(&[0.5, 1.5])] {
        let mut toy = Toy::default();
        let mut streamed = Vec::new();
        generate::streaming(&mut toy, &mut phases, budget, prompt, |token| {
            streamed.push(token)
        });
        let (counted, ..) = generate::with_statistics(&mut toy, &mut phases, budget, prompt);
        assert_eq!(streamed, counted);
        encoded.extend_from_slice(toy.summary());
        tokens.push(streamed);
    }
    let mut toy = Toy::default();
    tokens.push(speculative::generate(
        &mut toy,
        &mut phases,
        budget,
        &PROMPT,
    ));
    encoded.extend_from_slice(toy.summary());
    let mut server = server::Server::new(phases, budget);
    server.admit(&PROMPT);
    while server.tick() {}
    encoded.extend_from_slice(server.toy.summary());
    (encoded, tokens)
}

#[test]
fn only_pipelined_decode_is_encoded_under_the_budget() {
    let _alone = alone();
    for force_sync in [false, true] {
        for row in run_all(force_sync).0 {
            let pipelined = [
                "pipelined step",
                "plain round",
                "lookahead prime",
                "lookahead tick",
            ]
            .contains(&row.work);
            assert_eq!(row.held, pipelined, "{row:?}");
            assert!(
                !(force_sync && pipelined),
                "{row:?} under MLXCEL_FORCE_SYNC"
            );
            let real = if backend() == Backend::Stub {
                0
            } else {
                BUDGET
            };
            assert_eq!(row.seen, if pipelined { real } else { 0 }, "{row:?}");
        }
        assert_eq!(mb_per_buffer_override(), 0);
    }
}

#[test]
fn every_loop_gives_the_tokens_of_its_synchronous_form() {
    let _alone = alone();
    assert_eq!(run_all(false).1, run_all(true).1);
}

#[test]
fn a_request_admitted_between_two_ticks_is_encoded_without_a_budget() {
    let _alone = alone();
    let mut server =
        server::Server::new(Phases::new(&environment(false)), InputBudget::new(BUDGET));
    server.admit(&PROMPT);
    server.tick();
    server.admit(&[3]);
    while server.tick() {}
    let held: Vec<_> = server
        .toy
        .summary()
        .iter()
        .map(|row| (row.work, row.times, row.held))
        .collect();
    assert_eq!(
        held,
        [
            ("prefill", 2, false),
            ("lookahead prime", 2, true),
            ("lookahead tick", TOKENS, true)
        ]
    );
}
