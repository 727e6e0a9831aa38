use std::io;

use super::*;

/// Prints the same whatever it is asked.
struct Prints(&'static str);

impl Runner for Prints {
    fn run(&self, _: &Invocation) -> io::Result<Finished> {
        Ok(Finished {
            code: Some(0),
            too_long: false,
            output: self.0.into(),
            errors: String::new(),
        })
    }
}

#[test]
fn an_old_compiler_is_named() {
    let error = Compiler::clang(&Prints("Debian clang version 14.0.6\nTarget: x\n")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "no clang 19 or later here (there is Debian clang version 14.0.6)"
    );
    assert!(error.is_not_run() && error.advice().unwrap().contains("apt-get install clang-19"));
    let fit = Compiler::clang(&Prints("Debian clang version 19.1.7 (3)\n")).unwrap();
    assert_eq!(fit.program, "clang++-19");
}

#[test]
fn a_program_that_does_not_end_is_ended() {
    let runner = System {
        path: "/usr/bin:/bin".into(),
        temporary: std::env::temp_dir().into(),
    };
    let finished = runner
        .run(&Invocation {
            program: "sh".to_owned(),
            arguments: vec!["-c".to_owned(), "echo said; exec sleep 1000".to_owned()],
            limit: std::time::Duration::from_millis(200),
            ..Invocation::default()
        })
        .unwrap();
    assert!(finished.too_long && finished.code.is_none());
}

#[test]
fn a_program_has_input_and_clean_environment() {
    let runner = System {
        path: "/usr/bin:/bin".into(),
        temporary: "/tmp".into(),
    };
    let finished = runner
        .run(&Invocation {
            program: "sh".to_owned(),
            arguments: vec![
                "-c".to_owned(),
                "cat; echo \"[$HOME$CARGO$GIVEN]\" >&2; exit 4".to_owned(),
            ],
            environment: vec![("GIVEN".to_owned(), "given".to_owned())],
            input: b"input".to_vec(),
            limit: std::time::Duration::from_secs(60),
        })
        .unwrap();
    assert_eq!(finished.output, b"input");
    assert_eq!((finished.code, &*finished.errors), (Some(4), "[given]\n"));
}
