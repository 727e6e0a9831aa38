//! Cuts C++ text into tokens, far enough to see that it is whole: literals and comments closed, no stray
//! characters. What matches against upstream's tokens is `cpp`'s business.

/// A token and where it begins, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token<'a> {
    pub(super) at: usize,
    pub(super) text: &'a str,
}

/// Why a text is not whole tokens, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NotTokens {
    pub(super) at: usize,
    pub(super) why: String,
}

/// The text's tokens; white space, comments and line continuations are none.
pub(super) fn tokens(text: &str) -> Result<Vec<Token<'_>>, NotTokens> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let length = if first.is_whitespace() {
            first.len_utf8()
        } else if rest.starts_with("\\\n") || rest.starts_with("\\\r\n") {
            rest.find('\n').map_or(rest.len(), |end| end + 1)
        } else if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some(comment) = rest.strip_prefix("/*") {
            match comment.find("*/") {
                Some(end) => end + 4,
                None => return fail(at, "a comment `/*` is not closed"),
            }
        } else {
            let length = token(rest).map_err(|why| NotTokens { at, why })?;
            let text = &rest[..length];
            found.push(Token { at, text });
            length
        };
        at += length;
    }
    Ok(found)
}

fn fail<T>(at: usize, why: &str) -> Result<T, NotTokens> {
    let why = why.to_owned();
    Err(NotTokens { at, why })
}

/// The length of the token that `rest` begins with.
fn token(rest: &str) -> Result<usize, String> {
    let first = rest.chars().next().unwrap_or(' ');
    if is_name(first) && !first.is_ascii_digit() {
        let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
        let prefix = &rest[..end];
        let quoted = &rest[end..];
        return match prefix {
            "R" | "LR" | "uR" | "UR" | "u8R" if quoted.starts_with('"') => {
                raw(quoted).map(|length| end + length)
            }
            "L" | "u" | "U" | "u8" if quoted.starts_with(['"', '\'']) => {
                literal(quoted).map(|length| end + length)
            }
            _ => Ok(end),
        };
    }
    let number = first.is_ascii_digit()
        || (first == '.' && rest[1..].starts_with(|c: char| c.is_ascii_digit()));
    if number {
        return Ok(number_length(rest));
    }
    match first {
        '"' | '\'' => literal(rest),
        '\\' => Err("a stray `\\`".to_owned()),
        _ if first.is_ascii_punctuation() && !matches!(first, '@' | '`') => Ok(1),
        _ => Err(format!("a stray `{first}`")),
    }
}

fn is_name(c: char) -> bool {
    c == '_' || c == '$' || c.is_alphanumeric()
}

/// A preprocessing number: `1'000`, `0x1p-3`, `1.5f`.
fn number_length(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let mut end = 1;
    while let Some(&byte) = bytes.get(end) {
        let sign =
            matches!(byte, b'+' | b'-') && matches!(bytes[end - 1], b'e' | b'E' | b'p' | b'P');
        let next_is_name = bytes.get(end + 1).is_some_and(u8::is_ascii_alphanumeric);
        let separator = byte == b'\'' && next_is_name;
        if !(byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'.' || sign || separator) {
            break;
        }
        end += 1;
    }
    end
}

fn literal(rest: &str) -> Result<usize, String> {
    let quote = rest.as_bytes()[0];
    let mut escaped = false;
    for (at, byte) in rest.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'\n' => break,
            _ if byte == quote => return Ok(at + 1),
            _ => {}
        }
    }
    let what = if quote == b'"' {
        "string"
    } else {
        "character literal"
    };
    Err(format!("a {what} is not closed"))
}

fn raw(rest: &str) -> Result<usize, String> {
    let open = rest.find('(').ok_or("a raw string has no `(`")?;
    let close = format!("){}\"", &rest[1..open]);
    match rest[open..].find(&close) {
        Some(end) => Ok(open + end + close.len()),
        None => Err(format!("a raw string is not closed with `{close}`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<&str> {
        tokens(text)
            .unwrap()
            .into_iter()
            .map(|token| token.text)
            .collect()
    }

    #[test]
    fn comments_and_white_space_are_no_tokens() {
        assert_eq!(texts("a /* b */ + // c\n d"), ["a", "+", "d"]);
        assert_eq!(texts(" \n// only\n"), Vec::<&str>::new());
    }

    #[test]
    fn literals_are_one_token_whatever_they_hold() {
        assert_eq!(
            texts(r#"f("a\"b // c", 'x', u8"d")"#),
            ["f", "(", r#""a\"b // c""#, ",", "'x'", ",", r#"u8"d""#, ")"]
        );
        assert_eq!(texts("R\"x(a\")y\" b)x\" c"), ["R\"x(a\")y\" b)x\"", "c"]);
        assert_eq!(texts("1'000 + 0x1p-3f .5"), ["1'000", "+", "0x1p-3f", ".5"]);
    }

    #[test]
    fn what_is_not_closed_is_named_with_its_place() {
        let why = |text| tokens(text).unwrap_err();
        assert_eq!(why("ab \"cd").at, 3);
        assert_eq!(why("ab \"cd").why, "a string is not closed");
        assert_eq!(why("'a\n'").why, "a character literal is not closed");
        assert_eq!(why("a /* b").why, "a comment `/*` is not closed");
        assert_eq!(
            why("R\"x(a)y\"").why,
            "a raw string is not closed with `)x\"`"
        );
        assert_eq!(why("a @ b").why, "a stray `@`");
        assert_eq!(why("a \\ b").at, 2);
    }
}
