//! Expansions in hostile surroundings.

use ferroform::model::{Encode as _, Model as _};
use ferroform::value::Value;

/// Names that shadow those of the standard library and of the SDK.
#[expect(dead_code, reason = "they only have to be there")]
mod shadows {
    pub(super) struct Option;
    pub(super) struct Some;
    pub(super) struct String;
    pub(super) struct Vec;
    pub(super) struct Default;
    pub(super) struct Clone;
    pub(super) const NAME: i32 = 1;

    #[derive(ferroform::model::Model)]
    pub(super) struct Shadowed {
        pub(super) fields: std::option::Option<std::string::String>,
        pub(super) value: bool,
        #[attr(default = 4)]
        pub(super) at: u8,
        pub(super) object: std::vec::Vec<u8>,
        #[attr(computed)]
        pub(super) r#type: std::option::Option<bool>,
    }
}

mod reexport {
    pub(super) use ferroform as sdk;
}

macro_rules! in_macro {
    ($krate:path, $name:ident, $field:ident: $ty:ty = $default:expr, $other:ident: $option:ty) => {
        #[derive(ferroform::model::Model)]
        #[model(crate = $krate, description = "made by a macro")]
        struct $name {
            #[attr(default = $default)]
            $field: $ty,
            $other: $option,
        }
    };
}

in_macro!(crate::derive::hygiene::reexport::sdk, Made, size: u16 = 3, text: Option<String>);

#[derive(ferroform::model::AttributeValue, Debug, Clone)]
#[attr(crate = crate::derive::hygiene::reexport::sdk)]
enum Option_ {
    None,
    Some,
}

#[derive(ferroform::model::Model)]
struct Empty {}

#[test]
fn a_macro_and_a_reexport_make_the_same_model() {
    let made = Made { size: 1, text: None };
    assert_eq!(made.encode(), Value::object([("size", Value::from(1)), ("text", Value::Null)]));
    let block = Made::block();
    assert_eq!(block.description, "made by a macro");
    assert!(block.attribute("text").is_some_and(|it| it.presence == ferroform::schema::Presence::Optional));
    assert_eq!([Option_::None, Option_::Some].map(|it| it.encode()), ["none", "some"].map(Value::from));
}

#[test]
fn shadowed_names_do_not_matter() {
    #[derive(ferroform::model::Model)]
    struct Local {
        name: String,
    }
    assert_eq!(Local { name: "x".to_owned() }.encode(), Value::object([("name", Value::from("x"))]));
    let shadowed =
        shadows::Shadowed { fields: None, value: true, at: 1, object: vec![2], r#type: Some(true) };
    assert_eq!(shadowed.encode().get(&ferroform::path!(object[0])), Some(&Value::from(2)));
    assert!(shadows::Shadowed::block().attribute("type").is_some());
    assert_eq!(Empty {}.encode(), Empty::block().empty());
}
