//! The release that a tree itself claims, in `mlx/version.h`.

use semver::Version;

/// The header, from the tree's root. MLX has it since v0.23.2 and raises it right after a tag.
pub(super) const VERSION_HEADER: &str = "mlx/version.h";

/// Reads `#define MLX_VERSION_MAJOR 0` and its like, or the form with one string,
/// `#define MLX_VERSION "0.32.4"`. `None` where neither is whole.
pub(super) fn release_in_header(text: &[u8]) -> Option<Version> {
    let text = String::from_utf8_lossy(text);
    let mut numbers = [None; 3];
    let mut whole = None;
    for line in text.lines() {
        let mut words = line.trim_start_matches('\u{feff}').split_whitespace();
        let name = match words.next() {
            Some("#define") => words.next(),
            Some("#") if words.next() == Some("define") => words.next(),
            _ => None,
        };
        let value = words.next();
        match (name, value) {
            (Some("MLX_VERSION_MAJOR"), Some(value)) => numbers[0] = value.parse::<u64>().ok(),
            (Some("MLX_VERSION_MINOR"), Some(value)) => numbers[1] = value.parse::<u64>().ok(),
            (Some("MLX_VERSION_PATCH"), Some(value)) => numbers[2] = value.parse::<u64>().ok(),
            (Some("MLX_VERSION" | "MLX_VERSION_STRING"), Some(value)) => {
                whole = Version::parse(value.trim_matches('"')).ok();
            }
            _ => {}
        }
    }
    match numbers {
        [Some(major), Some(minor), Some(patch)] => Some(Version::new(major, minor, patch)),
        _ => whole,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_of_the_header_are_read() {
        let three = "#pragma once\r\n#define MLX_VERSION_MAJOR 0\r\n# define MLX_VERSION_MINOR 32\r\n\
                     #define MLX_VERSION_PATCH 4 // next\r\n#define MLX_VERSION_NUMERIC \\\n  (1 * MLX_VERSION_MAJOR)\n";
        assert_eq!(
            release_in_header(three.as_bytes()),
            Some(Version::new(0, 32, 4))
        );
        let one = "#define MLX_VERSION \"0.24.1\"\n";
        assert_eq!(
            release_in_header(one.as_bytes()),
            Some(Version::new(0, 24, 1))
        );
    }

    #[test]
    fn a_header_that_lacks_a_number_names_no_release() {
        let two = "#define MLX_VERSION_MAJOR 0\n#define MLX_VERSION_MINOR 32\n// #define MLX_VERSION_PATCH 1\n";
        assert_eq!(release_in_header(two.as_bytes()), None);
        assert_eq!(release_in_header(b""), None);
        assert_eq!(release_in_header(b"\xff\xfe"), None);
    }
}
