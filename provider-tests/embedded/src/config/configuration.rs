//! Typed configurations as the embedded core takes them: read from the text that they are written as.

use ferroform::value::Value;

use super::{Body, Config, Expr, HclError, ProviderBlock, ResourceBlock, StateStoreBlock};
use crate::address::{Mode, ProviderAddress};
use crate::diagnostic::Diagnostic;
use crate::language::SourceFile;
use crate::language::module::{Configuration, Inputs, StateStore, load_texts};

/// The name of the file that a typed configuration is written into.
pub(crate) const FILE: &str = "main.tf";

/// The name of the file that its lists are written into.
const QUERIES: &str = "main.tfquery.hcl";

/// The configuration that the text of a typed one declares.
///
/// Unknown values have no text. A variable is declared for each, and its value is unknown while planning.
impl From<&Config> for Configuration {
    fn from(config: &Config) -> Self {
        let mut unknowns = Unknowns::default();
        // Only what has unknown values is copied, with variables in their place. Other errors come again.
        let (text, queries) = match texts(config).or_else(|_| texts(&unknowns.lifted(config))) {
            Ok(texts) => texts,
            Err(error) => {
                let error = Diagnostic::error("Invalid configuration", error.to_string());
                return Self::invalid(vec![error]);
            }
        };
        let mut inputs = Inputs::new();
        unknowns.names().for_each(|(name, value)| inputs.set(name, value.clone()));
        let mut files = vec![SourceFile::new(FILE, unknowns.declarations() + &text)];
        // Lists are refused in other files.
        if !queries.is_empty() {
            files.push(SourceFile::new(QUERIES, queries));
        }
        load_texts(".", files).and_then(|tree| tree.prepare(&inputs)).unwrap_or_else(Self::invalid)
    }
}

/// The texts of a configuration and of its lists, which have a file of their own.
fn texts(config: &Config) -> Result<(String, String), HclError> {
    let is_list = |block: &ResourceBlock| block.address.mode == Mode::List;
    if !config.resources.iter().any(is_list) {
        return Ok((config.to_hcl()?, String::new()));
    }
    let (lists, resources) = config.resources.iter().cloned().partition(is_list);
    let queries = Config { resources: lists, ..Config::default() };
    let rest = Config { resources, ..config.clone() };
    Ok((rest.to_hcl()?, queries.to_hcl()?))
}

impl StateStoreBlock {
    /// The state store that the text of the block declares, of the provider with that address.
    #[doc(hidden)]
    pub fn read(&self, address: Option<ProviderAddress>) -> Result<StateStore, Vec<Diagnostic>> {
        let invalid = |detail: String| vec![Diagnostic::error("Invalid state store", detail)];
        let text = self.to_hcl().map_err(|error| invalid(error.to_string()))?;
        let store = load_texts(".", vec![SourceFile::new(FILE, text)])?.state_store()?;
        let store = store.ok_or_else(|| invalid("The text of the block declares none.".to_owned()))?;
        Ok(StateStore { address: address.unwrap_or_else(|| store.address.clone()), ..store })
    }
}

/// The unknown values of a configuration, which become variables.
#[derive(Default)]
struct Unknowns(Vec<Value>);

impl Unknowns {
    fn names(&self) -> impl Iterator<Item = (String, &Value)> {
        self.0.iter().enumerate().map(|(at, value)| (format!("unknown_{at}"), value))
    }

    fn declarations(&self) -> String {
        self.names().map(|(name, _)| format!("variable \"{name}\" {{}}\n\n")).collect()
    }

    /// The configuration with references to variables in the place of unknown values.
    fn lifted(&mut self, config: &Config) -> Config {
        let mut config = config.clone();
        for ResourceBlock { body, .. } in &mut config.resources {
            self.body(body);
        }
        for ProviderBlock { body, .. } in &mut config.providers {
            self.body(body);
        }
        config.outputs.iter_mut().for_each(|output| self.expr(&mut output.value));
        config
    }

    fn body(&mut self, body: &mut Body) {
        body.arguments.iter_mut().for_each(|(_, value)| self.expr(value));
        body.blocks.iter_mut().for_each(|block| self.body(&mut block.body));
    }

    fn expr(&mut self, expr: &mut Expr) {
        match expr {
            Expr::Literal(value) if !value.is_wholly_known() => *expr = self.value(value),
            Expr::Tuple(parts) | Expr::Template(parts) => parts.iter_mut().for_each(|it| self.expr(it)),
            Expr::Object(members) => members.iter_mut().for_each(|(_, value)| self.expr(value)),
            Expr::Sensitive(inner) => self.expr(inner),
            Expr::Literal(_) | Expr::Reference(_) | Expr::Variable(_) => {}
        }
    }

    /// A value that is unknown in part.
    fn value(&mut self, value: &Value) -> Expr {
        match value.peel() {
            known if known.is_wholly_known() => Expr::Literal(known.clone()),
            Value::List(elements) | Value::Tuple(elements) => {
                Expr::Tuple(elements.iter().map(|it| self.value(it)).collect())
            }
            Value::Set(elements) => Expr::Tuple(elements.iter().map(|it| self.value(it)).collect()),
            Value::Map(members) | Value::Object(members) => {
                let member = |(name, it): (&std::sync::Arc<str>, &Value)| (name.to_string(), self.value(it));
                Expr::Object(members.iter().map(member).collect())
            }
            unknown => {
                self.0.push(unknown.clone());
                Expr::Variable(format!("unknown_{}", self.0.len() - 1))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{list_resource, resource};
    use super::*;

    #[test]
    fn unknown_values_become_variables() {
        let thing = resource("acme_thing", "a").set("name", "a").set("size", Expr::Literal(Value::unknown()));
        let config =
            Config::new().resource(thing).resource(list_resource("acme_thing", "all").set("provider", "x"));
        let configuration = Configuration::from(&config);
        let declared: Vec<&str> = configuration.root().variables.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(declared, ["unknown_0"], "{:?}", configuration.diagnostics());
        let input = configuration.input("unknown_0").expect("it has a value");
        assert!(!input.value.value.is_wholly_known());
        let types = configuration.root().resources.iter().map(|it| it.mode).collect::<Vec<_>>();
        assert_eq!(types, [Mode::Managed, Mode::List]);
    }

    #[test]
    fn what_has_no_text_is_an_error() {
        let thing = resource("acme_thing", "a").count(Expr::Literal(Value::unknown()));
        let configuration = Configuration::from(&Config::new().resource(thing));
        assert_eq!(configuration.errors().expect("there are errors").len(), 1);
    }
}
