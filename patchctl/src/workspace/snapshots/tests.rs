use std::fs;

use proptest::prelude::*;

use super::*;

fn line() -> impl Strategy<Value = Line> {
    let text = "[ -~]{0,20}(␊|␍␊|)";
    (any::<bool>(), text).prop_map(|(added, text)| match added {
        true => Line::Added(text),
        false => Line::Removed(text),
    })
}

fn place() -> impl Strategy<Value = Location> {
    let words = "[a-z:<>]{1,8}( [a-z()&]{1,8}){0,3}";
    let conditions = prop::collection::vec("#if [A-Z ()!&|/]{1,12}[A-Z]", 0..3);
    (
        ("[a-z]{1,6}", "[a-z/]{1,9}\\.cpp", words, conditions),
        (1..5000_u64, "[0-9a-f]{16}", "[0-9a-f]{64}"),
        prop::collection::vec(line(), 0..6),
        any::<bool>(),
    )
        .prop_map(|(names, ids, lines, end_of_file)| Location {
            variant: names.0,
            file: names.1.into(),
            scope: names.2,
            preprocessor: names.3,
            line: ids.0,
            shape: ids.1,
            digest: ids.2,
            lines,
            end_of_file,
        })
}

fn snapshot() -> impl Strategy<Value = Snapshot> {
    let part = (
        "[a-z0-9-]{1,9}",
        "[a-z0-9-]{1,5}",
        prop::option::of(place()),
    );
    let parts = prop::collection::vec(part, 0..4);
    (
        "[a-z0-9-]{1,12}",
        "[0-9]\\.[0-9]{1,2}\\.[0-9]",
        "[0-9a-f]{40}",
        parts,
    )
        .prop_map(|(overlay, release, commit, parts)| Snapshot {
            overlay,
            release,
            commit,
            parts: parts
                .into_iter()
                .map(|(hunk, edit, place)| Part { hunk, edit, place })
                .collect(),
        })
}

