//! What a plain scalar means: YAML 1.2's core schema (<https://yaml.org/spec/1.2.2/#103-core-schema>).
//! So `on`, `no` and `0.32.2` are text, `0.32` is a number.

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

/// Whether `text` is a whole number, and which, where it fits.
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

#[cfg(test)]
mod tests {
    use super::*;

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
