//! Plain scalars. They are read by YAML 1.2's core schema (<https://yaml.org/spec/1.2.2/#103-core-schema>), so `on`,
//! `no` and `0.32.2` are text and `0.32` is a number. They are written only where no reader of YAML 1.1
//! (<https://yaml.org/type/>) or 1.2 can take them for anything but text.

use super::tree::Value;

/// The meaning of a scalar that stands without quotes.
pub(super) fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
        "true" | "True" | "TRUE" => return Value::Bool(true),
        "false" | "False" | "FALSE" => return Value::Bool(false),
        _ => {}
    }
    if let Some(whole) = whole(text) {
        return Value::Number(text.to_owned(), whole);
    }
    if is_fraction(text) {
        return Value::Number(text.to_owned(), None);
    }
    Value::Text(text.to_owned())
}

/// Returns true if `text` is a whole number, and which, where it fits.
fn whole(text: &str) -> Option<Option<i64>> {
    if let Some(hex) = text.strip_prefix("0x") {
        let digits = !hex.is_empty() && hex.bytes().all(|byte| byte.is_ascii_hexdigit());
        return digits.then(|| i64::from_str_radix(hex, 16).ok());
    }
    if let Some(octal) = text.strip_prefix("0o") {
        let digits = !octal.is_empty() && octal.bytes().all(|byte| (b'0'..=b'7').contains(&byte));
        return digits.then(|| i64::from_str_radix(octal, 8).ok());
    }
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let all_digits = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    all_digits.then(|| text.parse().ok())
}

fn is_fraction(text: &str) -> bool {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN") {
        return true;
    }
    let (mantissa, exponent) = match unsigned.find(['e', 'E']) {
        Some(at) => (&unsigned[..at], Some(&unsigned[at + 1..])),
        None => (unsigned, None),
    };
    let exponent_fits = exponent.is_none_or(|exponent| {
        let digits = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    });
    let mut digits = 0;
    let mut dots = 0;
    for byte in mantissa.bytes() {
        match byte {
            b'0'..=b'9' => digits += 1,
            b'.' => dots += 1,
            _ => return false,
        }
    }
    digits > 0 && dots <= 1 && exponent_fits
}

/// Words that some reader takes for a boolean, a null, a number or a merge, in lower case.
const WORDS: [&str; 16] = [
    "", "~", "null", "true", "false", "yes", "no", "on", "off", "y", "n", "inf", "nan", "infinity",
    "=", "<<",
];

/// Returns true if `text`, on one line, can stand without quotes in a block map or list.
pub(super) fn is_plain(text: &str) -> bool {
    let first = text.chars().next().unwrap_or(' ');
    let alone = matches!(
        text.as_bytes(),
        [b'?' | b':' | b'-'] | [b'?' | b':' | b'-', b' ', ..]
    );
    !" #,[]{}&*!|>'\"%@`".contains(first)
        && !alone
        && !text.starts_with("---")
        && !text.starts_with("...")
        && !text.ends_with([' ', ':'])
        && !text.contains(": ")
        && !text.contains(" #")
        && !is_ambiguous(text)
}

/// Returns true if some reader could take `text` for a number, a date, a boolean or a null.
fn is_ambiguous(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(&text);
    if WORDS.contains(&text.as_str())
        || WORDS.contains(&unsigned.strip_prefix('.').unwrap_or(unsigned))
    {
        return true;
    }
    let all = |text: &str, also: &str| {
        let fits = |c: char| c.is_ascii_digit() || also.contains(c);
        text.chars().all(fits)
    };
    // `0x1f`, `0o7`, `0b1`: as wide as hex digits, whichever it is.
    if let Some(digits) = unsigned
        .strip_prefix('0')
        .and_then(|it| it.strip_prefix(['x', 'o', 'b']))
    {
        return all(digits, "abcdef_");
    }
    // `2026-12-01`, and with a time behind it.
    let date: Vec<&str> = unsigned.splitn(3, '-').collect();
    if let [year, month, rest] = date.as_slice()
        && year.len() == 4
        && all(year, "")
        && (1..=2).contains(&month.len())
        && all(month, "")
        && rest.starts_with(|c: char| c.is_ascii_digit())
    {
        return true;
    }
    // `12:30:45` counts in sixties.
    if unsigned.contains(':') && all(unsigned, "_:.") {
        return true;
    }
    let (mantissa, exponent) = match unsigned.split_once('e') {
        Some((mantissa, exponent)) => (
            mantissa,
            exponent.strip_prefix(['-', '+']).unwrap_or(exponent),
        ),
        None => (unsigned, ""),
    };
    !mantissa.is_empty()
        && all(mantissa, "_,.")
        && mantissa.matches('.').count() <= 1
        && all(exponent, "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_readers_disagree_on_are_quoted() {
        for text in [
            "4e27245443257770",
            "1e999",
            "0x1F",
            "12:30:45",
            "~",
            "yes",
            "Off",
            ".inf",
            "-.INF",
            ".NaN",
            "1_000",
            "2026-12-01",
            "2026-1-1 10:00:00",
            "0o7",
            "017",
            "0b1",
            "1.",
            ".5",
            "+1",
            "-0x1",
            "=",
            "<<",
            "null",
            "",
            "1,000",
            "190:20:30.15",
            "1e",
            "y",
            "TRUE",
            ".",
        ] {
            assert!(!is_plain(text), "{text}");
        }
        for text in [
            "0.32.2",
            "68cf2fddd8de5edd8ab3d926391772b2e2cedad8",
            "106eabe0872746e1",
            "1f8e74e3",
            "v0.32.1-26-g846d176",
            "a::b() const",
            "patchctl 0.1.0",
            "-x",
            "linux-x86_64",
            "2026-x",
            "e",
            "none",
        ] {
            assert!(is_plain(text), "{text}");
        }
    }

    #[test]
    fn a_release_is_text_and_two_numbers_with_a_dot_are_a_number() {
        assert_eq!(plain("0.32.2"), Value::Text("0.32.2".into()));
        assert_eq!(plain("0.32"), Value::Number("0.32".into(), None));
        assert_eq!(plain("1"), Value::Number("1".into(), Some(1)));
        assert_eq!(plain("-0x1"), Value::Text("-0x1".into()));
        assert_eq!(plain("0x1F"), Value::Number("0x1F".into(), Some(31)));
        assert_eq!(plain("1e5"), Value::Number("1e5".into(), None));
        assert_eq!(plain("1e"), Value::Text("1e".into()));
        assert_eq!(plain("."), Value::Text(".".into()));
        assert_eq!(plain("1f8e74e3"), Value::Text("1f8e74e3".into()));
    }

    #[test]
    fn words_of_yaml_1_1_are_text() {
        for word in ["on", "off", "yes", "no", "y", "n"] {
            assert_eq!(plain(word), Value::Text(word.into()));
        }
        assert_eq!(plain("~"), Value::Null);
        assert_eq!(plain("True"), Value::Bool(true));
    }
}
