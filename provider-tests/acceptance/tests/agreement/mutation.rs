//! Every check of the embedded core is needed: without it some case comes to something else.

use ferroform::value::Value;
use ferroform_testing::config::{Config, Expr, resource};
use ferroform_testing::embedded::Check;

use crate::compare::differences;
use crate::embedded::Embedded;
use crate::scenario::Scenario;
use crate::side::{Seen, run};

/// What the language cannot say, so that only the embedded core is asked for it.
pub(crate) fn embedded_only() -> Vec<Scenario> {
    let never = Expr::Literal(Value::unknown());
    let block = resource("wrong_thing", "this").set("name", "a").set("note", never);
    vec![
        Scenario::new("an argument is unknown for ever").apply(Config::new().resource(block)),
        Scenario::new("an ephemeral value is stored")
            .plan(ephemeral("note = var.passing", "wrong_thing.this.id")),
        Scenario::new("an ephemeral value is given out")
            .plan(ephemeral("", "\"${wrong_thing.this.name}${var.passing}\"")),
    ]
}

/// A thing and an output, where an ephemeral value can be referred to.
fn ephemeral(argument: &str, output: &str) -> Config {
    Config::new().text(format!(
        "variable \"passing\" {{\n  default   = \"x\"\n  ephemeral = true\n}}\n\
         resource \"wrong_thing\" \"this\" {{\n  name = \"a\"\n  {argument}\n}}\n\
         output \"it\" {{\n  value = {output}\n}}\n",
    ))
}

/// A case that needs the check, for each of them.
const NEEDED_BY: [(Check, &str); 65] = [
    (Check::PlanWriteOnly, "a write-only attribute is planned"),
    (Check::PlanValid, "a block is planned otherwise"),
    (Check::PlanReplacePaths, "a plan requires replacement for an attribute that does not exist"),
    (Check::PlanIdentity, "an identity is planned unknown though the object exists"),
    (Check::PlanDestroyNull, "a deletion is planned with an object"),
    (Check::SecondPlanWriteOnly, "the second plan of a replacement keeps a write-only value"),
    (Check::PreventDestroy, "an object may not be destroyed"),
    (Check::FinalPlanAction, "an update becomes a replacement"),
    (Check::FinalPlanCompatible, "a known value is planned otherwise"),
    (Check::ApplyConfigKnown, "an argument is unknown for ever"),
    (Check::ApplyIdentity, "an identity stays unknown"),
    (Check::ApplyWriteOnly, "a write-only value is stored"),
    (Check::ApplyKnown, "a value stays unknown"),
    (Check::ApplyCompatible, "an attribute is not as planned"),
    (Check::ApplyDeleted, "a deleted object is still there"),
    (Check::ApplyPresent, "a result of the legacy kind is missing"),
    (Check::ReadKnown, "a read value is unknown"),
    (Check::ReadWriteOnly, "a write-only value is read"),
    (Check::ReadIdentity, "a read identity is unknown"),
    (Check::UpgradeVersion, "an object is of a newer version"),
    (Check::UpgradeKnown, "an upgraded value is unknown"),
    (Check::UpgradeWriteOnly, "a write-only value is upgraded"),
    (Check::IdentityVersion, "an identity is of a newer version"),
    (Check::IdentityUpgradeKnown, "an upgraded identity is unknown"),
    (Check::ImportId, "an import has an empty id"),
    (Check::ImportSeveral, "an import finds several objects"),
    (Check::ImportNothing, "an import finds none"),
    (Check::ImportNull, "an imported object is null"),
    (Check::ImportType, "an imported object is of another type"),
    (Check::ImportWriteOnly, "a write-only value is imported"),
    (Check::ImportIdentityKnown, "an import has an identity that is not known"),
    (Check::ImportIdentitySensitive, "an import has a secret identity"),
    (Check::ImportIdentity, "an object imported by identity has none"),
    (Check::ImportMissing, "an imported object is gone"),
    (Check::ImportManaged, "an object is imported where one is"),
    (Check::MoveKnown, "a moved value is unknown"),
    (Check::MoveWriteOnly, "a write-only value is moved"),
    (Check::MoveIdentity, "a moved identity is unknown"),
    (Check::MoveSupported, "moves across types are not supported"),
    (Check::DataNull, "what a data source read is null"),
    (Check::DataKnown, "what a data source read is unknown"),
    (Check::ListIdentity, "a listed object has no identity"),
    (Check::ActionCompleted, "an action has no events"),
    (Check::EphemeralResult, "the result of an ephemeral resource is not as configured"),
    (Check::Deferral, "a plan is put off"),
    (Check::RemovedStillConfigured, "a removed resource is still configured"),
    (Check::MovedStillDeclared, "an instance that was moved is still declared"),
    (Check::OutputSensitive, "an output does not say that it is sensitive"),
    (Check::OutputEphemeral, "an ephemeral value is given out"),
    (Check::EphemeralStored, "an ephemeral value is stored"),
    (Check::IgnoredExists, "an attribute that does not exist is ignored"),
    (Check::TriggerFound, "a trigger has no such instance"),
    (Check::ProviderConfigPresent, "a provider that an object needs is not configured"),
    (Check::ProviderConfigKnown, "an import needs a configuration of the provider that is not known"),
    (Check::ProviderConfigImplied, "a provider that nobody has configured refuses"),
    (Check::SchemaVersion, "the version of a schema is negative"),
    (Check::SchemaPresence, "an attribute is required and optional"),
    (Check::SchemaType, "an attribute has a type and nested attributes"),
    (Check::SchemaBlockName, "the name of a block has a capital letter"),
    (Check::SchemaNesting, "blocks are nested in no known way"),
    (Check::SchemaItems, "a group has a least number"),
    (Check::SchemaDynamicInSet, "a nested set has something of any type in it"),
    (Check::SchemaWriteOnlyInSet, "a set of blocks has something write-only in it"),
    (Check::SchemaIdentity, "an identity has a map"),
    (Check::SchemaFunction, "two parameters have the same name"),
];

/// Runs the case that needs a check with the check and without it.
pub(crate) fn check(check: Check) {
    let named = NEEDED_BY.iter().find(|(known, _)| *known == check).map(|(_, name)| name);
    let name = named.unwrap_or_else(|| panic!("NEEDED_BY does not say which case needs {check:?}"));
    let scenario = crate::all().into_iter().find(|it| it.name == **name);
    let scenario = scenario.unwrap_or_else(|| panic!("there is no case {name:?}"));
    let (whole, without) = (seen(None, &scenario), seen(Some(check), &scenario));
    assert!(!differences(&without, &whole).is_empty(), "{name:?} does not need {check:?}");
}

fn seen(without: Option<Check>, scenario: &Scenario) -> Vec<Seen> {
    let core = Embedded::new(&scenario.subject);
    run(&mut without.into_iter().fold(core, Embedded::without), scenario)
}
