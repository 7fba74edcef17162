//! `cargo ferroform import-schema`: models out of the schema of any provider.

mod names;
mod rust;

use std::path::PathBuf;

use clap::Args;
use ferroform::schema::{IdentitySchema, Kind, Presence, Schema, SchemaRole};
use ferroform_testing::client::Schemas;

use crate::failure::{Failure, Outcome};
use crate::{files, released};

pub(crate) use self::names::struct_name;

/// Make Rust models of the schema of an existing provider, in any language: the first step of a migration.
///
/// FILE is what `terraform providers schema -json` prints in a folder whose configuration uses the provider. Each type
/// becomes a struct with `#[derive(Model)]` of the same schema, with structs for what is nested in it. What a schema does
/// not hold (defaults, validators, replacement) is for you to add.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The JSON of the schemas.
    file: PathBuf,
    /// The types to make models of, such as cloud_server; `provider` is its configuration [default: all].
    #[arg(value_name = "TYPE")]
    types: Vec<String>,
    /// The source address of the provider, or the end of it, if the file has several.
    #[arg(long, value_name = "ADDRESS")]
    provider: Option<String>,
    /// The file to write, which must not exist [default: print the models].
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// A schema to make a model of.
struct Source<'s> {
    type_name: &'s str,
    kind: Option<Kind>,
    schema: Schema,
    identity: Option<&'s IdentitySchema>,
}

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    if let Some(out) = arguments.out.as_ref().filter(|out| out.exists()) {
        return Err(Failure::new(format!("{} exists already; choose another file", out.display())));
    }
    let (address, schemas) = released::read(&arguments.file, arguments.provider.as_deref())?;
    let text = models(&address, &schemas, &arguments.types, &mut |warning| eprintln!("warning: {warning}"))?;
    match &arguments.out {
        Some(out) => files::write_all([(out.as_path(), text.as_str())]),
        None => {
            print!("{text}");
            Ok(())
        }
    }
}

/// The text of the models of these types, or of all.
///
/// # Errors
/// There is no such type, or nothing of which a model can be made.
fn models(address: &str, schemas: &Schemas, types: &[String], warn: &mut dyn FnMut(&str)) -> Outcome<String> {
    let mut sources = sources(schemas);
    for name in types {
        if !sources.iter().any(|source| source.type_name == name) {
            return Err(Failure::new(format!(
                "`{name}` is not a type of {address}; `cargo ferroform import-schema` without types makes models of all"
            )));
        }
    }
    sources.retain(|source| types.is_empty() || types.iter().any(|name| source.type_name == name));
    let mut writer = rust::Writer::new(address);
    let mut made = 0;
    for source in &mut sources {
        for path in without_defaults(source) {
            warn(&format!(
                "{}: `{path}` has a default, which a schema does not hold; add `default = ...`",
                described(source)
            ));
        }
        match mistakes(source) {
            Some(reason) => warn(&format!("left out {}: {reason}", described(source))),
            None => {
                writer.add(source);
                made += 1;
            }
        }
    }
    for name in schemas.functions.keys().filter(|_| types.is_empty()) {
        warn(&format!(
            "left out the function {name}: it becomes a Rust function, see `cargo ferroform add function`"
        ));
    }
    if made == 0 {
        return Err(Failure::new("nothing is left of which a model could be made; no file is written"));
    }
    Ok(writer.text())
}

/// Everything that has a schema, the configuration of the provider first.
fn sources(schemas: &Schemas) -> Vec<Source<'_>> {
    let mut sources =
        vec![Source { type_name: "provider", kind: None, schema: schemas.provider.clone(), identity: None }];
    for (kind, types) in [
        (Kind::Resource, &schemas.resources),
        (Kind::DataSource, &schemas.data_sources),
        (Kind::EphemeralResource, &schemas.ephemeral_resources),
        (Kind::ListResource, &schemas.list_resources),
        (Kind::Action, &schemas.actions),
        (Kind::StateStore, &schemas.state_stores),
    ] {
        sources.extend(types.iter().map(|(type_name, schema)| {
            let identity = schemas.identities.get(type_name).filter(|_| kind == Kind::Resource);
            Source { type_name, kind: Some(kind), schema: schema.clone(), identity }
        }));
    }
    sources
}

/// Makes what is computed optional in a configuration that nobody but its author fills: the value is a default. Returns the
/// names at the root.
fn without_defaults(source: &mut Source<'_>) -> Vec<String> {
    let is_filled = matches!(source.kind, Some(Kind::Resource | Kind::DataSource | Kind::EphemeralResource));
    let mut found = Vec::new();
    if !is_filled {
        for attribute in &mut source.schema.block.attributes {
            if attribute.presence == Presence::OptionalComputed {
                attribute.presence = Presence::Optional;
                found.push(attribute.name.to_string());
            }
        }
    }
    found
}

/// Why a model cannot have the schema; `None` if it can.
fn mistakes(source: &Source<'_>) -> Option<String> {
    let role = source.kind.map_or(SchemaRole::Provider, SchemaRole::Of);
    let identity = source.identity.map(|identity| identity.check().err());
    let found = source.schema.check_as(role).err().or(identity.flatten());
    let found = found.map(|errors| errors.to_string().replace('\n', "; "));
    found.or_else(|| rust::inexpressible(source))
}

fn described(source: &Source<'_>) -> String {
    match source.kind {
        None => "the configuration of the provider".to_owned(),
        Some(kind) => format!("the {kind} {}", source.type_name),
    }
}
