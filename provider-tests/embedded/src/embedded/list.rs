//! Lists: what a query finds.

use ferroform::path::Path;
use ferroform::ty::Type;
use ferroform::value::Value;
use serde_json::{Value as Json, json};

use super::check::Check;
use super::evaluate::{Decoded, decode};
use super::generated_config::generated_value;
use super::log::Log;
use super::object::Kind;
use super::progress::{Progress, Stage, Task};
use super::repetition::RepetitionData;
use super::scope::{Scope, evaluate};
use super::session::Session;
use crate::address::{InstanceAddress, Mode, ResourceAddress};
use crate::client::{IncludeObject, ListedObject, Listing, Provider};
use crate::config::Generated;
use crate::diagnostic::Diagnostic;
use crate::json::value::{known, known_or_null};
use crate::language::module::{Body, Resource, SourceExpr};
use crate::language::{Marked, convert};

/// How many objects are listed, unless the block says otherwise.
const LIMIT: i64 = 100;

/// An object that a query has found.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListedResource {
    /// What a person calls it.
    pub display_name: String,
    /// Its identity.
    pub identity: Json,
    /// The version of the schema of the identity.
    pub identity_version: i64,
    /// The object itself, where it was asked for.
    pub object: Option<Json>,
    /// The configuration that takes it under management, where it was asked for.
    pub generated: Option<Generated>,
}

impl ListedResource {
    /// The result of a list as an event in lines of JSON.
    #[doc(hidden)]
    #[must_use]
    pub fn event(&self, list: &InstanceAddress) -> Json {
        let mut json = json!({
            "address": list.to_string(),
            "display_name": self.display_name,
            "identity": self.identity,
            "identity_version": self.identity_version,
            "resource_type": list.resource.type_name,
        });
        if let Some(object) = &self.object {
            json["resource_object"] = object.clone();
        }
        if let Some(generated) = &self.generated {
            json["config"] = generated.resource.as_str().into();
            json["import_config"] = generated.import.as_str().into();
        }
        json
    }
}

/// Whether a query generates configuration for what it finds, and a plan for imports into resources that are not declared
/// (`-generate-config-out`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Generation {
    /// It does not.
    #[default]
    Off,
    /// It does, so it lists the objects themselves.
    On,
}

/// One instance of a list.
pub(super) struct ListInstance<'a> {
    pub(super) session: &'a Session,
    pub(super) provider: &'a Provider,
    pub(super) address: &'a InstanceAddress,
    pub(super) block: &'a Resource,
    /// The number of the instance, if the list has several.
    pub(super) number: Option<usize>,
    pub(super) generation: Generation,
}

/// What a list asks for.
pub(super) struct ListRequest {
    pub(super) config: Value,
    /// What is sensitive in the configuration.
    sensitive: Vec<Path>,
    limit: i64,
    include: IncludeObject,
}

