use camino::Utf8Path;

use super::super::differential::Differential;
use super::super::drive::Why;
use super::super::sequence;
use super::*;

/// Upstream commits after each op; the patched program does not after an op with an output.
struct Toy;

impl Runner for Toy {
    fn run(&self, invocation: &Invocation) -> io::Result<Finished> {
        let mut output = String::new();
        let mut op = 0;
        for line in String::from_utf8_lossy(&invocation.input).lines() {
            let step: serde_json::Value = serde_json::from_str(line).unwrap();
            if let Some(name) = step.get("scenario") {
                output += &format!("{{\"scenario\":{name}}}\n");
                op = 0;
            } else if step["step"] == "op" {
                op += 1;
                if invocation.program == "upstream" || step.get("out").is_none() {
                    output += &format!(
                        r#"{{"commit":{{"phase":"default","on":"main","ops":[{op},{op}],"why":"asked"}}}}"#
                    );
                    output.push('\n');
                }
            }
        }
        prints(&output).run(invocation)
    }
}

#[test]
fn a_difference_is_cut_down_to_its_step() {
    let toy = |patched| Differential {
        upstream: Utf8Path::new("upstream"),
        patched: Utf8Path::new(patched),
        has_override: true,
        runner: &Toy,
        seed: 7,
        sequences: 20,
    };
    assert_eq!(toy("upstream").compare(), Ok(None));
    let difference = toy("patched").compare().unwrap().unwrap();
    assert_eq!(difference.steps.len(), 1, "{:?}", difference.steps);
    assert!(difference.steps[0].contains_key("out"));
    assert_eq!(difference.upstream.commits, [((1, 1), Why::Asked)]);
    assert!(difference.patched.commits.is_empty());
}

/// A program that ends at the first override, as the driver does where there is none to set.
struct WithoutOverride;

impl Runner for WithoutOverride {
    fn run(&self, invocation: &Invocation) -> io::Result<Finished> {
        let input = String::from_utf8_lossy(&invocation.input);
        assert!(!input.contains("\"override\""), "{input}");
        let settings = &invocation.environment;
        let budget = settings
            .iter()
            .any(|(name, _)| *name == "MLX_MAX_MB_PER_BUFFER");
        assert!(!budget, "there is nothing to compare it with");
        Toy.run(invocation)
    }
}

#[test]
fn a_tree_without_override_has_no_budgets() {
    let differential = Differential {
        upstream: Utf8Path::new("upstream"),
        patched: Utf8Path::new("patched"),
        has_override: false,
        runner: &WithoutOverride,
        seed: 7,
        sequences: 20,
    };
    assert!(differential.compare().unwrap().is_some());
}

#[test]
fn the_same_seed_makes_the_same_sequences() {
    let make = |seed| sequence::sequence(&mut sequence::Random::new(seed));
    assert_eq!(make(1), make(1));
    assert_ne!(make(1), make(2));
}
