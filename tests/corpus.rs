//! The corpus: ways in which carrying a change has gone wrong, each a folder of small files that are played
//! through the real binary. `corpus/README.md` tells the form.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::support::case::Case;
use crate::support::play::{Player, play};

/// A test for each case, so that a failure has its name and they run side by side.
macro_rules! cases {
    ($(#[$kind:ident] $($name:ident)*;)*) => {
        $(mod $kind {
            $(#[test]
            fn $name() {
                super::$kind(stringify!($name));
            })*
        })*

        const REGISTERED: &[(&str, &[&str])] = &[
            $((stringify!($kind), &[$(stringify!($name)),*]),)*
        ];
    };
}

cases! {
    #[working]
    anchor_inside_a_named_if
    annotated_tag
    anonymous_namespace_last
    applied_twice
    bare_hunk_id
    brace_split_in_a_neighbour
    braced_default_arguments
    braces_in_macro_definitions
    braces_in_strings_and_comments
    byte_order_mark
    changed_body_merge_conflicts
    changed_body_second_locator_agrees
    class_members
    comment_belongs_to_the_function
    condition_that_forbids
    context_vanished
    crlf
    cuda_kernel
    digraph_condition
    export_macro_in_a_class_head
    export_macro_not_named
    file_deleted_and_rebuilt_elsewhere
    file_gone
    first_overlay_fails
    first_pin_needs_review
    formatter_bump
    function_duplicated_under_ifdef
    function_moved_to_another_class
    function_now_inside_an_if
    function_renamed
    function_split_over_an_if
    if_defined_for_ifdef
    include_gone
    include_inside_a_linkage_block
    include_moved_into_an_if
    include_still_needed
    include_there_already
    insert_after_an_unended_last_line
    insert_breaks_the_parse
    landed_upstream
    last_overlay_of_a_file_retired
    locators_disagree
    macro_word_changed
    macros_of_another_overlay
    metal_address_space_changed
    metal_kernel
    mixed_line_ends
    namespace_opened_twice
    near_identical_functions
    nested_namespaces_written_out
    nested_statement_and_expression
    nested_statement_not_asked_for
    new_variant_needs_review
    no_last_newline
    no_variant_fits
    one_hunk_of_an_overlay_fails
    one_of_two_files_fails
    overlay_over_two_files
    overlays_in_a_circle
    overload_with_a_signature
    overload_without_a_signature
    parse_errors_of_upstreams_own
    pattern_gone
    pin_moved_and_the_build_went_on
    read_lost_from_a_tree
    release_not_claimed
    replaced_line_is_listed
    replaced_line_without_a_reason
    retired_overlay
    reviewed_names_no_hunk
    shallow_clone_lacks_the_base
    statement_shares_its_line
    statement_twice
    sums_inputs_and_outputs
    tag_moved
    templates
    tree_inside_another_repository
    two_overlays_at_one_place
    two_overlays_in_declared_order
    two_overlays_in_declared_order_against_the_alphabet
    two_overlays_in_one_function
    two_variants_fit
    upstream_carries_a_marker
    upstream_fix_in_the_same_file
    user_git_configuration;

    #[failing]
    function_try_block;
}

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/corpus")
}

/// Test names are identifiers, folders have hyphens.
fn folder(kind: &str, name: &str) -> PathBuf {
    corpus().join(kind).join(name.replace('_', "-"))
}

fn read(kind: &str, name: &str) -> Case {
    Case::read(&folder(kind, name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn working(name: &str) {
    let case = read("working", name);
    assert!(case.right.is_none(), "`right` is for failing cases");
    if let Err(why) = play(&case, &case.steps) {
        panic!("{name}: {why}");
    }
}

fn failing(name: &str) {
    let case = read("failing", name);
    let right = case
        .steps_if_right()
        .expect("a failing case says what would be `right`");
    if play(&case, &right).is_ok() {
        panic!("{name} works: move it to working/, with `right` as its expectation");
    }
    if let Err(why) = play(&case, &case.steps) {
        panic!("{name} fails otherwise than it says: {why}");
    }
}

#[test]
fn every_case_is_registered_and_every_registered_case_is_there() {
    for (kind, names) in REGISTERED {
        let entries = fs::read_dir(corpus().join(kind)).into_iter().flatten();
        let there: BTreeSet<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        let registered: BTreeSet<String> = names.iter().map(|it| it.replace('_', "-")).collect();
        assert_eq!(there, registered, "{kind}");
    }
}

#[test]
fn every_report_that_needs_no_build_has_a_case() {
    let mut rows = BTreeSet::new();
    for (kind, names) in REGISTERED {
        rows.extend(names.iter().filter_map(|name| read(kind, name).row));
    }
    // 22 is about the bridge, which is built.
    let expected: BTreeSet<u32> = (1..=21).chain([23]).collect();
    assert_eq!(rows, expected);
}

#[test]
fn a_case_whose_expectation_is_wrong_fails() {
    let case = read("working", "near_identical_functions");
    let mut player = Player::new(case.clone());
    let wrong = |change: &dyn Fn(&mut crate::support::case::Expect)| {
        let mut steps = case.steps.clone();
        for step in &mut steps {
            if let crate::support::case::Step::Run { expect, .. } = step {
                change(expect);
            }
        }
        steps
    };
    let place = "quill/ops.cpp:1".to_owned().try_into().unwrap();
    let edit = "count-products/count.1".to_owned();
    assert!(player.steps(&wrong(&|expect| expect.exit = 1)).is_err());
    for change in [
        &|expect: &mut crate::support::case::Expect| expect.status = Some("failed".to_owned()),
        &|expect| expect.codes = Some(["no-such-code".to_owned()].into()),
        &|expect| expect.shows = vec!["no such text".to_owned()],
        &|expect| expect.says = vec!["no such text".to_owned()],
        &|expect| expect.lands = Some([].into()),
        &|expect| expect.lands = Some([(edit.clone(), Clone::clone(&place))].into()),
        &|expect| expect.order = Some(vec![]),
        &|expect| {
            expect.has = [("quill/ops.cpp".to_owned(), vec!["no such text".to_owned()])].into();
        },
    ] as [&dyn Fn(&mut crate::support::case::Expect); 8]
    {
        assert!(play(&case, &wrong(change)).is_err());
    }
}
