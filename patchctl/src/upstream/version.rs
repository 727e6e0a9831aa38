//! The release that a tree itself claims, in `mlx/version.h`.

use semver::Version;

/// The header, from the tree's root. MLX has it since v0.23.2 and raises it right after a tag.
pub(super) const VERSION_HEADER: &str = "mlx/version.h";

/// Reads `#define MLX_VERSION_MAJOR 0` and its like, or the form with one string,
/// `#define MLX_VERSION "0.32.4"`. `None` where neither is whole.
pub(super) fn release_in_header(text: &[u8]) -> Option<Version> {
    let text = String::from_utf8_lossy(text);
    // The last definition counts.
    let value = |names: &[&str]| {
        text.lines().rev().find_map(|line| {
            let line = line.trim_start_matches('\u{feff}').trim_start();
            let mut words = line.strip_prefix('#')?.split_whitespace();
            let is_it = words.next() == Some("define") && names.contains(&words.next()?);
            words.next().filter(|_| is_it)
        })
    };
    let number = |part: &str| value(&[&*format!("MLX_VERSION_{part}")])?.parse().ok();
    if let (Some(major), Some(minor), Some(patch)) =
        (number("MAJOR"), number("MINOR"), number("PATCH"))
    {
        return Some(Version::new(major, minor, patch));
    }
    let whole = value(&["MLX_VERSION", "MLX_VERSION_STRING"])?;
    Version::parse(whole.trim_matches('"')).ok()
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
