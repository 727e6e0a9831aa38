use std::sync::Mutex;

use camino::Utf8Path;

use super::*;

#[test]
fn a_line_that_is_not_the_drivers_is_an_error() {
    let scenario = scenario(BUDGET);
    let observed = drive(
        Utf8Path::new("driver"),
        &[scenario],
        &prints("Metal device found\n"),
    );
    assert_eq!(
        observed.unwrap_err().to_string(),
        "the driver printed 'Metal device found', which is no line of its own"
    );
}

#[test]
fn one_process_serves_one_environment() {
    struct Counts(Mutex<Vec<Invocation>>);
    impl Runner for Counts {
        fn run(&self, invocation: &Invocation) -> io::Result<Finished> {
            self.0.lock().unwrap().push(invocation.clone());
            prints("").run(invocation)
        }
    }
    let plain = |name: &str, more: &str| {
        scenario(&format!(
            r#"{{"scenario":"{name}","why":"w","expect":{{}}{more}}}"#
        ))
    };
    let scenarios = [
        plain("a", ""),
        plain("b", ""),
        plain("c", r#","env":{"MLX_MAX_OPS_PER_BUFFER":"10"}"#),
        plain("d", r#","architecture":"applegpu_g16p""#),
    ];
    let counts = Counts(Mutex::default());
    drive(Utf8Path::new("driver"), &scenarios, &counts).unwrap();
    let calls = counts.0.into_inner().unwrap();
    let inputs: Vec<_> = calls
        .iter()
        .map(|call| String::from_utf8_lossy(&call.input).into_owned())
        .collect();
    assert_eq!(
        inputs,
        [
            "{\"scenario\":\"a\"}\n{\"scenario\":\"b\"}\n",
            "{\"scenario\":\"c\"}\n",
            "{\"scenario\":\"d\"}\n"
        ]
    );
    assert!(
        calls[1]
            .environment
            .contains(&("MLX_MAX_OPS_PER_BUFFER".to_owned(), "10".to_owned()))
    );
    assert!(
        calls[2]
            .environment
            .contains(&("MLX_METAL_GPU_ARCH".to_owned(), "applegpu_g16p".to_owned()))
    );
}
