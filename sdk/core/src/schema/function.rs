//! Signatures of functions as plain data.

use super::setters::setters;
use crate::path::Path;
use crate::schema::{
    Attribute, AttributeType, Block, Kind, NestedObject, Presence, Schema, SchemaError, SchemaErrors,
    SchemaRole, Text, Validator,
};
use crate::ty::Type;
use crate::value::HashSet;

/// The signature of a provider function (protocol `Function`).
///
/// ```
/// use ferroform::schema::{FunctionParameter, FunctionSignature};
/// use ferroform::ty::Type;
///
/// let signature = FunctionSignature::new(Type::String)
///     .parameter(FunctionParameter::new("root", Type::String))
///     .variadic(FunctionParameter::new("names", Type::String));
/// assert!(signature.check().is_ok());
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct FunctionSignature {
    /// The parameters by position.
    pub parameters: Vec<FunctionParameter>,
    /// The parameter that accepts every further argument, none included.
    pub variadic_parameter: Option<FunctionParameter>,
    /// The type of the result.
    pub result: Type,
    /// One line of plain text.
    pub summary: Text,
    /// Markdown, unless [`plain_descriptions`](Self::plain_descriptions) says otherwise.
    pub description: Text,
    /// Whether the descriptions of the function and of its parameters are plain text.
    pub plain_descriptions: bool,
    /// What to use instead, when the function is deprecated.
    pub deprecation: Option<Text>,
}

impl FunctionSignature {
    /// The signature of a function without parameters.
    ///
    /// ```
    /// use ferroform::schema::FunctionSignature;
    /// use ferroform::ty::Type;
    ///
    /// // `provider::cloud::regions()`
    /// let regions = FunctionSignature::new(Type::list(Type::String));
    /// assert!(regions.parameters.is_empty() && regions.variadic_parameter.is_none());
    /// ```
    #[must_use]
    pub fn new(result: Type) -> Self {
        Self {
            parameters: Vec::new(),
            variadic_parameter: None,
            result,
            summary: Text::default(),
            description: Text::default(),
            plain_descriptions: false,
            deprecation: None,
        }
    }

    setters! {
        /// Summarises the function in one line of plain text.
        ///
        /// ```
        /// use ferroform::schema::FunctionSignature;
        /// use ferroform::ty::Type;
        ///
        /// let regions = FunctionSignature::new(Type::list(Type::String)).summary("The regions of the service");
        /// assert_eq!(regions.summary, "The regions of the service");
        /// ```
        summary(text: impl Into<Text>) = text.into();
        /// Describes the function, in Markdown, unless the descriptions are plain.
        ///
        /// ```
        /// use ferroform::schema::FunctionSignature;
        /// use ferroform::ty::Type;
        ///
        /// let regions = FunctionSignature::new(Type::list(Type::String)).description("Only *open* ones.");
        /// assert!(regions.description.contains("*open*") && !regions.plain_descriptions);
        /// ```
        description(text: impl Into<Text>) = text.into();
        /// Says that the descriptions of the function and of its parameters are plain text.
        ///
        /// ```
        /// use ferroform::schema::FunctionSignature;
        /// use ferroform::ty::Type;
        ///
        /// let wildcard = FunctionSignature::new(Type::String).description("Puts *. before a name.").plain_descriptions();
        /// assert!(wildcard.plain_descriptions);
        /// ```
        plain_descriptions() = true;
        /// Deprecates the function: why not to use it any more, and what instead.
        ///
        /// ```
        /// use ferroform::schema::FunctionSignature;
        /// use ferroform::ty::Type;
        ///
        /// let zones = FunctionSignature::new(Type::list(Type::String)).deprecation("Use `regions` instead.");
        /// assert_eq!(zones.deprecation.as_deref(), Some("Use `regions` instead."));
        /// ```
        deprecation(text: impl Into<Text>) = Some(text.into());
    }

    /// The same signature with one more parameter.
    ///
    /// ```
    /// use ferroform::schema::{FunctionParameter, FunctionSignature};
    /// use ferroform::ty::Type;
    ///
    /// // `provider::cloud::arn("bucket", "logs")`
    /// let arn = FunctionSignature::new(Type::String)
    ///     .parameter(FunctionParameter::new("kind", Type::String))
    ///     .parameter(FunctionParameter::new("name", Type::String));
    /// assert_eq!(arn.parameters.iter().map(|it| &*it.name).collect::<Vec<_>>(), ["kind", "name"]);
    /// ```
    #[must_use]
    pub fn parameter(mut self, parameter: FunctionParameter) -> Self {
        self.parameters.push(parameter);
        self
    }

