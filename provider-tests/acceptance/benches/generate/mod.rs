//! Providers as source text, of any number of resources and attributes.

use std::fmt::Write as _;

/// How large a provider is.
#[derive(Clone, Copy)]
pub(crate) struct Size {
    pub(crate) resources: usize,
    pub(crate) attributes: usize,
}

/// The manifest of a package outside of this workspace; the profiles are those of `docs/benchmarks.md`.
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

/// The only source file.
pub(crate) fn source(size: Size) -> String {
    let mut text = String::from(HEAD);
    for number in 0..size.resources {
        resource(&mut text, number, size.attributes);
    }
    text.push_str(PROVIDER);
    for number in 0..size.resources {
        let _ = writeln!(text, "        it.resource::<Thing{number}>();");
    }
    text.push_str(MAIN);
    text
}

const HEAD: &str = "use std::collections::BTreeMap;

use ferroform::diag::Result;
use ferroform::model::{Draft, Model, Planned, Prior};
use ferroform::provider::{self, Provider, Registry};
use ferroform::resource::{Context, Resource};
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

const MAIN: &str = "    }
}

fn main() -> std::process::ExitCode {
    ferroform::serve::<Generated>()
}
";

/// Attributes in turn: their annotation, their type, and their value in the state after create.
const ATTRIBUTES: [(&str, &str, &str); 6] = [
    ("", "String", "plan."),
    ("", "Option<String>", "plan."),
    ("#[attr(computed)]", "Option<String>", "None"),
    ("", "Option<u32>", "plan."),
    ("#[attr(default = false)]", "bool", "plan."),
    ("", "Option<BTreeMap<String, String>>", "plan."),
];

fn resource(text: &mut String, number: usize, attributes: usize) {
    let mut fields = String::new();
    let mut values = String::new();
    for (at, (annotation, ty, value)) in ATTRIBUTES.iter().cycle().take(attributes).enumerate() {
        let annotation = if at == 0 { "#[attr(replace, identity)]" } else { annotation };
        let field = format!("attribute_{number}_{at}");
        let _ = writeln!(fields, "    /// What this attribute is for, in one sentence of usual length.");
        let _ = writeln!(fields, "    {annotation}\n    {field}: {ty},");
        let from = if value.ends_with('.') { format!("{value}{field}") } else { (*value).to_owned() };
        let _ = writeln!(values, "            {field}: {from},");
    }
    let _ = write!(
        text,
        "
/// Something that the provider manages.
#[derive(Model)]
struct Thing{number} {{
{fields}}}

impl Thing{number} {{
    fn made(plan: Planned<Self>) -> Self {{
        Self {{
{values}        }}
    }}
}}

impl Resource for Thing{number} {{
    type Client = ();
    const NAME: &str = \"thing_{number}\";

    async fn create(_cx: &mut Context<'_, Self>, plan: Planned<Self>) -> Result<Self> {{
        Ok(Self::made(plan))
    }}

    async fn read(_cx: &mut Context<'_, Self>, _prior: Prior<Self>) -> Result<Option<Self>> {{
        Ok(None)
    }}

    async fn update(_cx: &mut Context<'_, Self>, _prior: Prior<Self>, plan: Planned<Self>) -> Result<Self> {{
        Ok(Self::made(plan))
    }}

    async fn delete(_cx: &mut Context<'_, Self>, _prior: Prior<Self>) -> Result {{
        Ok(())
    }}
}}
"
    );
}
