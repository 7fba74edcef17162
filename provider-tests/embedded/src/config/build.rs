//! How a test writes a configuration down.
//!
//! Names and addresses are those of the language. One that cannot be read is a mistake of the test and no subject of
//! it, so the functions here panic then, with the place of the call.

use std::str::FromStr;

use ferroform::path::Path;

use super::{
    Body, Config, Expr, IgnoreChanges, ImportBlock, ImportTarget, Lifecycle, MovedBlock, NestedBlock,
    OutputBlock, ProviderBlock, Reference, RemovedBlock, Repetition, ResourceBlock, StateStoreBlock,
};
use crate::address::{Mode, ModuleInstance, ResourceAddress, is_identifier};

/// A resource of that type and name.
///
/// # Panics
/// The type or the name cannot be one.
#[must_use]
#[track_caller]
pub fn resource(type_name: &str, name: &str) -> ResourceBlock {
    declared(Mode::Managed, type_name, name)
}

/// A data source of that type and name.
///
/// # Panics
/// The type or the name cannot be one.
#[must_use]
#[track_caller]
pub fn data(type_name: &str, name: &str) -> ResourceBlock {
    declared(Mode::Data, type_name, name)
}

/// An ephemeral resource of that type and name.
///
/// ```
/// use ferroform_embedded::config::{Config, ephemeral, reference, resource};
///
/// let config = Config::new()
///     .resource(ephemeral("demo_token", "api").set("name", "api"))
///     .resource(resource("demo_file", "note").set("secret", reference("ephemeral.demo_token.api.value")));
/// assert!(config.to_hcl().unwrap().starts_with("ephemeral \"demo_token\" \"api\" {"));
/// ```
///
/// # Panics
/// The type or the name cannot be one.
#[must_use]
#[track_caller]
pub fn ephemeral(type_name: &str, name: &str) -> ResourceBlock {
    declared(Mode::Ephemeral, type_name, name)
}

/// A list of that type and name, as files `*.tfquery.hcl` have them, for [`Core::query`](crate::embedded::Core::query).
///
/// ```
/// use ferroform_embedded::config::{Config, body, list_resource};
///
/// let list = list_resource("demo_file", "notes").provider("demo").set("limit", 10);
/// let config = Config::new().resource(list.block("config", body().set("prefix", "notes/")));
/// assert!(config.to_hcl().unwrap().starts_with("list \"demo_file\" \"notes\" {"));
/// ```
///
/// # Panics
/// The type or the name cannot be one.
#[must_use]
#[track_caller]
pub fn list_resource(type_name: &str, name: &str) -> ResourceBlock {
    declared(Mode::List, type_name, name)
}

/// A configuration of the provider with that local name.
///
/// # Panics
/// The name cannot be one.
#[must_use]
#[track_caller]
pub fn provider(name: &str) -> ProviderBlock {
    ProviderBlock { name: identifier("the name of a provider", name), alias: None, body: Body::default() }
}

/// A state store of the type, for `ferroform_testing::case::Case::state_store`. Its provider is the one that
/// the type name starts with.
///
/// ```
/// use ferroform_embedded::config::{provider, state_store};
///
/// let store = state_store("cloud_bucket").set("name", "states").provider(provider("cloud").set("region", "eu-1"));
/// # drop(store);
/// ```
///
/// # Panics
/// The type cannot be one.
#[must_use]
#[track_caller]
pub fn state_store(type_name: &str) -> StateStoreBlock {
    let type_name = identifier("the type of a state store", type_name);
    let provider = provider(type_name.split_once('_').map_or(&*type_name, |(first, _)| first));
    StateStoreBlock { type_name, provider, body: Body::default() }
}

/// What is in a nested block: nothing yet.
#[must_use]
pub fn body() -> Body {
    Body::default()
}

