//! The JSON Schema of overlays.

use crate::overlay::schema;

#[test]
fn the_committed_schema_is_the_one_of_the_types() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../overlays/schema.json");
    let committed = std::fs::read_to_string(path).unwrap();
    let made = format!("{:#}\n", schema());
    let differs = committed
        .lines()
        .zip(made.lines())
        .position(|(one, other)| one != other);
    assert!(
        committed == made,
        "it differs from line {} on; write it anew with `patchctl schema > overlays/schema.json`",
        differs.map_or(0, |line| line + 1)
    );
}

#[test]
fn no_map_takes_unknown_keys() {
    fn walk(schema: &serde_json::Value, closed: &mut usize) {
        if schema.get("properties").is_some() {
            assert_eq!(schema["additionalProperties"], false, "{schema:#}");
            *closed += 1;
        }
        match schema {
            serde_json::Value::Object(map) => map.values().for_each(|one| walk(one, closed)),
            serde_json::Value::Array(list) => list.iter().for_each(|one| walk(one, closed)),
            _ => {}
        }
    }
    let mut closed = 0;
    walk(&schema(), &mut closed);
    // Overlay, evidence, hunk, variant, edit, anchor, statement, condition, scope.
    assert_eq!(closed, 9);
}