/// The arguments of a list as they can be told, before it is listed; `None` after an error.
pub(super) fn list_request(
    block: &Resource,
    kind: Kind<'_>,
    (scope, each): (&Scope<'_>, &RepetitionData),
    log: &mut Log,
) -> Option<ListRequest> {
    // Core knows neither "count" nor "each" here.
    let (limit, include) = (block.body.argument("limit"), block.body.argument("include_resource"));
    let limit = limit.map_or(Ok(LIMIT), |expr| limit_of(expr, scope));
    let limit = limit.map_err(|problems| log.extend(problems)).ok()?;
    let include = include.map_or(Ok(IncludeObject::No), |expr| include_of(expr, scope));
    let include = include.map_err(|problems| log.extend(problems)).ok()?;
    let schema = log.answered(kind.block())?;
    let empty = Body::default();
    let config = block.body.blocks.iter().find(|nested| nested.type_name == "config");
    let decoded = decode(config.map_or(&empty, |nested| &nested.body), schema, &Scope { each, ..*scope });
    let Decoded { value: config, sensitive, .. } = decoded.report_to(log)?;
    Some(ListRequest { config, sensitive, limit, include })
}

/// Whether a value may be known later: a validation knows nothing of other lists.
fn is_pending(value: &Value, scope: &Scope<'_>) -> bool {
    value.is_unknown() && scope.walk.is_validation()
}

fn limit_of(expr: &SourceExpr, scope: &Scope<'_>) -> Result<i64, Vec<Diagnostic>> {
    let wrong = |summary: &str, detail: &str| Err(vec![expr.error(summary, detail)]);
    let invalid = |detail: &str| wrong("Invalid \"limit\" argument", detail);
    match convert(evaluate(expr, scope)?, &Type::Number).map(|it| it.value) {
        Ok(Value::Number(number)) => match number.to_i64() {
            Some(limit) if limit < 0 => wrong("Invalid limit argument", "A limit must not be negative."),
            Some(limit) => Ok(limit),
            None => invalid("A limit must be a whole number."),
        },
        Ok(Value::Null) => invalid("A limit must not be null. Remove the argument to have the default."),
        Ok(value) if is_pending(&value, scope) => Ok(LIMIT),
        Ok(_) => invalid("A limit must be known."),
        Err(_) => wrong("Incorrect value type", "A limit must be a number."),
    }
}

fn include_of(expr: &SourceExpr, scope: &Scope<'_>) -> Result<IncludeObject, Vec<Diagnostic>> {
    let wrong = |summary: &str, detail: &str| Err(vec![expr.error(summary, detail)]);
    let invalid = |detail: &str| wrong("Invalid \"include_resource\" argument", detail);
    match convert(evaluate(expr, scope)?, &Type::Bool).map(|it| it.value) {
        Ok(Value::Bool(true)) => Ok(IncludeObject::Yes),
        Ok(Value::Bool(false)) => Ok(IncludeObject::No),
        Ok(Value::Null) => invalid("The value must not be null. Remove the argument to have the default."),
        Ok(value) if is_pending(&value, scope) => Ok(IncludeObject::No),
        Ok(_) => invalid("The value must be known."),
        Err(_) => wrong("Incorrect value type", "The value must be true or false."),
    }
}

impl ListInstance<'_> {
    fn type_name(&self) -> &str {
        &self.address.resource.type_name
    }

    /// Lists the objects: their value for other lists, and what is told of each. After an error there are none.
    pub(super) async fn list(
        &self,
        list_request: &ListRequest,
        log: &mut Log,
    ) -> Option<(Marked, Vec<ListedResource>)> {
        if !list_request.config.is_wholly_known() {
            return log.refuse(
                "config is not known",
                "Whatever a list is configured with must be known while it is listed.",
            );
        }
        let kind = Kind::of(self.provider.catalog(), &self.address.resource);
        self.session.validate(self.provider, kind, &list_request.config, log).await?;
        let sensitive = log.answered(kind.sensitive(&list_request.config, &list_request.sensitive))?;
        let is_configured = self.block.body.blocks.iter().any(|nested| nested.type_name == "config");
        let config = known(&list_request.config).filter(|_| is_configured && sensitive.is_empty());
        let stage = Stage::Listing { config, sensitive: sensitive.clone() };
        let progress = Progress { stage, ..Progress::of(self.address, Task::List) };
        let reporter = self.session.core.start_task(progress.clone(), || None);
        let include =
            if self.generation == Generation::On { IncludeObject::Yes } else { list_request.include };
        let call =
            self.provider.list_resource(self.type_name(), &list_request.config, include, list_request.limit);
        let mut listing = log.answered(self.session.limited(call).await)?;
        let (mut values, mut found) = (Vec::new(), Vec::new());
        while i64::try_from(found.len()).unwrap_or(i64::MAX) < list_request.limit {
            let next = reporter.during(self.next(&mut listing, log)).await.ok()?;
            let Some(mut object) = next else { break };
            if include == IncludeObject::No {
                object.object = None;
            }
            let (value, listed) = self.listed(object, found.len(), log).await?;
            values.push(value);
            found.push(listed);
        }
        let tell = |stage| self.session.core.report(&Progress { stage, ..progress.clone() });
        found.iter().for_each(|listed| tell(Stage::Found(Box::new(listed.clone()))));
        tell(Stage::Listed(found.len()));
        let config = log.answered(kind.evaluated(&list_request.config, &sensitive))?;
        let members = vec![("config".into(), config), ("data".into(), Marked::tuple(values))];
        Some((Marked::object(members), found))
    }

    /// The next object; `None` if there is none any more.
    async fn next(&self, listing: &mut Listing, log: &mut Log) -> Result<Option<ListedObject>, ()> {
        loop {
            let next = log.answered(self.session.limited(listing.next()).await).ok_or(())?;
            let Some(mut object) = next else { return Ok(None) };
            let told = !object.diagnostics.is_empty();
            log.provider(std::mem::take(&mut object.diagnostics));
            if !log.is_fine() {
                return Err(());
            }
            // A warning may come alone.
            if object.identity.is_some() || !told {
                return Ok(Some(object));
            }
        }
    }

    /// What is told of an object, and its value for other lists.
    async fn listed(
        &self,
        object: ListedObject,
        at: usize,
        log: &mut Log,
    ) -> Option<(Marked, ListedResource)> {
        if object.identity.is_none() && self.session.checks(Check::ListIdentity) {
            let detail =
                "Each object that a list resource finds needs its identity. This is a bug in the provider.";
            return log.refuse(
                &format!("missing identity data in ListResource event for {}", self.type_name()),
                detail,
            );
        }
        let identity = object.identity.unwrap_or(Value::Null);
        let catalog = self.provider.catalog();
        let Some(schema) = catalog.identity(self.type_name()) else {
            let detail = format!(
                "The resource type {} has no identity, by which a query tells its objects apart. This is a bug in the \
                 provider.",
                self.type_name()
            );
            return log.refuse("Identity schema not found", detail);
        };
        let managed = ResourceAddress { mode: Mode::Managed, ..self.address.resource.clone() };
        let kind = Kind::of(catalog, &managed);
        let state = match &object.object {
            Some(value) => {
                let sensitive = log.answered(kind.sensitive(value, &[]))?;
                log.answered(kind.evaluated(value, &sensitive))?
            }
            None => Marked::new(Value::Null, &log.answered(kind.ty())?),
        };
        let generated = match (&object.object, self.generation) {
            (Some(value), Generation::On) => Some(self.generated(kind, (value, &identity), at, log).await?),
            _ => None,
        };
        let listed = ListedResource {
            display_name: object.display_name.clone(),
            identity: known_or_null(&identity),
            identity_version: schema.version,
            object: object.object.as_ref().map(known_or_null),
            generated,
        };
        let value = Marked::object(vec![
            ("display_name".into(), Marked::string(&object.display_name)),
            ("identity".into(), Marked::new(identity, &schema.ty())),
            ("state".into(), state),
        ]);
        Some((value, listed))
    }

    async fn generated(
        &self,
        kind: Kind<'_>,
        (value, identity): (&Value, &Value),
        at: usize,
        log: &mut Log,
    ) -> Option<Generated> {
        let value = &generated_value((self.session, self.provider), kind, value, log).await?;
        let schema = log.answered(kind.block())?;
        let number = self.number.map(|number| format!("_{number}")).unwrap_or_default();
        let name = format!("{}{number}_{at}", self.address.resource.name);
        let generated =
            Generated::of((self.type_name(), &name), self.block.provider.as_ref(), schema, (value, identity));
        let generated =
            generated.map_err(|error| log.error("Failed to generate configuration", error.to_string()));
        generated.ok()
    }
}
