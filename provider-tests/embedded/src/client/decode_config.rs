//! Configurations as core decodes them, from what is written in them.

use std::fmt;

use ferroform::path::{Path, Step};
use ferroform::schema::{
    Attribute, AttributeType, Block, BlockNesting, NestedBlock, NestedObject, Nesting, Presence,
};
use ferroform::value::{Entries, Value, convert};
use ferroform_core::schema::walk::{Body, Member, NULL};

/// Why a value is no configuration for a schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError {
    /// Where.
    pub path: Path,
    /// What is wrong there; never a value.
    pub problem: String,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_root() {
            f.write_str(&self.problem)
        } else {
            write!(f, "{}: {}", self.path, self.problem)
        }
    }
}

impl std::error::Error for ConfigError {}

/// The configuration of a block, from an object of what is written in it: attributes that are left out become null,
/// blocks that are left out absent, and values are converted to the types of the schema.
///
/// # Errors
/// The first name that the schema does not have, value that does not convert, required attribute that is missing, or
/// computed attribute that is set.
///
/// ```
/// use ferroform::schema::{Attribute, Block};
/// use ferroform::ty::Type;
/// use ferroform::value::Value;
/// use ferroform_embedded::client::decode_config;
///
/// let block = Block::new([Attribute::computed("id", Type::String), Attribute::required("size", Type::Number)]);
/// assert_eq!(
///     decode_config(&block, &Value::object([("size", Value::from("3"))])),
///     Ok(Value::object([("id", Value::Null), ("size", Value::from(3))])),
/// );
/// let error = decode_config(&block, &Value::object([("sise", Value::from(3))])).unwrap_err();
/// assert_eq!(error.to_string(), "sise: there is no such attribute or block");
/// ```
pub fn decode_config(block: &Block, written: &Value) -> Result<Value, ConfigError> {
    body(block.into(), written, &Path::root())
}

fn body(schema: Body<'_>, written: &Value, path: &Path) -> Result<Value, ConfigError> {
    let written = entries(written, path)?;
    if let Some(name) = written.keys().find(|name| schema.member(name).is_none()) {
        return Err(invalid(&to(path, name), "there is no such attribute or block"));
    }
    let members = schema.members().map(|member| {
        let (value, path) = (written.get(member.name()).unwrap_or(&NULL), to(path, member.name()));
        let value = match member {
            Member::Attribute(schema) => attribute(schema, value, &path)?,
            Member::Block(schema) => nested_block(schema, value, &path)?,
        };
        Ok((member.name().as_ref(), value))
    });
    Ok(Value::Object(members.collect::<Result<_, ConfigError>>()?))
}

fn nested_block(schema: &NestedBlock, written: &Value, path: &Path) -> Result<Value, ConfigError> {
    if written.is_null() {
        return Ok(schema.absent());
    }
    if written.is_unknown() {
        return Ok(written.clone());
    }
    let one = |value: &Value, path: &Path| body((&schema.block).into(), value, path);
    let dynamic = matches!(schema.absent(), Value::Dynamic(_));
    match schema.nesting {
        BlockNesting::Single | BlockNesting::Group => one(written, path),
        BlockNesting::List if dynamic => {
            Ok(schema.dynamic_value(Value::tuple(each_element(written, path, one)?)))
        }
        BlockNesting::List => Ok(Value::list(each_element(written, path, one)?)),
        BlockNesting::Set => Ok(Value::set(each_element(written, path, one)?)),
        BlockNesting::Map if dynamic => {
            Ok(schema.dynamic_value(Value::object(each_entry(written, path, one)?)))
        }
        BlockNesting::Map => Ok(Value::map(each_entry(written, path, one)?)),
    }
}

fn attribute(schema: &Attribute, written: &Value, path: &Path) -> Result<Value, ConfigError> {
    match schema.presence {
        Presence::Required if written.is_null() => {
            return Err(invalid(path, "the attribute is required, but not set"));
        }
        Presence::Computed if !written.is_null() => {
            return Err(invalid(path, "the attribute is decided by the provider and cannot be set"));
        }
        _ => {}
    }
    match &schema.ty {
        AttributeType::Plain(ty) => {
            convert(written, ty).map_err(|error| invalid(&path.clone().join(&error.path), error.message))
        }
        AttributeType::Nested(object) => nested_attribute(object, written, path),
    }
}

fn nested_attribute(schema: &NestedObject, written: &Value, path: &Path) -> Result<Value, ConfigError> {
    if written.is_null() || written.is_unknown() {
        return Ok(written.clone());
    }
    let one = |value: &Value, path: &Path| {
        if value.is_null() || value.is_unknown() {
            Ok(value.clone())
        } else {
            body(schema.into(), value, path)
        }
    };
    match schema.nesting {
        Nesting::Single => one(written, path),
        Nesting::List => Ok(Value::list(each_element(written, path, one)?)),
        Nesting::Set => Ok(Value::set(each_element(written, path, one)?)),
        Nesting::Map => Ok(Value::map(each_entry(written, path, one)?)),
    }
}

fn entries<'a>(value: &'a Value, path: &Path) -> Result<&'a Entries, ConfigError> {
    value.as_entries().ok_or_else(|| invalid(path, format!("object required, not {}", value.kind())))
}

fn each_element(
    value: &Value,
    path: &Path,
    one: impl Fn(&Value, &Path) -> Result<Value, ConfigError>,
) -> Result<Vec<Value>, ConfigError> {
    let Some(elements) = value.elements() else {
        return Err(invalid(path, format!("list required, not {}", value.kind())));
    };
    let elements = elements.iter().enumerate();
    elements.map(|(at, element)| one(element, &path.clone().step(Step::Index(at)))).collect()
}

fn each_entry(
    value: &Value,
    path: &Path,
    one: impl Fn(&Value, &Path) -> Result<Value, ConfigError>,
) -> Result<Vec<(String, Value)>, ConfigError> {
    let Some(entries) = value.as_entries() else {
        return Err(invalid(path, format!("map required, not {}", value.kind())));
    };
    let entries = entries.iter();
    entries
        .map(|(key, value)| Ok((key.to_string(), one(value, &path.clone().key(key.to_string()))?)))
        .collect()
}

fn to(path: &Path, name: &str) -> Path {
    path.clone().attribute(name.to_owned())
}

fn invalid(path: &Path, problem: impl Into<String>) -> ConfigError {
    ConfigError { path: path.clone(), problem: problem.into() }
}
