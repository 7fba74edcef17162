//! The rules of a plan.

use super::{Rule, Violation, Walk, elements, entries, keys, lookup, members, objects};
use crate::path::{Path, Step};
use crate::schema::{Attribute, AttributeType, Block, BlockNesting, NestedBlock, Nesting};
use crate::ty::Type;
use crate::value::{Entries, Value};

/// Checks a planned state against the configuration and the prior state, both as core sent them.
///
/// The rules are those of core's own check of a plan: for an attribute in this order, a planned value is right if
/// it equals the configured one; if it equals a prior one that is not null while something is configured; if the
/// attribute is computed only; if it is computed and nothing is configured.
#[must_use]
pub fn plan_valid(block: &Block, prior: &Value, config: &Value, planned: &Value) -> Vec<Violation> {
    let mut walk = Walk::new(Rule::PlanFollowsConfig);
    walk.plan_block(block, prior, config, planned);
    walk.violations
}

/// Checks the result of an open against the configuration, both wholly known, by the rules of a plan.
#[must_use]
pub fn open_result_valid(block: &Block, config: &Value, result: &Value) -> Vec<Violation> {
    let mut walk = Walk::new(Rule::ResultFollowsConfig);
    walk.plan_block(block, &Value::Null, config, result);
    walk.violations
}

/// Checks one object or element: prior, configured and planned.
type ElementCheck<'o> = &'o dyn Fn(&mut Walk, &Value, &Value, &Value);

impl Walk {
    /// What a method does with a value that the rule is about.
    const fn verb(&self) -> &'static str {
        if matches!(self.rule, Rule::ResultFollowsConfig) { "returned" } else { "planned" }
    }

    fn report_number(&mut self, found: usize, configured: usize) {
        self.report(format!("{found} elements are {}, but {configured} are configured", self.verb()));
    }

    fn plan_block(&mut self, block: &Block, prior: &Value, config: &Value, planned: &Value) {
        match (config.is_null(), planned.is_null()) {
            (true, true) => return,
            (true, false) => {
                return self.report(format!("something is {} where nothing is configured", self.verb()));
            }
            (false, true) => {
                return self.report(format!("nothing is {} where something is configured", self.verb()));
            }
            (false, false) => {}
        }
        if planned.is_unknown() {
            return self.report(format!("it is {} as unknown as a whole", self.verb()));
        }
        let objects = objects([config, planned, prior]);
        self.plan_attributes(&block.attributes, objects);
        for nested in &block.blocks {
            let [config, planned, prior] = members(objects, &nested.name);
            self.member(&nested.name, |walk| walk.plan_nested_block(nested, prior, config, planned));
        }
    }

    fn plan_attributes(&mut self, attributes: &[Attribute], objects: [Option<&Entries>; 3]) {
        for attribute in attributes {
            let [config, planned, prior] = members(objects, &attribute.name);
            if planned != config {
                self.member(&attribute.name, |walk| walk.plan_attribute(attribute, prior, config, planned));
            }
        }
    }

    /// Checks a planned value that is not the configured one.
    fn plan_attribute(&mut self, attribute: &Attribute, prior: &Value, config: &Value, planned: &Value) {
        let computed = attribute.presence.is_computed();
        let suppressed = planned == prior && !prior.is_null() && !config.is_null();
        if attribute.write_only {
            // Whether it is null is the rule of write-only values, which is checked by itself.
            return;
        }
        if suppressed || (computed && !attribute.presence.is_optional()) {
            return;
        }
        if config.is_null() {
            if !computed {
                self.report(format!(
                    "a value is {}, but none is configured and the attribute is not computed",
                    self.verb()
                ));
            }
            return;
        }
        match &attribute.ty {
            AttributeType::Nested(object) => {
                let one = |walk: &mut Self, prior: &Value, config: &Value, planned: &Value| {
                    walk.plan_attributes(&object.attributes, objects([config, planned, prior]));
                };
                self.plan_nested(object.nesting, prior, config, planned, &one);
            }
            AttributeType::Plain(_) if planned.is_null() => {
                self.report(format!("a configured value is {} as null", self.verb()))
            }
            AttributeType::Plain(_) if planned.is_unknown() => {
                self.report(format!("a configured value is {} as unknown", self.verb()));
            }
            AttributeType::Plain(_) if config.is_unknown() => {
                self.report("a known value is planned while the configured one is still unknown");
            }
            AttributeType::Plain(_) => self.report(match self.rule {
                Rule::ResultFollowsConfig => "the returned value is not the configured one",
                _ => "the planned value is neither the configured nor the prior one",
            }),
        }
    }

    fn plan_nested(
        &mut self,
        nesting: Nesting,
        prior: &Value,
        config: &Value,
        planned: &Value,
        one: ElementCheck<'_>,
    ) {
        if planned.is_null() {
            return self.report(format!("configured objects are {} as null", self.verb()));
        }
        if planned.is_unknown() {
            return self.report(format!("configured objects are {} as unknown as a whole", self.verb()));
        }
        if config.is_unknown() {
            return self.report("known objects are planned while the configured ones are still unknown");
        }
        let element =
            |walk: &mut Self, prior: &Value, config: &Value, planned: &Value| match (config, planned) {
                (Value::Object(_), Value::Object(_)) => one(walk, prior, config, planned),
                (config, planned) if config == planned => {}
                _ => walk.report(format!(
                    "an element is {} as null or unknown that is configured otherwise",
                    walk.verb()
                )),
            };
        match nesting {
            Nesting::Single => one(self, prior, config, planned),
            Nesting::List => self.plan_elements(prior, config, planned, &element),
            Nesting::Map => self.plan_keys(prior, config, planned, &element),
            // Core cannot tell which planned element is which, and neither can this check; only their numbers are
            // compared, as far as they are settled.
            Nesting::Set => {
                let (Value::Set(config), Value::Set(planned)) = (config, planned) else { return };
                let (configured, possible) = (config.possible_lengths(), planned.possible_lengths());
                if possible.end() < configured.start() || configured.end() < possible.start() {
                    let (planned, configured) = (possible.end(), configured.end());
                    self.report_number(*planned, *configured);
                }
            }
        }
    }

    fn plan_nested_block(&mut self, nested: &NestedBlock, prior: &Value, config: &Value, planned: &Value) {
        if planned == config || (config.is_null() && nested.block.computed) {
            return;
        }
        if planned.is_null() && nested.nesting != BlockNesting::Single {
            return self.report(format!("blocks are {} as null; none is an empty collection", self.verb()));
        }
        if config.is_unknown() {
            return self.report("blocks are planned while their number is still unknown; pass them through");
        }
        if planned.is_unknown() {
            return self.report(format!("configured blocks are {} as unknown as a whole", self.verb()));
        }
        let one = |walk: &mut Self, prior: &Value, config: &Value, planned: &Value| {
            walk.plan_block(&nested.block, prior, config, planned);
        };
        match nested.nesting {
            BlockNesting::Single | BlockNesting::Group => one(self, prior, config, planned),
            BlockNesting::List => self.plan_elements(prior, config, planned, &one),
            BlockNesting::Map => self.plan_keys(prior, config, planned, &one),
            BlockNesting::Set => {
                if elements(planned).iter().any(Value::is_unknown) {
                    self.report(format!("an element is {} as unknown as a whole", self.verb()));
                }
            }
        }
    }

    fn plan_elements(&mut self, prior: &Value, config: &Value, planned: &Value, one: ElementCheck<'_>) {
        let (before, config, planned) = (elements(prior), elements(config), elements(planned));
        if config.len() != planned.len() {
            return self.report_number(planned.len(), config.len());
        }
        for (index, (config, planned)) in config.iter().zip(planned).enumerate() {
            let prior = before.get(index).unwrap_or(&Value::Null);
            self.index(index, |walk| one(walk, prior, config, planned));
        }
    }

    fn plan_keys(&mut self, prior: &Value, config: &Value, planned: &Value, one: ElementCheck<'_>) {
        for (key, config) in entries(config) {
            self.key(key, |walk| match lookup(planned, key) {
                Some(planned) => one(walk, lookup(prior, key).unwrap_or(&Value::Null), config, planned),
                None => walk.report(format!("a configured key is not {}", walk.verb())),
            });
        }
        for key in keys(planned).filter(|key| lookup(config, key).is_none()) {
            self.key(key, |walk| {
                walk.report(format!("a key is {} that is not configured", walk.verb()));
            });
        }
    }
}

