//! Where the protocol can carry the schema of a model.

/// What the models in an attribute type need of the protocol.
///
/// Protocol 6 has nested attributes for an object and for a list, set or map of objects (`Schema.Object.NestingMode`).
/// Everywhere else it has types only, which say the names and types of attributes and that all are required.
///
/// ```
/// use ferroform::model::{AttributeValue, Model, Nested};
///
/// #[derive(Model)]
/// struct Point {
///     x: i64,
///     y: i64,
/// }
/// #[derive(Model)]
/// struct Label {
///     text: String,
///     color: Option<String>,
/// }
/// assert_eq!(<(Point, String)>::NESTED, Nested::Plain);
/// assert_eq!(Vec::<Label>::NESTED, Nested::Objects);
/// assert_eq!(<(Label, String)>::NESTED, Nested::Lost);
/// ```
///
/// Models that hold each other do not compile, since their schemas would have no end:
///
/// ```compile_fail,E0275
/// use ferroform::model::Model;
///
/// #[derive(Model)]
/// struct Branch {
///     leaves: Option<Vec<Leaf>>,
/// }
/// #[derive(Model)]
/// struct Leaf {
///     branches: Option<Vec<Branch>>,
/// }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nested {
    /// There are none, or only such as a type says in full.
    Plain,
    /// The type is a model.
    Object,
    /// The type is a list, set or map of a model.
    Objects,
    /// A model stands where its schema would be lost: in a tuple, or in a collection of collections. No attribute can
    /// have the type.
    Lost,
}

impl Nested {
    /// A model, of which all attributes are bare (required, with no effect beside their types) or not, and whose
    /// fields have types like these.
    #[must_use]
    pub const fn model(bare: bool, fields: &[Self]) -> Self {
        let mut plain = bare;
        let mut rest = fields;
        while let [first, others @ ..] = rest {
            plain = plain && matches!(first, Self::Plain);
            rest = others;
        }
        if plain { Self::Plain } else { Self::Object }
    }

    /// A list, set or map of the type.
    #[must_use]
    pub const fn collection(self) -> Self {
        match self {
            Self::Plain => Self::Plain,
            Self::Object => Self::Objects,
            Self::Objects | Self::Lost => Self::Lost,
        }
    }

    /// A tuple with the type in it, and with others that are `rest`.
    #[must_use]
    pub const fn tuple(self, rest: Self) -> Self {
        match (self, rest) {
            (Self::Plain, Self::Plain) => Self::Plain,
            _ => Self::Lost,
        }
    }
}