proptest! {
    #[test]
    fn a_snapshot_is_read_back_as_it_was_written(snapshot in snapshot()) {
        let text = snapshot.to_text();
        prop_assert_eq!(Snapshot::parse(&text), Ok(snapshot));
    }

    #[test]
    fn a_changed_snapshot_is_refused(
        snapshot in snapshot(),
        at in any::<prop::sample::Index>(),
        new in "[ -~]",
    ) {
        let mut chars: Vec<char> = snapshot.to_text().chars().collect();
        let at = at.index(chars.len());
        chars[at] = new.chars().next().unwrap();
        let text: String = chars.into_iter().collect();
        if let Ok(read) = Snapshot::parse(&text) {
            let mut as_before = read.clone();
            as_before.release.clone_from(&snapshot.release);
            as_before.commit.clone_from(&snapshot.commit);
            for (part, old) in as_before.parts.iter_mut().zip(&snapshot.parts) {
                if let (Some(place), Some(old)) = (&mut part.place, &old.place) {
                    place.line = old.line;
                }
            }
            prop_assert_eq!(as_before, snapshot);
            prop_assert_eq!(read.to_text(), text);
        }
    }

    #[test]
    fn line_numbers_are_not_in_the_digest(
        snapshot in snapshot(),
        moved in 1..90_u64,
    ) {
        let mut other = snapshot.clone();
        other.release = "9.9.9".to_owned();
        other.commit = "f".repeat(40);
        for place in other.parts.iter_mut().filter_map(|part| part.place.as_mut()) {
            place.line += moved;
        }
        prop_assert_eq!(other.digest(), snapshot.digest());
        for index in 0..other.parts.len() {
            let mut changed = snapshot.clone();
            match &mut changed.parts[index].place {
                Some(place) => place.lines.push(Line::Added("x␊".to_owned())),
                none => *none = snapshot.parts.iter().find_map(|part| part.place.clone()),
            }
            prop_assert!(changed == snapshot || changed.digest() != snapshot.digest());
        }
    }

    #[test]
    fn insta_writes_the_same_front_matter(
        source in "[ -~äß]{1,30}",
        expression in "[ -~äß]{1,30}",
        line in prop::option::of(1..9999_u64),
        names in prop::collection::vec("[a-z0-9-]{1,9}\\.[a-z0-9-]{1,5}", 0..4),
        settled in 0..4_usize,
    ) {
        let (reviewed, to_review) = names.split_at(settled.min(names.len()));
        let front = Front {
            source,
            line,
            to_review: to_review.to_vec(),
            reviewed: reviewed.to_vec(),
            expression,
        };
        let folder = tempfile::tempdir().unwrap();
        let (file, again) = (folder.path().join("a@1.snap"), folder.path().join("b@1.snap"));
        fs::write(&file, front.to_text() + "text␊\n").unwrap();
        let read = insta::Snapshot::from_file(&file).unwrap();
        prop_assert_eq!(read.metadata().source(), Some(front.source.as_str()));
        prop_assert_eq!(read.metadata().expression(), Some(front.expression.as_str()));
        prop_assert_eq!(read.metadata().assertion_line().map(u64::from), line);
        prop_assert_eq!(read.as_text().unwrap().to_string(), "text␊");
        // Accepted, it has no line any more.
        read.save(&again).unwrap();
        let accepted = Front { line: None, ..front.clone() };
        let again = fs::read_to_string(again).unwrap();
        prop_assert_eq!(&again, &(accepted.to_text() + "text␊\n"));
    }

    #[test]
    fn the_front_matter_of_an_overlay_is_read_back(
        overlay in "[a-z0-9-]{1,20}",
        folder in "[a-zA-Z0-9_ äß.-]{1,9}",
        names in prop::collection::vec("[a-z0-9-]{1,9}\\.[a-z0-9-]{1,5}", 0..4),
        settled in 0..4_usize,
        feed in prop::sample::select(vec!["\n", "\r\n"]),
    ) {
        let (reviewed, to_review) = names.split_at(settled.min(names.len()));
        let front = Front {
            source: format!("{folder}/{overlay}.yaml"),
            line: Some(7),
            to_review: to_review.to_vec(),
            reviewed: reviewed.to_vec(),
            expression: format!("{overlay} on 1.0.0"),
        };
        let file = (front.to_text() + "text\n---\nmore\n").replace('\n', feed);
        let text = "text\n---\nmore\n".to_owned();
        prop_assert_eq!(Front::split(&file), Ok((front, text)));
    }
}

#[test]
fn a_tag_becomes_a_file_name() {
    let name = |release| file_name("budget", release, State::Pending);
    assert_eq!(name("0.32.2"), "budget@0.32.2.snap.new");
    assert_eq!(
        name("v0.32.1-26-g846d176"),
        "budget@v0.32.1-26-g846d176.snap.new"
    );
    assert_eq!(name("rel/1.0\\x"), "budget@rel_1.0_x.snap.new");
}

#[test]
fn what_a_file_lacks_is_named() {
    let wrong = |text: &str| Snapshot::parse(text).unwrap_err().to_string();
    assert_eq!(
        wrong(""),
        "line 1 is missing, expected `OVERLAY on RELEASE`"
    );
    assert_eq!(
        wrong("budget on 1.0.0\nno commit\n"),
        "line 2 is `no commit`, expected `commit …`"
    );
    let edited = format!("b on 1.0.0\ncommit {}\ndigest ab (of)\n", "0".repeat(40));
    let edited = wrong(&(edited + "upstream lines removed or altered: none\n"));
    assert!(
        edited.starts_with("its digest is ab, its text gives "),
        "{edited}"
    );
    for file in ["", "text\n", "---\nsource: x\n", "---\n- x\n---\ntext\n"] {
        assert!(Front::split(file).is_err(), "{file:?}");
    }
}
