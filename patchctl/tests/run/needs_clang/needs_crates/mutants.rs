//! How a fault in the repository's overlay is noticed. That all are, `ci/test` shows for the newest pin and `ci/nightly`
//! for each, with `verify --mutants`.

use patchctl::verify::mutants::{DROP_EDIT, Mutant, mutants};
use patchctl::verify::run::Diagnosis;

use crate::NEWEST;
use crate::bench::{Bench, Fate, altered, altered_overlay};

fn survivors(fates: &[Fate]) -> Vec<String> {
    let survived = fates.iter().filter(|fate| fate.detection.is_none());
    survived.map(Fate::line).collect()
}

#[test]
#[ignore = "not run: needs clang 19 and the registry"]
fn a_lost_read_and_a_lost_include_are_noticed() {
    let bench = Bench::new();
    let tree = bench.pin(NEWEST);
    let dropped = |place: &str| {
        let is_it = |mutant: &Mutant| mutant.place.ends_with(place) && mutant.operator == DROP_EDIT;
        let mut fates = bench.tried(&tree, is_it);
        assert_eq!(fates.len(), 1, "{fates:?}");
        fates.remove(0).detection.unwrap()
    };
    let read = dropped("commit-check.read");
    let scenario = read.scenario.as_deref().unwrap();
    let is_known = bench.scenarios.iter().any(|one| one.name == scenario);
    assert!(is_known, "{read:?}");
    let not_used = Diagnosis::NotUsed.to_string();
    let shown = read.how.contains("expected command buffers of") && read.how.contains(&not_used);
    assert!(read.check == "scenario" && shown, "{read:?}");
    assert_eq!(dropped("include.1").check, "own-code");
    assert_eq!(dropped("entry-points.1").check, "provided");
}

#[test]
#[ignore = "not run: needs clang 19 and the registry"]
fn a_mutant_leaves_nothing_behind() {
    let bench = Bench::new();
    let tree = bench.pin(NEWEST);
    bench.build(&tree, &tree.patched).unwrap();
    bench.build(&tree, &crate::bench::Files::new()).unwrap();
    let before = bench.objects();
    let files = altered(&tree.patched, "max_mb = budget;", "max_ops = budget;");
    assert_eq!(bench.build_apart(&tree, &files).compiled, 1);
    let is_one = |mutant: &Mutant| mutant.what.contains("`max_ops = budget`");
    let fates = bench.tried(&tree, is_one);
    assert_eq!(survivors(&fates), [""; 0]);
    assert_eq!(bench.objects(), before);
}

#[test]
#[ignore = "not run: needs clang 19 and the registry"]
fn code_that_nothing_needs_survives() {
    let bench = Bench::new();
    let overlay = altered_overlay(
        "max_mb = budget;\n",
        "max_mb = budget;\n                  if (max_mb < 0) {\n                    max_mb = 0;\n                  }\n",
    );
    let fates = bench.tried_of(&[overlay], &bench.pin(NEWEST), |texts, files| {
        let mut all = mutants(files, texts, &[]).unwrap();
        all.retain(|mutant| mutant.what.contains("max_mb = 0"));
        all
    });
    assert!(
        survivors(&fates)
            .iter()
            .any(|line| line.contains("`max_mb = 0;` is left out: SURVIVED")),
        "{fates:#?}"
    );
}

#[test]
#[ignore = "not run: needs clang 19 and the registry"]
fn a_mutant_that_does_not_end_is_given_up() {
    let bench = Bench::new();
    let overlay = altered_overlay("max_mb = budget;\n", "while (budget > 0) {}\n");
    // With the loop left out it would end: this is the overlay as it is.
    let fates = bench.tried_of(&[overlay], &bench.pin(NEWEST), |texts, files| {
        let mut all = mutants(files, texts, &[]).unwrap();
        all.truncate(1);
        all[0].files = files.to_vec();
        all
    });
    let detection = fates[0].detection.as_ref().unwrap();
    let hangs = detection
        .how
        .contains("the program did not end well: it hangs");
    assert!(detection.check == "scenario" && hangs, "{detection:?}");
}
