//! The targets under libFuzzer, which clang's runtime library has: `ci/fuzz` compiles and links it.

#![allow(unsafe_code, reason = "libFuzzer is called, and calls, by C's rules")]

use std::env;
use std::ffi::{CString, c_char, c_int, c_uint};
use std::slice;
use std::sync::OnceLock;

use super::{Inputs, Random, mutated};

type Callback = extern "C" fn(*const u8, usize) -> c_int;

unsafe extern "C" {
    fn LLVMFuzzerRunDriver(
        count: *mut c_int,
        arguments: *mut *mut *mut c_char,
        callback: Callback,
    ) -> c_int;
}

static TARGET: OnceLock<Inputs> = OnceLock::new();

extern "C" fn one_input(data: *const u8, size: usize) -> c_int {
    // SAFETY: libFuzzer gives `size` bytes that live through this call.
    let input = unsafe { slice::from_raw_parts(data, size) };
    TARGET.get().map(|inputs| (inputs.target.run)(input));
    0
}

/// Takes the place of libFuzzer's own mutations, which know bytes only.
#[unsafe(no_mangle)]
extern "C" fn LLVMFuzzerCustomMutator(
    data: *mut u8,
    size: usize,
    room: usize,
    seed: c_uint,
) -> usize {
    // SAFETY: libFuzzer gives `room` bytes, of which the first `size` are the input, for this call alone.
    let input = unsafe { slice::from_raw_parts_mut(data, room) };
    let mut random = Random::new(seed.into());
    let base = match TARGET.get() {
        // libFuzzer begins with next to nothing.
        Some(inputs) if size < 2 => random.one_of(&inputs.seeds),
        _ => &input[..size],
    };
    let seeds = TARGET.get().map_or(&[][..], |inputs| &inputs.seeds);
    let mut new = mutated(base.to_vec(), seeds, &mut random);
    new.truncate(room);
    input[..new.len()].copy_from_slice(&new);
    new.len()
}

/// Does what `PATCHCTL_FUZZ_COVERAGE` says: a target, then libFuzzer's arguments.
#[test]
#[ignore = "run by ci/fuzz"]
fn coverage() {
    let words = env::var("PATCHCTL_FUZZ_COVERAGE").unwrap();
    let name = words.split_whitespace().next().unwrap_or_default();
    TARGET.get_or_init(|| Inputs::of(name, 0));
    let mut arguments: Vec<*mut c_char> = words
        .split_whitespace()
        .map(|word| CString::new(word).unwrap().into_raw())
        .collect();
    let mut count = arguments.len() as c_int;
    // SAFETY: the arguments live as long as the process, which libFuzzer ends.
    unsafe { LLVMFuzzerRunDriver(&mut count, &mut arguments.as_mut_ptr(), one_input) };
}