#[track_caller]
pub(super) fn declared(mode: Mode, type_name: &str, name: &str) -> ResourceBlock {
    let address = ResourceAddress {
        module: ModuleInstance::default(),
        mode,
        type_name: identifier("the type of a resource", type_name),
        name: identifier("the name of a resource", name),
    };
    ResourceBlock {
        address,
        body: Body::default(),
        repetition: Repetition::Single,
        depends_on: Vec::new(),
        provider: None,
        lifecycle: Lifecycle::default(),
    }
}

/// A name, or a panic.
#[track_caller]
fn identifier(what: &str, name: &str) -> String {
    assert!(
        is_identifier(name),
        "{what} cannot be {name:?}: it must begin with a letter or `_`, and hold letters, digits, `_` and `-` only"
    );
    name.to_owned()
}

/// What a text says, or a panic.
#[track_caller]
pub(super) fn said<T>(text: &str) -> T
where
    T: FromStr,
    T::Err: std::fmt::Display,
{
    match text.parse() {
        Ok(said) => said,
        Err(error) => panic!("{error}"),
    }
}

/// The module that a test writes:
///
/// ```
/// use ferroform_embedded::config::{Config, body, count_index, data, provider, reference, resource, template};
///
/// let config = Config::new()
///     .provider(provider("demo").set("root", "/tmp/demo"))
///     .data(data("demo_token", "api").set("audience", "tests"))
///     .resource(
///         resource("demo_file", "index")
///             .count(2)
///             .set("name", template(["file-".into(), count_index(), ".txt".into()]))
///             .set("content", reference("data.demo_token.api.value"))
///             .block("rule", body().set("mode", "0600").set("owner", None::<&str>))
///             .ignore_changes(["rule[0].owner"])
///             .create_before_destroy(),
///     )
///     .output("first", reference("demo_file.index[0].name"));
/// let text = r#"provider "demo" {
///   root = "/tmp/demo"
/// }
///
/// data "demo_token" "api" {
///   audience = "tests"
/// }
///
/// resource "demo_file" "index" {
///   count   = 2
///   name    = "file-${count.index}.txt"
///   content = data.demo_token.api.value
///
///   rule {
///     mode  = "0600"
///     owner = null
///   }
///
///   lifecycle {
///     create_before_destroy = true
///     ignore_changes = [
///       rule[0].owner
///     ]
///   }
/// }
///
/// output "first" {
///   value = demo_file.index[0].name
/// }
/// "#;
/// assert_eq!(config.to_hcl().as_deref(), Ok(text));
/// ```
impl Config {
    /// An empty module.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// With a requirement: the provider with that address (`host/namespace/type`) has that local name. Test cases add
    /// those of their providers.
    ///
    /// # Panics
    /// The name or the address cannot be one.
    #[must_use]
    #[track_caller]
    pub fn required_provider(mut self, name: &str, address: &str) -> Self {
        self.required_providers.push((identifier("the name of a provider", name), said(address)));
        self
    }

    /// With a `provider` block.
    #[must_use]
    pub fn provider(mut self, block: ProviderBlock) -> Self {
        self.providers.push(block);
        self
    }

    /// With a `resource` block.
    #[must_use]
    pub fn resource(mut self, block: ResourceBlock) -> Self {
        self.resources.push(block);
        self
    }

    /// With a `data` block.
    #[must_use]
    pub fn data(self, block: ResourceBlock) -> Self {
        self.resource(block)
    }

    /// With blocks in the configuration language, such as `variable`, `locals` and `module` blocks.
    ///
    /// ```
    /// use ferroform_embedded::config::{Config, resource};
    ///
    /// let config = Config::new()
    ///     .resource(resource("acme_thing", "this").set("name", "a"))
    ///     .text("output \"upper\" {\n  value = upper(acme_thing.this.name)\n}\n");
    /// assert!(config.to_hcl().unwrap().ends_with("upper(acme_thing.this.name)\n}\n"));
    /// ```
    #[must_use]
    pub fn text(mut self, blocks: impl AsRef<str>) -> Self {
        self.text.push_str(blocks.as_ref());
        self
    }