    /// The same signature with a parameter that accepts every further argument.
    ///
    /// ```
    /// use ferroform::schema::{FunctionParameter, FunctionSignature};
    /// use ferroform::ty::Type;
    ///
    /// // `provider::cloud::host("www", "example", "org")`
    /// let host = FunctionSignature::new(Type::String).variadic(FunctionParameter::new("labels", Type::String));
    /// assert_eq!(host.variadic_parameter.unwrap().name, "labels");
    /// ```
    #[must_use]
    pub fn variadic(mut self, parameter: FunctionParameter) -> Self {
        self.variadic_parameter = Some(parameter);
        self
    }

    /// Every parameter, the variadic one last.
    ///
    /// ```
    /// use ferroform::schema::{FunctionParameter, FunctionSignature};
    /// use ferroform::ty::Type;
    ///
    /// let join = FunctionSignature::new(Type::String)
    ///     .variadic(FunctionParameter::new("names", Type::String))
    ///     .parameter(FunctionParameter::new("root", Type::String));
    /// assert_eq!(join.all_parameters().map(|it| &*it.name).collect::<Vec<_>>(), ["root", "names"]);
    /// ```
    pub fn all_parameters(&self) -> impl Iterator<Item = &FunctionParameter> {
        self.parameters.iter().chain(&self.variadic_parameter)
    }

    /// Checks the name of a function, and its signature.
    ///
    /// ```
    /// use ferroform::schema::FunctionSignature;
    /// use ferroform::ty::Type;
    ///
    /// let signature = FunctionSignature::new(Type::String);
    /// assert!(signature.check_as("host_name").is_ok());
    /// assert!(signature.check_as("hostName").is_err());
    /// ```
    ///
    /// # Errors
    /// Every mistake found.
    pub fn check_as(&self, name: &str) -> Result<(), SchemaErrors> {
        check_alone(Attribute::optional(name.to_owned(), Type::Dynamic)).and_then(|()| self.check())
    }

    /// Checks the signature: names, which must differ, and types that the protocol can carry. The validators of a
    /// parameter see its argument alone, so none may look at another parameter.
    ///
    /// ```
    /// use ferroform::schema::{FunctionParameter, FunctionSignature};
    /// use ferroform::ty::Type;
    ///
    /// let name = || FunctionParameter::new("name", Type::String);
    /// let signature = FunctionSignature::new(Type::String).parameter(name());
    /// assert!(signature.check().is_ok());
    /// let error = signature.parameter(name()).check().unwrap_err();
    /// assert_eq!(error.to_string(), "`name`: another parameter has this name");
    /// ```
    ///
    /// # Errors
    /// Every mistake found, each at the name of its parameter; mistakes of the result at `result`.
    pub fn check(&self) -> Result<(), SchemaErrors> {
        let mut errors = Vec::new();
        let mut names = HashSet::default();
        for parameter in self.all_parameters() {
            errors.extend(
                check_alone(parameter.as_attribute()).err().into_iter().flat_map(|found| found.errors),
            );
            if !names.insert(&*parameter.name) {
                let path = Path::root().attribute(parameter.name.clone());
                errors.push(SchemaError { path, message: "another parameter has this name".to_owned() });
            }
        }
        let result = Attribute::optional("result", self.result.clone());
        errors.extend(check_alone(result).err().into_iter().flat_map(|found| found.errors));
        if errors.is_empty() { Ok(()) } else { Err(SchemaErrors { errors }) }
    }
}

fn check_alone(attribute: Attribute) -> Result<(), SchemaErrors> {
    Schema::new(Block { attributes: vec![attribute], ..Block::default() })
        .check_as(SchemaRole::Of(Kind::Function))
}

/// A parameter of a provider function (protocol `Function.Parameter`).
///
/// ```
/// use ferroform::schema::{FunctionParameter, FunctionSignature};
/// use ferroform::ty::Type;
/// use ferroform::validate::number::between;
///
/// let network = FunctionParameter::new("network", Type::String).description("Such as `10.0.0.0/8`.");
/// let bits = FunctionParameter::new("bits", Type::Number).allow_null().validators([between(1, 32).into()]);
/// let subnet = FunctionSignature::new(Type::String).parameter(network).parameter(bits);
/// assert!(subnet.check().is_ok());
/// // Core rejects null before it calls the function, except where a parameter allows it.
/// assert_eq!(subnet.parameters.iter().map(|it| it.allow_null).collect::<Vec<_>>(), [false, true]);
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct FunctionParameter {
    /// The name: lower-case letters, digits and underscores.
    pub name: Text,
    /// The type that core converts arguments to. Nested attributes are plain objects on the wire; their validators
    /// apply.
    pub ty: AttributeType,
    /// Whether null is a valid argument. Core rejects it otherwise.
    pub allow_null: bool,
    /// Whether the function is called with arguments that are not wholly known. Otherwise its result is then unknown.
    pub allow_unknown: bool,
    /// Markdown, unless the descriptions of the function are plain.
    pub description: Text,
    /// Further checks of an argument. For a variadic parameter, of each of its arguments.
    pub validators: Vec<Validator>,
}

