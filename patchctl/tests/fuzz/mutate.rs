//! Inputs that are nearly right: seeds with bytes, words and lines changed.

use crate::verify::run::sequence;

/// Larger inputs cost time and find nothing that smaller ones do not.
const LARGEST: usize = 64 << 10;

/// What readers stumble over, between blanks.
const WORDS: &str = "0 -1 1e9 4294967296 9223372036854775807 18446744073709551615 0x1F null yes 2026-12-01 \" ' { } ( ) [ ] \
    < > \n \r\n \t \0 \u{feff} /* */ // R\"( #if\n #else\n #endif\n \\\n &a *a !!str - ? : | | //patchctl:end";

/// Random numbers, the same ones everywhere.
pub(super) struct Random(sequence::Random);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        let mut random = sequence::Random::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        random.number();
        Self(random)
    }

    fn next(&mut self) -> u64 {
        self.0.number()
    }

    pub(super) fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    pub(super) fn one_of<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }

    fn word(&mut self) -> &'static [u8] {
        let words = || WORDS.split(' ');
        let word = words().nth(self.below(words().count()));
        word.unwrap_or_default().as_bytes()
    }

    /// A range of at most `most` bytes.
    fn range(&mut self, length: usize, most: usize) -> std::ops::Range<usize> {
        let start = self.below(length + 1);
        start..(start + self.below(most)).min(length)
    }
}

/// `input` with one change, or with a few; parts of `others` come into it.
pub(super) fn mutated(mut input: Vec<u8>, others: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    loop {
        change(&mut input, others, random);
        input.truncate(LARGEST);
        if random.below(3) == 0 {
            return input;
        }
    }
}

fn change(input: &mut Vec<u8>, others: &[Vec<u8>], random: &mut Random) {
    let length = input.len();
    let at = random.below(length + 1);
    match random.below(10) {
        0 if at < length => input[at] = random.next() as u8,
        1 if at < length => input[at] ^= 1 << random.below(8),
        2 => drop(input.drain(random.range(length, 32))),
        3 => {
            let part = input[random.range(length, 256)].to_vec();
            insert(input, at, &part);
        }
        4 => {
            let other = random.one_of(others);
            let part = other[random.range(other.len(), 256)].to_vec();
            insert(input, at, &part);
        }
        5 => {
            let word = word_at(input, at);
            let other = random.one_of(others);
            let new = match random.below(2) {
                0 => other[word_at(other, random.below(other.len() + 1))].to_vec(),
                _ => random.word().to_vec(),
            };
            input.splice(word, new);
        }
        6 => {
            let line = line_at(input, at);
            let taken: Vec<u8> = match random.below(2) {
                0 => input.drain(line).collect(),
                _ => input[line].to_vec(),
            };
            let at = line_at(input, random.below(input.len() + 1)).start;
            insert(input, at, &taken);
        }
        7 => drop(input.drain(line_at(input, at))),
        8 if random.below(8) == 0 => {
            let part = input[random.range(length, 12)].repeat(1 << random.below(13));
            insert(input, at, &part);
        }
        _ => insert(input, at, random.word()),
    }
}

fn insert(input: &mut Vec<u8>, at: usize, part: &[u8]) {
    let at = at.min(input.len());
    input.splice(at..at, part.iter().copied());
}

fn word_at(input: &[u8], at: usize) -> std::ops::Range<usize> {
    around(input, at, |byte| {
        !byte.is_ascii_alphanumeric() && byte != b'_'
    })
}

fn line_at(input: &[u8], at: usize) -> std::ops::Range<usize> {
    let line = around(input, at, |byte| byte == b'\n');
    line.start..(line.end + 1).min(input.len())
}

fn around(input: &[u8], at: usize, is_end: fn(u8) -> bool) -> std::ops::Range<usize> {
    let start = input[..at].iter().rposition(|byte| is_end(*byte));
    let end = input[at..].iter().position(|byte| is_end(*byte));
    start.map_or(0, |start| start + 1)..end.map_or(input.len(), |end| at + end)
}
