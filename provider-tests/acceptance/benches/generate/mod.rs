//! Programs as source text: providers and models, of any number of types and attributes.

use std::fmt::Write as _;

/// How large a program is.
#[derive(Clone, Copy)]
pub(crate) struct Size {
    pub(crate) types: usize,
    pub(crate) attributes: usize,
}

/// The manifest of a package outside of this workspace; the profiles are those of `docs/contributing/benchmarks.md`.
pub(crate) fn manifest(name: &str, sdk: &str) -> String {
    format!(
        r#"[package]
name = "{name}"
version = "0.1.0"
edition = "2024"

[dependencies]
ferroform = {{ path = "{sdk}" }}

[profile.release]
strip = true

[profile.size]
inherits = "release"
opt-level = "s"
lto = "fat"
codegen-units = 1

[workspace]
"#
    )
}

/// A provider of resources, as the only source file.
pub(crate) fn provider(size: Size) -> String {
    let mut text = String::from(PROVIDER_HEAD);
    for number in 0..size.types {
        model(&mut text, number, size.attributes);
        resource(&mut text, number, size.attributes);
    }
    text.push_str(PROVIDER);
    for number in 0..size.types {
        let _ = writeln!(text, "        it.resource::<Thing{number}>();");
    }
    text.push_str(PROVIDER_MAIN);
    text
}

/// A program that has of each model what a resource uses, and nothing else.
pub(crate) fn models(size: Size) -> String {
    let mut text = String::from(MODELS_HEAD);
    for number in 0..size.types {
        model(&mut text, number, size.attributes);
    }
    text.push_str(MODELS_MAIN);
    for number in 0..size.types {
        let _ = writeln!(text, "    used_by_a_resource::<Thing{number}>();");
    }
    text.push_str("}\n");
    text
}

const PROVIDER_HEAD: &str = "use ferroform::diag::Result;
use ferroform::model::{Draft, Model, Planned, Prior};
use ferroform::provider::{self, Provider, Registry};
use ferroform::resource::{CreateContext, DeleteContext, ReadContext, Resource, UpdateContext};
";

const PROVIDER: &str = "
struct Generated;

impl Provider for Generated {
    type Config = ();
    type Client = ();
    const NAME: &str = \"generated\";

    async fn configure(_cx: &mut provider::Context<'_>, _config: Draft<()>) -> Result {
        Ok(())
    }

    fn register(it: &mut Registry<()>) {
";

const PROVIDER_MAIN: &str = "    }
}

fn main() -> std::process::ExitCode {
    ferroform::serve::<Generated>()
}
";

const MODELS_HEAD: &str = "use std::hint::black_box;

use ferroform::diag::Result;
use ferroform::model::{Decode, Draft, Encode, Model, Planned, Prior};
use ferroform::path::Path;
use ferroform::schema::Schema;
use ferroform::value::Value;
";

const MODELS_MAIN: &str = "
type Decoder<T> = fn(&Value, &mut Path) -> Result<T>;
type Encoder<T> = fn(T) -> Value;

fn used_by_a_resource<M: Model>() {
    black_box(M::schema as fn() -> Schema);
    black_box(M::encode as Encoder<M>);
    black_box(Draft::<M>::decode as Decoder<Draft<M>>);
    black_box(Draft::<M>::encode as Encoder<Draft<M>>);
    black_box(Planned::<M>::decode as Decoder<Planned<M>>);
    black_box(Prior::<M>::decode as Decoder<Prior<M>>);
}

fn main() {
";

/// Attributes in turn: their annotation, their type, and their value in the state after create.
const ATTRIBUTES: [(&str, &str, &str); 6] = [
    ("", "String", "plan."),
    ("", "Option<String>", "plan."),
    ("#[attr(computed)]", "Option<String>", "None"),
    ("", "Option<u32>", "plan."),
    ("#[attr(default = false)]", "bool", "plan."),
    ("", "Option<std::collections::BTreeMap<String, String>>", "plan."),
];

fn model(text: &mut String, number: usize, attributes: usize) {
    let _ = write!(
        text,
        "\n/// Something that the provider manages.\n#[derive(Model)]\nstruct Thing{number} {{\n"
    );
    for (at, (annotation, ty, _)) in ATTRIBUTES.iter().cycle().take(attributes).enumerate() {
        let annotation = if at == 0 { "#[attr(replace, identity)]" } else { annotation };
        let _ = writeln!(text, "    /// What this attribute is for, in one sentence of usual length.");
        let _ = writeln!(text, "    {annotation}\n    attribute_{number}_{at}: {ty},");
    }
    text.push_str("}\n");
}

fn resource(text: &mut String, number: usize, attributes: usize) {
    let mut values = String::new();
    for (at, (_, _, value)) in ATTRIBUTES.iter().cycle().take(attributes).enumerate() {
        let field = format!("attribute_{number}_{at}");
        let from = if value.ends_with('.') { format!("{value}{field}") } else { (*value).to_owned() };
        let _ = writeln!(values, "            {field}: {from},");
    }
    let _ = write!(
        text,
        "
impl Thing{number} {{
    fn made(plan: Planned<Self>) -> Self {{
        Self {{
{values}        }}
    }}
}}

impl Resource for Thing{number} {{
    type Client = ();
    const NAME: &str = \"thing_{number}\";

    async fn create(_cx: &mut CreateContext<'_, Self>, plan: Planned<Self>) -> Result<Self> {{
        Ok(Self::made(plan))
    }}

    async fn read(_cx: &mut ReadContext<'_, Self>, _prior: Prior<Self>) -> Result<Option<Self>> {{
        Ok(None)
    }}

    async fn update(_cx: &mut UpdateContext<'_, Self>, _prior: Prior<Self>, plan: Planned<Self>) -> Result<Self> {{
        Ok(Self::made(plan))
    }}

    async fn delete(_cx: &mut DeleteContext<'_, Self>, _prior: Prior<Self>) -> Result {{
        Ok(())
    }}
}}
"
    );
}
