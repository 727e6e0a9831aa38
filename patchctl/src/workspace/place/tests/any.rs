//! Whatever is in a file, a place in it is found as what stands there or not at all, and rewriting it changes
//! nothing else.

use proptest::prelude::*;

use super::*;

const WAYS: [&str; 6] = [
    "cmake: mlx, form: tag",
    "cmake-variable: T, form: tag",
    "toml: a.b, form: tag",
    "yaml: a.b, form: tag",
    "json: a.b, form: tag",
    "regex: '(v[0-9.]+)', form: tag",
];

fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "(f\\(|mlx |GIT_TAG |set\\(|T |v0\\.32\\.2|\\)|\\[\\[|\\]\\]|#|\"|'|\\\\)",
        "(a|b|=|: |\\{|\\}|\\[|\\]|\\.|,|\n|\r\n|  |\"a\": |\"b\": |'v1\\.0\\.0'|\"v1\\.0\\.0\")",
        "\\PC{0,2}",
    ];
    proptest::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
}

/// For each way: what opens the file, a line that holds the value at `@`, what a comment begins with, another line,
/// and what closes the file.
const FILES: [(&str, &str, &str, &str, &str, &str); 4] = [
    (
        "cmake: mlx, form: tag",
        "",
        "f(x NAME mlx GIT_TAG @)\n",
        "#",
        "g(\"mlx GIT_TAG v0.0.1 (\" [[)]] -D\"#\")\n",
        "",
    ),
    (
        "toml: a.b, form: tag",
        "[a]\n",
        "b = '@'\n",
        "#",
        "c = \"b = 'v0.0.1'\"\n",
        "[d]\nb = 'v0.0.1'\n",
    ),
    (
        "yaml: a.b, form: tag",
        "a:\n",
        "  b: \"@\"\n",
        " #",
        "  ä: \"b: 'v0.0.1'\"\n",
        "b: v0.0.1",
    ),
    (
        "json: a.b, form: tag",
        "{\"b\": \"v0.0.1\", \"a\": {\n",
        "\"b\": \"@\",\n",
        "",
        "\"ä\": \"\\\"b\\\": {\",\n",
        "\"c\": 1}}",
    ),
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn comments_and_other_lines_hide_no_value(
        file in 0..FILES.len(),
        comments in proptest::collection::vec("\\PC{0,12}", 0..4),
        after in any::<bool>(),
        windows in any::<bool>(),
    ) {
        let (way, open, line, sign, other, close) = FILES[file];
        let mut noise = String::new();
        for (index, comment) in comments.iter().enumerate() {
            // JSON has no comments, CMake's `#[[` begins another kind, and a key may be there once.
            if !sign.is_empty() && !comment.starts_with('[') {
                noise += &format!("{sign}{comment}\n");
            }
            if index == 0 {
                noise += other;
            }
        }
        let body = if after { format!("{line}{noise}") } else { format!("{noise}{line}") };
        let mut text = format!("{open}{body}{close}");
        if windows {
            text = text.replace('\n', "\r\n");
        }
        let place = place(way);
        for value in ["v0.32.2", "v12.34.56-rc.7"] {
            let text = text.replace('@', value);
            let found = find(&place, text.as_bytes());
            let found = found.map_err(|fault| TestCaseError::fail(format!("{} in {text:?}", fault.message)))?;
            prop_assert_eq!(found.value.as_str(), value);
            prop_assert_eq!(&text[found.range], value);
        }
    }

    #[test]
    fn any_value_is_found_in_place_or_not_at_all(text in text()) {
        for way in WAYS {
            let place = place(way);
            if let Ok(found) = find(&place, text.as_bytes()) {
                prop_assert_eq!(&text[found.range.clone()], found.value.as_str());
                let mut written = text.clone();
                written.replace_range(found.range.clone(), "v12.34.56-rc.7");
                let again = find(&place, written.as_bytes());
                // A narrow expression does not find what it does not match; all others do.
                if !way.starts_with("regex") {
                    let again = again.map_err(|fault| TestCaseError::fail(format!("{way}: {} in {written:?}", fault.message)))?;
                    prop_assert_eq!(again.value, "v12.34.56-rc.7");
                    prop_assert_eq!(again.range.start, found.range.start);
                }
            }
        }
    }
}
