//! Reads a patched file the way a person would: by its marker lines alone. It shares no code with
//! patchctl, so that the two can be held against each other.

/// What was found between upstream's lines.
#[derive(Debug, Default)]
pub struct Reading {
    /// The file without what the markers fence.
    pub upstream: Vec<u8>,
    /// Each edit in the order of the file.
    pub edits: Vec<Placed>,
}

/// An edit as it stands in the file.
#[derive(Debug)]
pub struct Placed {
    /// `overlay/hunk.edit`
    pub edit: String,
    /// The 1-based number, in upstream's text, of the line that it stands directly above.
    pub above: usize,
}

enum State {
    Upstream,
    /// Between the markers of an edit.
    Inserted(String),
    /// Upstream's own lines, kept under `#if 0`.
    Kept(String),
}

/// Takes a patched file apart.
///
/// # Errors
/// A marker without its partner, or an inserted line that ends otherwise than the lines around it.
pub fn read(text: &[u8]) -> Result<Reading, String> {
    const BOM: &[u8] = b"\xef\xbb\xbf";
    let (bom, body) = text
        .strip_prefix(BOM)
        .map_or((&b""[..], text), |rest| (BOM, rest));
    let mut reading = Reading::default();
    reading.upstream.extend(bom);
    let mut upstream_lines = 0;
    let mut state = State::Upstream;
    let mut ends = Ends::default();
    for line in body.split_inclusive(|byte| *byte == b'\n') {
        let words = String::from_utf8_lossy(line);
        let words: Vec<&str> = words.split_whitespace().collect();
        state = match (state, words.as_slice()) {
            (State::Upstream, ["//" | "#", "patchctl:begin", edit, digest]) => {
                is_digest(digest)?;
                reading.edits.push(Placed {
                    edit: (*edit).to_owned(),
                    above: upstream_lines + 1,
                });
                ends.inserted(line);
                State::Inserted((*edit).to_owned())
            }
            (State::Inserted(edit), ["//" | "#", "patchctl:end", ended, ..]) => {
                if edit != *ended {
                    return Err(format!("{edit} is ended as {ended}"));
                }
                ends.inserted(line);
                State::Upstream
            }
            (State::Inserted(edit), ["#if", "0", "//", "patchctl:was"]) => State::Kept(edit),
            (State::Kept(edit), ["#else", ..]) => State::Inserted(edit),
            (State::Inserted(edit), _) => {
                ends.inserted(line);
                State::Inserted(edit)
            }
            (state, _) => {
                upstream_lines += 1;
                reading.upstream.extend(line);
                ends.upstream(line)?;
                state
            }
        };
    }
    if let State::Inserted(edit) | State::Kept(edit) = state {
        return Err(format!("{edit} is never ended"));
    }
    // Text that stands after a last line without a newline had to end that line first.
    if ends.last_line_was_inserted && !text.ends_with(b"\n") {
        let end = if reading.upstream.ends_with(b"\r\n") {
            2
        } else {
            1
        };
        reading.upstream.truncate(reading.upstream.len() - end);
    } else {
        ends.close()?;
    }
    Ok(reading)
}

fn is_digest(word: &str) -> Result<(), String> {
    let fits = word.len() == 12 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    fits.then_some(())
        .ok_or_else(|| format!("{word} is no digest of 12 hex digits"))
}

/// Line ends of inserted lines, held against those of the upstream lines above and below.
#[derive(Default)]
struct Ends {
    above: Option<bool>,
    inserted: Vec<bool>,
    last_line_was_inserted: bool,
}

impl Ends {
    fn inserted(&mut self, line: &[u8]) {
        self.last_line_was_inserted = true;
        if line.ends_with(b"\n") {
            self.inserted.push(line.ends_with(b"\r\n"));
        }
    }

    fn upstream(&mut self, line: &[u8]) -> Result<(), String> {
        let crlf = line.ends_with(b"\r\n");
        let below = line.ends_with(b"\n").then_some(crlf);
        self.last_line_was_inserted = false;
        self.compare(below)?;
        self.above = below;
        Ok(())
    }

    fn close(&mut self) -> Result<(), String> {
        self.compare(None)
    }

    fn compare(&mut self, below: Option<bool>) -> Result<(), String> {
        let lines = std::mem::take(&mut self.inserted);
        let neighbours: Vec<bool> = self.above.into_iter().chain(below).collect();
        let Some(first) = lines.first() else {
            return Ok(());
        };
        let one_kind = lines.iter().all(|line| line == first);
        if one_kind && (neighbours.is_empty() || neighbours.contains(first)) {
            Ok(())
        } else {
            Err("an inserted line ends otherwise than the lines around it".to_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_insertion_is_taken_off_and_its_line_is_upstreams() {
        let text = b"a\n// patchctl:begin o/h.1 0123456789ab\nx\n// patchctl:end o/h.1\nb\n";
        let reading = read(text).unwrap();
        assert_eq!(reading.upstream, b"a\nb\n");
        assert_eq!(
            (reading.edits[0].edit.as_str(), reading.edits[0].above),
            ("o/h.1", 2)
        );
    }

    #[test]
    fn lines_kept_under_if_0_are_upstreams() {
        let text = b"a\n// patchctl:begin o/h.1 0123456789ab\n#if 0 // patchctl:was\nb\n#else\nx\n#endif\n// patchctl:end o/h.1\nc\n";
        let reading = read(text).unwrap();
        assert_eq!(reading.upstream, b"a\nb\nc\n");
        assert_eq!(reading.edits[0].above, 2);
    }

    #[test]
    fn an_insertion_after_an_unended_line_leaves_it_unended() {
        let text = b"a\n// patchctl:begin o/h.1 0123456789ab\nx\n// patchctl:end o/h.1";
        assert_eq!(read(text).unwrap().upstream, b"a");
    }

    #[test]
    fn a_line_that_ends_otherwise_than_its_neighbours_is_an_error() {
        let text =
            b"a\r\n// patchctl:begin o/h.1 0123456789ab\r\nx\n// patchctl:end o/h.1\r\nb\r\n";
        assert!(read(text).is_err());
        let text = b"a\r\n// patchctl:begin o/h.1 0123456789ab\nx\n// patchctl:end o/h.1\nb\r\n";
        assert!(read(text).is_err());
    }

    #[test]
    fn a_marker_without_its_partner_is_an_error() {
        assert!(read(b"// patchctl:begin o/h.1 0123456789ab\n").is_err());
        assert!(read(b"// patchctl:begin o/h.1 0123456789ab\n// patchctl:end o/g.1\n").is_err());
    }
}