    /// With an `output` block.
    ///
    /// # Panics
    /// The name cannot be one.
    #[must_use]
    #[track_caller]
    pub fn output(self, name: &str, value: impl Into<Expr>) -> Self {
        self.any_output(name, value.into(), false)
    }

    /// With an `output` block that is sensitive.
    ///
    /// # Panics
    /// The name cannot be one.
    #[must_use]
    #[track_caller]
    pub fn sensitive_output(self, name: &str, value: impl Into<Expr>) -> Self {
        self.any_output(name, value.into(), true)
    }

    #[track_caller]
    fn any_output(mut self, name: &str, value: Expr, sensitive: bool) -> Self {
        let name = identifier("the name of an output", name);
        self.outputs.push(OutputBlock { name, value, sensitive });
        self
    }

    /// With an `import` block by id.
    ///
    /// # Panics
    /// The address is none of a resource instance.
    #[must_use]
    #[track_caller]
    pub fn import(mut self, to: &str, id: impl Into<Expr>) -> Self {
        self.imports.push(ImportBlock::new(said(to), ImportTarget::Id(id.into())));
        self
    }

    /// With an `import` block by identity.
    ///
    /// # Panics
    /// The address is none of a resource instance.
    #[must_use]
    #[track_caller]
    pub fn import_identity(mut self, to: &str, identity: impl Into<Expr>) -> Self {
        self.imports.push(ImportBlock::new(said(to), ImportTarget::Identity(identity.into())));
        self
    }

    /// With a `moved` block.
    ///
    /// # Panics
    /// An address is none of a resource, a module, or an instance of one.
    #[must_use]
    #[track_caller]
    pub fn moved(mut self, from: &str, to: &str) -> Self {
        self.moved.push(MovedBlock { from: said(from), to: said(to) });
        self
    }

    /// With a `removed` block whose objects are destroyed.
    ///
    /// # Panics
    /// The address is none of a resource or module.
    #[must_use]
    #[track_caller]
    pub fn removed(mut self, from: &str) -> Self {
        self.removed.push(RemovedBlock { from: said(from), destroy: true });
        self
    }

    /// With a `removed` block whose objects stay, and are no longer managed.
    ///
    /// # Panics
    /// The address is none of a resource or module.
    #[must_use]
    #[track_caller]
    pub fn forgotten(mut self, from: &str) -> Self {
        self.removed.push(RemovedBlock { from: said(from), destroy: false });
        self
    }
}

/// The arguments and blocks that all kinds of blocks take alike.
macro_rules! contents {
    ($($name:ident)*) => {$(
        impl $name {
            /// With an argument. One of the same name that was set before is replaced.
            ///
            /// # Panics
            /// The name cannot be one.
            #[must_use]
            #[track_caller]
            pub fn set(mut self, name: &str, value: impl Into<Expr>) -> Self {
                self.body = self.body.set(name, value);
                self
            }

            /// With a nested block.
            ///
            /// # Panics
            /// The name cannot be one.
            #[must_use]
            #[track_caller]
            pub fn block(mut self, name: &str, body: Body) -> Self {
                self.body = self.body.block(name, body);
                self
            }

            /// With a nested block that has a label, as those of map nesting have.
            ///
            /// # Panics
            /// The name cannot be one.
            #[must_use]
            #[track_caller]
            pub fn labelled(mut self, name: &str, label: &str, body: Body) -> Self {
                self.body = self.body.labelled(name, label, body);
                self
            }
        }
    )*};
}

contents! { ProviderBlock ResourceBlock StateStoreBlock }

impl Body {
    /// With an argument. One of the same name that was set before is replaced.
    ///
    /// # Panics
    /// The name cannot be one.
    #[must_use]
    #[track_caller]
    pub fn set(mut self, name: &str, value: impl Into<Expr>) -> Self {
        let (name, value) = (identifier("the name of an argument", name), value.into());
        match self.arguments.iter_mut().find(|(argument, _)| *argument == name) {
            Some((_, earlier)) => *earlier = value,
            None => self.arguments.push((name, value)),
        }
        self
    }

