//! Which pin a tree is of.

use patchctl_apply::PinChoice;
use patchctl_apply::tree::{Cause, Mode};

use crate::tree_case::{Case, locked, pin};

#[test]
fn the_pin_that_fits_the_tree_is_found_in_every_state_of_it() {
    let mut case = Case::new();
    let other = b"void wait();\n";
    let older = pin(
        "0.31.2",
        vec![locked("event.cpp", other, "budget/event.1", "int y;\n")],
    );
    case.lock.pins.insert(0, older);
    let chosen = |case: &Case| {
        case.lock
            .choose(PinChoice::Fitting, case.dir.path())
            .map(|pin| pin.release.clone())
    };
    assert_eq!(chosen(&case).unwrap(), "0.32.2");
    case.run(Mode::Apply).unwrap();
    assert_eq!(chosen(&case).unwrap(), "0.32.2");
    case.put("event.cpp", other);
    assert_eq!(chosen(&case).unwrap(), "0.31.2");

    case.put("event.cpp", b"");
    let error = chosen(&case).unwrap_err();
    assert_eq!(error.cause(), Cause::Content);
    let text = error.explained();
    assert!(
        text.contains("0.31.2: event.cpp: expected")
            && text.contains("0.32.2: event.cpp: expected"),
        "{text}"
    );
}

#[test]
fn of_pins_that_fit_alike_the_last_is_taken_and_of_unlike_ones_none() {
    let mut case = Case::new();
    let mut same = case.lock.pins[0].clone();
    same.release = "0.32.3".to_owned();
    case.lock.pins.push(same);
    let dir = case.dir.path().to_owned();
    assert_eq!(
        case.lock.choose(PinChoice::Fitting, &dir).unwrap().release,
        "0.32.3"
    );
    case.lock.pins[1].files.pop();
    let error = case.lock.choose(PinChoice::Fitting, &dir).unwrap_err();
    assert!(error.to_string().contains("0.32.2, 0.32.3"), "{error}");
    let error = case
        .lock
        .choose(PinChoice::Named("0.40.0"), &dir)
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "the lock has no pin 0.40.0, it has 0.32.2, 0.32.3"
    );
}

#[test]
fn a_pin_without_files_fits_no_tree() {
    let mut case = Case::new();
    case.lock.pins.push(pin("0.32.3", Vec::new()));
    let chosen = case
        .lock
        .choose(PinChoice::Fitting, case.dir.path())
        .unwrap();
    assert_eq!(chosen.release, "0.32.2");
    case.lock.pins.remove(0);
    assert!(
        case.lock
            .choose(PinChoice::Fitting, case.dir.path())
            .is_err()
    );
}

#[test]
fn a_commit_that_two_pins_begin_with_names_neither() {
    let mut case = Case::new();
    let mut other = pin("0.32.3", Vec::new());
    other.revision = "0322000f".to_owned();
    case.lock.pins.push(other);
    assert_eq!(case.lock.pin("0322000f").unwrap().release, "0.32.3");
    assert_eq!(case.lock.pin("03220000").unwrap().release, "0.32.2");
    assert_eq!(case.lock.pin("0322000"), None);
}
