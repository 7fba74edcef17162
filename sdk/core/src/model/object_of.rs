//! Models as plain objects.

use super::scalar::decodes;
use super::{AttributeValue, Decode, Encode, Model, Nested};
use crate::diag::Result;
use crate::path::Path;
use crate::schema::{AttributeType, Equivalence, Validator};
use crate::value::Value;

/// A model as a plain object: an attribute with the type of the model and without its nested attributes.
///
/// The protocol has nested attributes in few places, and protocol 5 has none. Use this in tuples and in collections of
/// collections, and to keep the schema of a provider that was written before there were nested attributes. Core knows
/// only names and types of a plain object: a configuration must write every attribute, if only as null, nothing in it is
/// computed or sensitive by itself, and descriptions are lost. Words on the fields of `M` that are not about their types, such as
/// `validate` and `default`, have no effect there.
///
/// ```
/// use ferroform::model::{AttributeValue, Model, ObjectOf};
/// use ferroform::schema::AttributeType;
/// use ferroform::ty::Type;
///
/// #[derive(Model)]
/// #[model(nested)]
/// struct Disk {
///     name: Option<String>,
///     size: Option<i64>,
/// }
///
/// #[derive(Model)]
/// struct Server {
///     #[attr(computed)]
///     disks: Vec<ObjectOf<Disk>>,
/// }
///
/// let disk = Type::object([("name", Type::String), ("size", Type::Number)]);
/// let AttributeType::Plain(ty) = &Server::block().attributes[0].ty else { panic!("a nested attribute") };
/// assert_eq!(*ty, Type::list(disk));
/// let disks = vec![ObjectOf(Disk { name: Some("a".to_owned()), size: None })];
/// assert_eq!(Server { disks }.disks[0].0.name.as_deref(), Some("a"));
/// ```
#[derive(Debug, Clone)]
pub struct ObjectOf<M>(pub M);

impl<M: Model> AttributeValue for ObjectOf<M> {
    type Draft = M::Draft;
    type Planned = M::Planned;
    type Prior = M::Prior;

    const HAS_BLOCKS: bool = M::HAS_BLOCKS;
    const NESTED: Nested = Nested::Plain;

    fn attribute_type() -> AttributeType {
        AttributeType::Plain(M::attribute_type().ty())
    }

    fn equivalence() -> Equivalence {
        M::equivalence()
    }

    /// Core asks for every attribute, but takes null for a required one.
    fn validators() -> Vec<Validator> {
        vec![decodes::<M::Planned>("an object whose required attributes are not null")]
    }
}

impl<M: Model> Encode for ObjectOf<M> {
    fn encode(self) -> Value {
        self.0.encode()
    }
}

impl<M: Model> Decode for ObjectOf<M> {
    fn decode(value: &Value, at: &mut Path) -> Result<Self> {
        M::decode(value, at).map(Self)
    }
}
