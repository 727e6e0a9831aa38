//! Values in CMake files.

use super::*;

const TAG: &str = "cmake: mlx, form: tag";
const VARIABLE: &str = "cmake-variable: MLX_TAG, form: tag";

const LISTS: &str = "\
cmake_minimum_required(VERSION 3.25)
# FetchContent_Declare(mlx GIT_TAG v0.0.1)
#[==[ FetchContent_Declare(mlx
  GIT_TAG v0.0.2) ]] ]==]
if((APPLE AND NOT (X)) OR Y) # a ( in a comment
  set(FLAGS -DX=\"a ) b\" \"c \\\" ( d\" [=[ ) ]] ]=])
endif()
FetchContent_Declare(
  fmt
  GIT_REPOSITORY https://github.com/fmtlib/fmt.git # )
  GIT_TAG 12.1.0)
FetchContent_Declare(
  mlx
  GIT_REPOSITORY https://github.com/ml-explore/mlx.git
  GIT_TAG v0.32.2 # the pin
  GIT_SHALLOW TRUE)
message(STATUS \"GIT_TAG v0.0.3 mlx\")
";

#[test]
fn the_tag_of_a_dependency_is_found() {
    assert_eq!(at(TAG, LISTS), "15:11 v0.32.2");
    assert_eq!(at("cmake: fmt, form: release", LISTS), "11:11 12.1.0");
}

#[test]
fn every_way_to_declare_a_dependency_is_known() {
    for text in [
        "FetchContent_Declare(MLX GIT_TAG v0.32.2)",
        "fetchcontent_declare(mlx GIT_TAG \"v0.32.2\" URL x)",
        "ExternalProject_Add(mlx GIT_TAG [[v0.32.2]])",
        "CPMAddPackage(NAME mlx GIT_TAG v0.32.2)",
        "FetchContent_Declare(mlx GIT_TAG#[[x]]v0.32.2)",
    ] {
        let value = found(TAG, text).unwrap();
        assert_eq!((value.value.as_str(), value.line), ("v0.32.2", 1), "{text}");
    }
}

#[test]
fn a_dependency_is_there_exactly_once() {
    assert_eq!(
        at(TAG, "FetchContent_Declare(mlx-c GIT_TAG v0.32.2)\n"),
        "-: there is no GIT_TAG of `mlx`"
    );
    assert_eq!(
        at(TAG, "FetchContent_Declare(mlx URL x)\n"),
        "-: there is no GIT_TAG of `mlx`"
    );
    assert_eq!(at(TAG, ""), "-: there is no GIT_TAG of `mlx`");
    let twice = "if(A)\nFetchContent_Declare(mlx GIT_TAG v0.32.2)\nelse()\nFetchContent_Declare(mlx GIT_TAG v0.32.2)\nendif()\n";
    assert_eq!(
        at(TAG, twice),
        "2: there are 2 of GIT_TAG of `mlx`, on lines 2, 4"
    );
}

#[test]
fn a_variable_as_tag_is_named() {
    let text = "set(MLX_TAG v0.32.2)\nFetchContent_Declare(mlx GIT_TAG ${MLX_TAG})\n";
    assert_eq!(at(TAG, text), "2: the value is `${MLX_TAG}`, a reference");
    assert_eq!(
        found(TAG, text).unwrap_err().help.as_deref(),
        Some("name the variable: `cmake-variable: MLX_TAG`")
    );
    assert_eq!(at(VARIABLE, text), "1:13 v0.32.2");
    let part = found(TAG, "F(mlx GIT_TAG v${V})").unwrap_err();
    assert_eq!(
        part.help.as_deref(),
        Some("name the place that holds the value itself")
    );
}

#[test]
fn a_variables_value_is_that_of_its_one_set() {
    assert_eq!(
        at(
            VARIABLE,
            "SET( MLX_TAG \"v0.32.2\" CACHE STRING \"the pin\" )"
        ),
        "1:15 v0.32.2"
    );
    assert_eq!(
        at(
            VARIABLE,
            "set(mlx_tag v0.32.1)\nset(MLX_TAG)\nunset(MLX_TAG x)\n"
        ),
        "-: there is no set(MLX_TAG …)"
    );
    assert_eq!(
        at(VARIABLE, "set(MLX_TAG v0.32.2)\nset(MLX_TAG v0.32.2)\n"),
        "1: there are 2 of set(MLX_TAG …), on lines 1, 2"
    );
    assert_eq!(
        at(VARIABLE, "set(MLX_TAG main)"),
        "1: the value is `main`, expected a tag such as `v0.32.2`"
    );
}

#[test]
fn a_file_that_is_no_cmake_is_refused() {
    assert_eq!(
        at(TAG, "\nset(A\n"),
        "3: the file does not parse: a command is not closed with `)`"
    );
    assert_eq!(
        at(TAG, "set(A \"b\n"),
        "1: the file does not parse: a quoted argument is not closed"
    );
    assert_eq!(
        at(TAG, "set(A [[b\n"),
        "1: the file does not parse: a bracket argument is not closed"
    );
    assert_eq!(
        at(TAG, "set A\n"),
        "1: the file does not parse: expected `(` behind a command's name"
    );
    assert_eq!(
        at(TAG, "set(A)\n)\n"),
        "2: the file does not parse: expected a command"
    );
    let fault = find(&place(TAG), b"set(A \xff)").unwrap_err();
    assert_eq!(fault.message, "the file is not UTF-8");
}
