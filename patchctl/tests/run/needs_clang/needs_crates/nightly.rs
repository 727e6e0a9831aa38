//! What takes minutes: the runtime and the overlay under sanitizers. They need clang's runtime libraries.

use patchctl::verify::run::Ended;

use crate::NEWEST;
use crate::bench::Bench;
use crate::exercise::exercise;

/// `PATCHCTL_TEST_SEQUENCES` says how many; the nightly job asks for 10,000.
fn sequences() -> usize {
    let wanted = std::env::var("PATCHCTL_TEST_SEQUENCES");
    wanted.map_or(200, |text| text.parse().expect("a number"))
}

fn has_no_finding(flags: &[&str], options: (&str, &str)) {
    let bench = Bench::new();
    let tree = bench.pin(NEWEST);
    let flags: Vec<String> = flags.iter().map(ToString::to_string).collect();
    let built = bench.build_with(&flags, &tree, &tree.patched).unwrap();
    let environment = [(options.0.to_owned(), options.1.to_owned())].into();
    let ended = exercise(&built.program, 1, sequences(), &environment, &bench.runner);
    if let Some(Ended::Badly { how, said }) = &ended {
        panic!("{how}\n{said}");
    }
    assert_eq!(ended, None);
}

#[test]
#[ignore = "not run: ci/nightly has the minutes, and clang 19 with its runtime libraries"]
fn address_sanitizer_has_no_finding() {
    let ignored = mlx_bridge_native::folder().join("host-metal/sanitizers.txt");
    let flags = [
        &*format!("-fsanitize-ignorelist={}", ignored.display()),
        "-fsanitize=address,undefined",
        "-fno-sanitize-recover=all",
        "-gline-tables-only",
    ];
    has_no_finding(&flags, ("ASAN_OPTIONS", "detect_stack_use_after_return=1"));
}

#[test]
#[ignore = "not run: ci/nightly has the minutes, and clang 19 with its runtime libraries"]
fn thread_sanitizer_has_no_finding() {
    let flags = ["-fsanitize=thread", "-gline-tables-only"];
    has_no_finding(
        &flags,
        ("TSAN_OPTIONS", "halt_on_error=1:second_deadlock_stack=1"),
    );
}
