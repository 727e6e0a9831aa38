//! A node as a serde deserializer, so that a form's own types are read from the tree and errors have a place.

use std::fmt;

use serde::de::value::{MapAccessDeserializer, MapDeserializer, SeqDeserializer};
use serde::de::{self, Deserializer, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;

use super::tree::{Entry, Mark, Node, Value};

/// A difference between a node and the type that it is read as.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormError {
    /// The place of the innermost node that differs.
    pub mark: Option<Mark>,
    /// Serde's words.
    pub what: String,
}

impl FormError {
    fn at(mut self, mark: Mark) -> Self {
        self.mark.get_or_insert(mark);
        self
    }
}

impl fmt::Display for FormError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl std::error::Error for FormError {}

impl de::Error for FormError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        let (mark, what) = (None, message.to_string());
        Self { mark, what }
    }
}

impl<'de> IntoDeserializer<'de, FormError> for &'de Node {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for &'de Node {
    type Error = FormError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, FormError> {
        match &self.value {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(*value),
            Value::Number(text, whole) => match (whole, text.parse::<f64>()) {
                (Some(whole), _) => visitor.visit_i64(*whole),
                (None, Ok(fraction)) => visitor.visit_f64(fraction),
                (None, Err(_)) => visitor.visit_borrowed_str(text),
            },
            Value::Text(text) => visitor.visit_borrowed_str(text),
            Value::List(items) => visitor.visit_seq(SeqDeserializer::new(items.iter())),
            Value::Map(entries) => visitor.visit_map(MapDeserializer::new(pairs(entries))),
        }
        .map_err(|error: FormError| error.at(self.mark))
    }

    /// A scalar that a writer should have quoted (`4e27`) is a text where a text is wanted.
    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, FormError> {
        match &self.value {
            Value::Number(text, _) => visitor
                .visit_borrowed_str(text)
                .map_err(|error: FormError| error.at(self.mark)),
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, FormError> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, FormError> {
        match &self.value {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, FormError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, FormError> {
        match &self.value {
            Value::Text(text) => visitor.visit_enum(text.as_str().into_deserializer()),
            Value::Map(entries) => {
                let map = MapDeserializer::new(pairs(entries));
                visitor.visit_enum(MapAccessDeserializer::new(map))
            }
            _ => self.deserialize_any(visitor),
        }
        .map_err(|error: FormError| error.at(self.mark))
    }

    /// Only a map: serde would take a list for the fields in their order.
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, FormError> {
        match &self.value {
            Value::List(_) => {
                let found = de::Unexpected::Seq;
                Err(<FormError as de::Error>::invalid_type(found, &visitor).at(self.mark))
            }
            _ => self.deserialize_any(visitor),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char bytes byte_buf unit unit_struct
        seq tuple tuple_struct map identifier ignored_any
    }
}

fn pairs(entries: &[Entry]) -> impl Iterator<Item = (Key<'_>, &Node)> {
    entries.iter().map(|entry| (Key(entry), &entry.value))
}

/// The key of an entry: an unknown key is an error at the key.
struct Key<'de>(&'de Entry);

impl<'de> IntoDeserializer<'de, FormError> for Key<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Key<'de> {
    type Error = FormError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, FormError> {
        visitor
            .visit_borrowed_str(&self.0.key)
            .map_err(|error: FormError| error.at(self.0.mark))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}
