//! `terraform`, `provider` and `module` blocks.

use ferroform::ty::Type;
use hcl_edit::expr::{Expression, ObjectKey};

use super::super::content::{Content, RawBlock, Spec};
use super::super::model::{Call, Provider, ProviderMeta, ProviderName, RequiredProvider, StateStore};
use super::super::state_store::check_constants;
use super::super::statics::StaticStep;
use super::super::syntax::{Body, SourceExpr, key_text};
use super::super::translate::translate;
use super::super::version::Constraint;
use super::{Decoder, is_provider_name, needs_real_core};
use crate::address::ProviderAddress;
use crate::language::Diagnostic;
use crate::language::Subject;
use crate::language::convert;
use crate::language::evaluate::start_of;
use crate::language::rule::Rule;

const TERRAFORM: Spec = Spec {
    optional: &["required_version", "experiments", "language"],
    blocks: &[
        ("required_providers", &[]),
        ("backend", &["type"]),
        ("cloud", &[]),
        ("state_store", &["type"]),
        ("provider_meta", &["provider"]),
    ],
    ..Spec::NOTHING
};

const PROVIDER: Spec = Spec {
    optional: &["alias", "version", "count", "depends_on", "for_each", "source"],
    blocks: &[("_", &[]), ("lifecycle", &[]), ("locals", &[])],
    ..Spec::ANYTHING
};

const CALL: Spec = Spec {
    required: &["source"],
    optional: &["version", "count", "for_each", "depends_on", "providers"],
    blocks: &[("_", &[]), ("lifecycle", &[]), ("locals", &[]), ("provider", &["type"])],
    ..Spec::ANYTHING
};

const STATE_STORE: Spec = Spec { blocks: &[("provider", &["name"])], ..Spec::ANYTHING };