    /// With a nested block.
    ///
    /// # Panics
    /// The name cannot be one.
    #[must_use]
    #[track_caller]
    pub fn block(self, name: &str, body: Body) -> Self {
        self.any_block(name, Vec::new(), body)
    }

    /// With a nested block that has a label, as those of map nesting have.
    ///
    /// # Panics
    /// The name cannot be one.
    #[must_use]
    #[track_caller]
    pub fn labelled(self, name: &str, label: &str, body: Body) -> Self {
        self.any_block(name, vec![label.to_owned()], body)
    }

    #[track_caller]
    fn any_block(mut self, name: &str, labels: Vec<String>, body: Body) -> Self {
        let type_name = identifier("the type of a block", name);
        self.blocks.push(NestedBlock { type_name, labels, body });
        self
    }
}

impl StateStoreBlock {
    /// With another provider, or with a configuration of it.
    #[must_use]
    pub fn provider(self, provider: ProviderBlock) -> Self {
        Self { provider, ..self }
    }
}

impl ProviderBlock {
    /// With an alias.
    ///
    /// # Panics
    /// The alias cannot be one.
    #[must_use]
    #[track_caller]
    pub fn alias(mut self, alias: &str) -> Self {
        self.alias = Some(identifier("the alias of a provider", alias));
        self
    }
}

impl ResourceBlock {
    /// With `count`.
    #[must_use]
    pub fn count(mut self, count: impl Into<Expr>) -> Self {
        self.repetition = Repetition::Count(count.into());
        self
    }

    /// With `for_each`.
    #[must_use]
    pub fn for_each(mut self, each: impl Into<Expr>) -> Self {
        self.repetition = Repetition::ForEach(each.into());
        self
    }

    /// With another resource in `depends_on`.
    ///
    /// # Panics
    /// The address is none of a resource.
    #[must_use]
    #[track_caller]
    pub fn depends_on(mut self, address: &str) -> Self {
        self.depends_on.push(said(address));
        self
    }

    /// With another configuration of a provider: its local name and, after a dot, its alias.
    ///
    /// # Panics
    /// The name or the alias cannot be one.
    #[must_use]
    #[track_caller]
    pub fn provider(mut self, name: &str) -> Self {
        let (name, alias) = match name.split_once('.') {
            Some((name, alias)) => (name, Some(identifier("the alias of a provider", alias))),
            None => (name, None),
        };
        self.provider = Some((identifier("the name of a provider", name), alias));
        self
    }

    /// With `create_before_destroy`.
    #[must_use]
    pub fn create_before_destroy(mut self) -> Self {
        self.lifecycle.create_before_destroy = true;
        self
    }

    /// With `prevent_destroy`.
    #[must_use]
    pub fn prevent_destroy(mut self) -> Self {
        self.lifecycle.prevent_destroy = true;
        self
    }

    /// With these paths in `ignore_changes`, such as `rule[0].owner`.
    ///
    /// # Panics
    /// A path is none.
    #[must_use]
    #[track_caller]
    pub fn ignore_changes<'a>(mut self, paths: impl IntoIterator<Item = &'a str>) -> Self {
        let mut all: Vec<Path> = Vec::new();
        for path in paths {
            all.push(super::parse::path(path));
        }
        self.lifecycle.ignore_changes = IgnoreChanges::Paths(all);
        self
    }

    /// With `ignore_changes = all`.
    #[must_use]
    pub fn ignore_all_changes(mut self) -> Self {
        self.lifecycle.ignore_changes = IgnoreChanges::All;
        self
    }

    /// With another reference in `replace_triggered_by`, such as `demo_file.index.name`.
    ///
    /// # Panics
    /// It cannot be read as a reference.
    #[must_use]
    #[track_caller]
    pub fn replace_triggered_by(mut self, reference: &str) -> Self {
        let reference: Reference = said(reference);
        self.lifecycle.replace_triggered_by.push(reference);
        self
    }
}