impl FunctionParameter {
    /// A parameter that accepts neither null nor unknown values.
    ///
    /// ```
    /// use ferroform::schema::FunctionParameter;
    /// use ferroform::ty::Type;
    ///
    /// let name = FunctionParameter::new("name", Type::String);
    /// assert!(!name.allow_null && !name.allow_unknown);
    /// ```
    pub fn new(name: impl Into<Text>, ty: impl Into<AttributeType>) -> Self {
        Self {
            name: name.into(),
            ty: ty.into(),
            allow_null: false,
            allow_unknown: false,
            description: Text::default(),
            validators: Vec::new(),
        }
    }

    setters! {
        /// Accepts null.
        ///
        /// ```
        /// use ferroform::schema::FunctionParameter;
        /// use ferroform::ty::Type;
        ///
        /// // `provider::cloud::host_name("www", null)` is in the zone of the provider.
        /// let zone = FunctionParameter::new("zone", Type::String).allow_null();
        /// assert!(zone.allow_null);
        /// ```
        allow_null() = true;
        /// Calls the function also with arguments that are not wholly known.
        ///
        /// ```
        /// use ferroform::schema::FunctionParameter;
        /// use ferroform::ty::Type;
        ///
        /// // How many elements there are is known before the elements are.
        /// let hosts = FunctionParameter::new("hosts", Type::list(Type::String)).allow_unknown();
        /// assert!(hosts.allow_unknown);
        /// ```
        allow_unknown() = true;
        /// Describes the parameter, in Markdown unless the descriptions of the function are plain.
        ///
        /// ```
        /// use ferroform::schema::FunctionParameter;
        /// use ferroform::ty::Type;
        ///
        /// let network = FunctionParameter::new("network", Type::String).description("Such as `10.0.0.0/8`.");
        /// assert_eq!(network.description, "Such as `10.0.0.0/8`.");
        /// ```
        description(text: impl Into<Text>) = text.into();
        /// Sets further checks of an argument.
        ///
        /// ```
        /// use ferroform::schema::FunctionParameter;
        /// use ferroform::ty::Type;
        /// use ferroform::validate::number::between;
        ///
        /// let bits = FunctionParameter::new("bits", Type::Number).validators([between(1, 32).into()]);
        /// assert_eq!(bits.validators[0].description, "between 1 and 32");
        /// ```
        validators(validators: impl IntoIterator<Item = Validator>) = validators.into_iter().collect();
    }

    /// The parameter as an attribute of a configuration, by whose rules its arguments are validated.
    ///
    /// ```
    /// use ferroform::diag::Diagnostics;
    /// use ferroform::schema::{Block, FunctionParameter};
    /// use ferroform::ty::Type;
    /// use ferroform::validate::number::between;
    /// use ferroform::validate::validate;
    /// use ferroform::value::Value;
    ///
    /// let bits = FunctionParameter::new("bits", Type::Number).validators([between(1, 32).into()]);
    /// let arguments = Block::new([bits.as_attribute()]);
    /// let mut found = Diagnostics::default();
    /// validate(&arguments, &Value::object([("bits", Value::from(33))]), true, &mut found);
    /// assert_eq!(found.iter().next().unwrap().detail, "`bits` must be between 1 and 32.");
    /// ```
    pub fn as_attribute(&self) -> Attribute {
        Attribute {
            validators: self.validators.clone(),
            ..Attribute::optional(self.name.clone(), argument_type(self.ty.clone()))
        }
    }
}

/// The type without what only objects in a state have: an argument may be the object of a resource, whose computed
/// attributes are set.
fn argument_type(ty: AttributeType) -> AttributeType {
    let AttributeType::Nested(object) = ty else { return ty };
    let attributes = object.attributes.into_iter().map(argument_attribute).collect();
    AttributeType::Nested(NestedObject { attributes, ..object })
}

fn argument_attribute(attribute: Attribute) -> Attribute {
    let presence =
        if attribute.presence == Presence::Required { Presence::Required } else { Presence::Optional };
    Attribute {
        presence,
        validators: attribute.validators,
        ..Attribute::optional(attribute.name, argument_type(attribute.ty))
    }
}