impl Decoder<'_> {
    pub(super) fn terraform(&mut self, block: &RawBlock) {
        let mut content = self.content(block, &TERRAFORM);
        if let Some(expr) = content.take("required_version") {
            let text = self.version_constraint(&expr);
            self.module.required_versions.extend(text.map(|text| (text, expr.definition())));
        }
        for name in ["experiments", "language"] {
            if let Some(expr) = content.take(name) {
                self.report(expr.placed(needs_real_core(&format!("the setting {name:?}"))));
            }
        }
        for nested in &content.blocks {
            match nested.type_name.as_str() {
                "required_providers" => self.required_providers(nested),
                "state_store" => self.state_store(nested),
                "provider_meta" => self.provider_meta(nested),
                other => self.report(needs_real_core(&format!("{other} blocks")).on(&nested.subject)),
            }
        }
    }

    fn state_store(&mut self, block: &RawBlock) {
        let content = self.content(block, &STATE_STORE);
        let [provider] = content.blocks.as_slice() else {
            let detail = "A state store has one provider block, with the configuration of the provider that has its \
                          type.";
            let problem =
                if content.blocks.is_empty() { "Missing provider block" } else { "Duplicate provider block" };
            self.report(block.error(problem, detail));
            return;
        };
        self.module.state_stores.push(StateStore {
            type_name: block.label().to_owned(),
            provider: provider.label().to_owned(),
            address: super::assumed(provider.label()),
            provider_body: provider.all(self.problems),
            body: content.rest,
            subject: block.subject.clone(),
        });
    }

    fn provider_meta(&mut self, block: &RawBlock) {
        let found = self.problems.len();
        let arguments = block.body.attributes(translate, self.problems);
        if self.problems.len() > found {
            return;
        }
        let body = Body { arguments, brace: Some(block.brace()), ..Body::default() };
        if Rule::ConstantMeta.holds() {
            check_constants(&body, self.problems);
        }
        if !self.check_provider_name(block.label(), &block.subject) {
            return;
        }
        self.module.provider_metas.push(ProviderMeta {
            provider: block.label().to_owned(),
            body,
            label: block.label_subject(0),
            subject: block.subject.clone(),
        });
    }

    fn required_providers(&mut self, block: &RawBlock) {
        // An empty block counts as one, too; what tells it is kept with the blocks.
        self.module.required_provider_blocks.push(block.subject.clone());
        for argument in block.body.attributes(translate, self.problems) {
            let subject = argument.value.subject().clone();
            if !self.check_provider_name(&argument.name, &subject) {
                continue;
            }
            if let Some((address, aliases)) = self.required_provider(&argument.name, &argument.value) {
                let name = argument.name;
                self.module.required_providers.push(RequiredProvider { name, address, aliases, subject });
            }
        }
    }

    fn required_provider(
        &mut self,
        name: &str,
        value: &SourceExpr,
    ) -> Option<(ProviderAddress, Vec<ProviderName>)> {
        let (mut source, mut aliases, mut place, mut refused) = (None, Vec::new(), None, false);
        match value.expression() {
            // A version alone, as it was written long ago.
            Expression::String(version) => self.check_version(value, version.as_str()),
            Expression::Object(object) => {
                for (key, member) in object.iter() {
                    let setting = key_text(key).unwrap_or_default();
                    let member = value.part(member.expr());
                    match setting {
                        "source" => {
                            source = literal_string(&member);
                            if source.is_none() {
                                let detail = "The source of a provider is a string without references.";
                                self.report(member.error("Invalid source", detail));
                                refused = true;
                            }
                            place = Some(member);
                        }
                        "version" => match literal_string(&member) {
                            Some(version) => self.check_version(&member, &version),
                            None => {
                                self.report(Constraint::error(&member));
                                refused = true;
                            }
                        },
                        "configuration_aliases" => aliases = self.configuration_aliases(name, &member),
                        other => {
                            let detail = format!("There is no setting {other:?} of a required provider.");
                            let key = self::key(value, key);
                            self.report(key.error("Invalid required_providers object", detail));
                        }
                    }
                }
            }
            // So is a constant that can be one.
            _ => {
                let constant = value.constant().ok().filter(|it| !it.is_null() && it.ty.is_primitive());
                let Some(version) = constant.and_then(|it| convert(it, &Type::String).ok()) else {
                    let detail = "A required provider is an object with \"source\" and \"version\".";
                    return self.refuse(value.error("Invalid required_providers object", detail));
                };
                self.check_version(value, version.value.as_str().unwrap_or_default());
            }
        }
        if refused {
            return None;
        }
        let address = match &source {
            None => Ok(assumed(name)),
            Some(source) => provider_address(source),
        };
        if let Err(summary) = address
            && Rule::ProviderSource.holds()
        {
            let detail = "The source of a provider is NAMESPACE/TYPE or HOST/NAMESPACE/TYPE.";
            let place = place.as_ref().unwrap_or(value);
            self.report(place.error(summary, detail));
        }
        Some((address.ok()?, aliases))
    }

    /// The names that have to be passed to the module.
    fn configuration_aliases(&mut self, name: &str, value: &SourceExpr) -> Vec<ProviderName> {
        let mut aliases = Vec::new();
        for element in self.statics().list(value) {
            let Some(reference) = self.statics().plain_reference(&element) else { continue };
            let alias = match reference.steps.as_slice() {
                [] => None,
                [StaticStep::Name(alias)] => Some(alias.clone()),
                _ => {
                    let detail = "Write the local name of the provider with an alias, as in aws.west.";
                    self.report(value.error("Invalid configuration_aliases value", detail));
                    continue;
                }
            };
            if reference.root != name {
                let detail = format!("The aliases of {name} have to begin with this name.");
                self.report(value.error("Invalid configuration_aliases value", detail));
            } else if alias.is_some() && !aliases.iter().any(|(_, known)| *known == alias) {
                aliases.push((reference.root, alias));
            }
        }
        aliases
    }

    /// The text of a constant constraint, if it is not null.
    fn version_constraint(&mut self, expr: &SourceExpr) -> Option<String> {
        match expr.constant().map(|value| Constraint::text(value, expr)) {
            Ok(Ok(text)) => return text,
            Ok(Err(problem)) => self.report(problem),
            Err(problems) => self.problems.extend(problems),
        }
        None
    }

    fn check_version(&mut self, expr: &SourceExpr, text: &str) {
        if Constraint::parse(text).is_none() {
            self.report(Constraint::error(expr));
        }
    }

    pub(super) fn provider(&mut self, block: &RawBlock) {
        let mut content = self.content(block, &PROVIDER);
        let is_named = self.check_provider_name(block.label(), &block.subject);
        let alias = content.take("alias");
        let alias = alias.map(|expr| self.statics().string(&expr).unwrap_or_default());
        if let Some(alias) = &alias
            && !super::is_identifier(alias)
        {
            self.report(block.error("Invalid provider configuration alias", super::BAD_NAME));
        }
        if let Some(expr) = content.take("version") {
            let summary = "Version constraints inside provider configuration blocks are deprecated";
            let detail = "Name the versions that fit in \"required_providers\" instead.";
            self.report(Diagnostic::warning(summary, detail).on(expr.subject()));
            let _ = self.version_constraint(&expr);
        }
        for name in ["count", "depends_on", "for_each", "source"] {
            if let Some(expr) = content.take(name).filter(|_| Rule::ReservedArgument.holds()) {
                let detail =
                    format!("The argument name {name:?} is reserved, and a provider block cannot have it.");
                self.report(expr.name_error("Reserved argument name in provider block", detail));
            }
        }
        self.escaped(&mut content, "Reserved block type name in provider block");
        let provider = Provider {
            name: block.label().to_owned(),
            alias,
            body: content.rest,
            subject: block.subject.clone(),
        };
        if is_named {
            self.module.providers.push(provider);
        }
    }

    /// Takes in what stands in `_` blocks, where names of arguments are free. All other nested block types are reserved.
    pub(super) fn escaped(&mut self, content: &mut Content, reserved: &'static str) {
        let mut escapes = 0;
        for nested in &content.blocks {
            if nested.type_name == "_" {
                self.escape(nested, &mut escapes, &mut content.rest);
            } else {
                let detail = format!("Blocks of type {:?} cannot be written here.", nested.type_name);
                self.report(nested.error(reserved, detail));
            }
        }
    }

    pub(super) fn call(&mut self, block: &RawBlock) {
        let mut content = self.content(block, &CALL);
        let name = block.label().to_owned();
        self.check_name(block, 0, "Invalid module instance name");
        let (source_expr, version) = (content.take("source"), content.take("version"));
        let (count, for_each) = self.repetition(&mut content);
        self.escaped(&mut content, "Reserved block type name in module block");
        self.duplicates(&content.rest);
        let depends_on = content.take("depends_on");
        let providers =
            content.take("providers").map(|expr| self.passed_providers(&expr)).unwrap_or_default();
        let (providers, passed_at) = providers.into_iter().unzip();
        let call = Call {
            name,
            source: None,
            source_expr,
            version,
            count,
            for_each,
            providers,
            passed_at,
            depends_on: depends_on.map(|expr| self.statics().depends_on(&expr)).unwrap_or_default(),
            body: content.rest,
            subject: block.subject.clone(),
        };
        self.module.calls.push(call);
    }

    /// Reports arguments in JSON that are there twice. In other bodies the schema says which of them may be blocks.
    fn duplicates(&mut self, body: &Body) {
        for (at, argument) in body.arguments.iter().enumerate().filter(|(_, it)| it.value.is_json()) {
            if body.is_repeated(at) {
                self.report(argument.duplicate());
            }
        }
    }

    /// What is passed, and where the names stand.
    fn passed_providers(
        &mut self,
        expr: &SourceExpr,
    ) -> Vec<((ProviderName, ProviderName), (Subject, Subject))> {
        let Expression::Object(object) = expr.expression() else {
            let detail =
                "Write an object: the provider configurations within, and those outside that they are.";
            self.report(expr.error_at(start_of(expr.expression()), "Invalid expression", detail));
            return Vec::new();
        };
        let mut passed = Vec::new();
        for (key, value) in object.iter() {
            let (key, value) = (self::key(expr, key), expr.part(value.expr()));
            let inner = self.provider_name(&key);
            let outer = self.provider_name(&value);
            if let (Some(inner), Some(outer)) = (inner, outer) {
                if passed.iter().any(|((known, _), _)| *known == inner) {
                    let detail = "Each provider configuration within the module is passed once.";
                    self.report(value.error("Duplicate provider address", detail));
                    continue;
                }
                let places = (super::first_name(&key, &inner.0), super::first_name(&value, &outer.0));
                passed.push(((inner, outer), places));
            }
        }
        passed
    }
}

