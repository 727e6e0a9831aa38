//! A first look at a lock file: its schema, and whether it unfolds to more than it is.

use std::cell::Cell;
use std::fmt;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::SIZE_LIMIT;

/// What is needed before the form is known.
pub(super) struct Head {
    pub schema: Option<u32>,
    pub needs: Option<String>,
}

impl<'de> Deserialize<'de> for Head {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(HeadVisitor)
    }
}

struct HeadVisitor;

impl<'de> Visitor<'de> for HeadVisitor {
    type Value = Head;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a lock file: a map with `schema` and `pins`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Head, A::Error> {
        let mut head = Head {
            schema: None,
            needs: None,
        };
        let room = Cell::new(SIZE_LIMIT);
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "schema" => head.schema = Some(map.next_value()?),
                "needs" => head.needs = Some(map.next_value()?),
                _ => map.next_value_seed(Weigh(&room))?,
            }
        }
        Ok(head)
    }
}

/// Goes over any value and copies nothing, so that aliases (a few bytes that stand for many) are seen
/// before they are unfolded. patchctl writes none.
#[derive(Clone, Copy)]
struct Weigh<'a>(&'a Cell<u64>);

impl Weigh<'_> {
    fn take<E: Error>(self, bytes: usize) -> Result<(), E> {
        match self.0.get().checked_sub(bytes as u64 + 1) {
            Some(left) => {
                self.0.set(left);
                Ok(())
            }
            None => Err(E::custom(format!(
                "it unfolds to more than {SIZE_LIMIT} bytes, expected a lock file without aliases"
            ))),
        }
    }
}

impl<'de> DeserializeSeed<'de> for Weigh<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Weigh<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<(), E> {
        self.take(0)
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<(), E> {
        self.take(0)
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<(), E> {
        self.take(0)
    }

    fn visit_i128<E: Error>(self, _: i128) -> Result<(), E> {
        self.take(0)
    }

    fn visit_u128<E: Error>(self, _: u128) -> Result<(), E> {
        self.take(0)
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<(), E> {
        self.take(0)
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.take(0)
    }

    fn visit_none<E: Error>(self) -> Result<(), E> {
        self.take(0)
    }

    fn visit_some<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_any(self)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        self.take(text.len())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        self.take(0)?;
        while seq.next_element_seed(self)?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        self.take(0)?;
        while map.next_key_seed(self)?.is_some() {
            map.next_value_seed(self)?;
        }
        Ok(())
    }
}