/// Checks the paths that require a replacement, each as far as it has a form on the wire, which is up to the first
/// set element: it must be one of the schema, and lead to something in the prior or in the planned state.
///
/// Core refuses a plan with a path that leads nowhere in both states, and ignores the paths when there is no prior
/// object.
///
/// ```
/// use ferroform::path;
/// use ferroform_core::plan::replace_paths;
/// use ferroform::schema::{Attribute, Block};
/// use ferroform::ty::Type;
/// use ferroform::value::Value;
///
/// let block = Block::new([Attribute::required("zone", Type::String)]);
/// let state = Value::object([("zone", Value::from("eu"))]);
/// let violations = replace_paths(&block, &state, &state, &[path!(zone), path!(zome)]);
/// assert_eq!(violations.len(), 1);
/// assert_eq!(violations[0].path, path!(zome));
/// ```
#[must_use]
pub fn replace_paths(block: &Block, prior: &Value, planned: &Value, paths: &[Path]) -> Vec<Violation> {
    let mut violations = Vec::new();
    if prior.is_null() || paths.is_empty() {
        return violations;
    }
    let ty = block.ty();
    for path in paths {
        let steps = path.addressable();
        let found = if type_at(&ty, steps).is_none() {
            "`plan` requires a replacement for it, but the schema has nothing there"
        } else if !reaches(prior, steps) && !reaches(planned, steps) {
            "`plan` requires a replacement for it, but neither state has anything there"
        } else {
            continue;
        };
        violations.push(Violation {
            rule: Rule::ReplacePathExists,
            path: path.clone(),
            found: found.to_owned(),
        });
    }
    violations
}

/// The type of that to which the steps lead in a value of a type. What a dynamic value holds, only the value says.
pub(in crate::plan) fn type_at<'t>(ty: &'t Type, steps: &[Step]) -> Option<&'t Type> {
    match (ty, steps) {
        (ty, []) | (ty @ Type::Dynamic, _) => Some(ty),
        (Type::Object(object), [Step::Attribute(name) | Step::Key(name), rest @ ..]) => {
            object.attribute(name).and_then(|ty| type_at(ty, rest))
        }
        (Type::List(element), [Step::Index(_), rest @ ..])
        | (Type::Map(element), [Step::Key(_), rest @ ..]) => type_at(element, rest),
        (Type::Tuple(elements), [Step::Index(at), rest @ ..]) => {
            elements.get(*at).and_then(|ty| type_at(ty, rest))
        }
        _ => None,
    }
}

/// Whether the steps lead to something in the value; below what is unknown, anything may be.
fn reaches(value: &Value, steps: &[Step]) -> bool {
    let Some((step, rest)) = steps.split_first() else { return true };
    let inner = value.get(&Path::from_iter([step.clone()]));
    value.is_unknown() || inner.is_some_and(|inner| reaches(inner, rest))
}