/// The key of an object as an expression.
fn key(object: &SourceExpr, key: &ObjectKey) -> SourceExpr {
    match key {
        ObjectKey::Ident(key) => object.part(&Expression::Variable(key.clone())),
        ObjectKey::Expression(key) => object.part(key),
    }
}

/// What core assumes of a provider without a source.
pub(crate) fn assumed(name: &str) -> ProviderAddress {
    match name {
        "terraform" => address("terraform.io", "builtin", name),
        _ => default_address(name),
    }
}

/// The default address of a local name. `terraform` is not the built-in provider here.
pub(crate) fn default_address(name: &str) -> ProviderAddress {
    address("registry.terraform.io", "hashicorp", name)
}

fn address(host: &str, namespace: &str, name: &str) -> ProviderAddress {
    ProviderAddress { host: host.to_owned(), namespace: namespace.to_owned(), type_name: name.to_owned() }
}

/// The text of a constant that is a string.
fn literal_string(expr: &SourceExpr) -> Option<String> {
    expr.constant().ok()?.value.as_str().map(ToOwned::to_owned)
}

/// The address that a source stands for, or the summary of what is wrong with it.
fn provider_address(source: &str) -> Result<ProviderAddress, &'static str> {
    let source = source.to_lowercase();
    let parts: Vec<&str> = source.split('/').collect();
    let (host, namespace, type_name) = match parts.as_slice() {
        parts if parts.contains(&"") => return Err("Invalid provider source string"),
        [type_name] => (None, None, *type_name),
        [namespace, type_name] => (None, Some(*namespace), *type_name),
        [host, namespace, type_name] => (Some(*host), Some(*namespace), *type_name),
        _ => return Err("Invalid provider source string"),
    };
    if !is_provider_name(type_name) {
        return Err("Invalid provider type");
    }
    let Some(namespace) = namespace else { return Ok(assumed(type_name)) };
    if !is_provider_name(namespace) {
        return Err("Invalid provider namespace");
    }
    let host = host.unwrap_or("registry.terraform.io");
    if !host.split(['.', ':']).all(is_provider_name) {
        return Err("Invalid provider source hostname");
    }
    // The programs of providers have the prefix, and their types have not.
    if type_name.starts_with("terraform-") {
        return Err("Invalid provider type");
    }
    let [host, namespace, type_name] = [host, namespace, type_name].map(ToOwned::to_owned);
    Ok(ProviderAddress { host, namespace, type_name })
}
