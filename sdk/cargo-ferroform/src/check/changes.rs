//! What differs between a release and now, and what it means for those who use the release.

use std::collections::BTreeMap;
use std::fmt;

use ferroform::schema::{
    Attribute, AttributeType, Block, BlockNesting, ForImport, FunctionSignature, IdentitySchema, NestedBlock,
    Presence, Schema, Text,
};
use ferroform_testing::client::Schemas;
use semver::Version;

use super::parts::kinds;

/// A change and what it asks of the version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) level: Level,
    pub(super) text: String,
}

/// What a change asks of the version, in ascending order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    Feature,
    Breaking,
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Feature => "minor",
            Self::Breaking => "breaking",
        })
    }
}

impl Level {
    /// The lowest version after a release that may have the change. Before 1.0.0 a minor version may break.
    pub(super) fn after(self, released: &Version) -> Version {
        let &Version { major, minor, patch, .. } = released;
        match self {
            Self::Breaking if major > 0 => Version::new(major + 1, 0, 0),
            Self::Breaking => Version::new(0, minor + 1, 0),
            Self::Feature if major > 0 => Version::new(major, minor + 1, 0),
            Self::Feature => Version::new(major, minor, patch + 1),
        }
    }
}

/// All changes, in the order of kinds and names.
pub(super) fn between(released: &Schemas, now: &Schemas) -> Vec<Change> {
    let mut changes = Changes { within: String::new(), found: Vec::new() };
    changes.within("provider", |it| it.schema(&released.provider, &now.provider));
    for ((kind, before), (_, after)) in kinds(released).into_iter().zip(kinds(now)) {
        changes.each(kind, before, after, |it, before, after| it.schema(before, after));
    }
    changes.each("identity of", &released.identities, &now.identities, |it, before, after| {
        it.identity(before, after);
    });
    changes.each("function", &released.functions, &now.functions, |it, before, after| {
        it.function(before, after);
    });
    changes.found
}

struct Changes {
    /// What is compared: `resource cloud_server.disk`.
    within: String,
    found: Vec<Change>,
}

impl Changes {
    fn report(&mut self, level: Level, text: &str) {
        self.found.push(Change { level, text: format!("{} {text}", self.within) });
    }

    fn breaks(&mut self, text: &str) {
        self.report(Level::Breaking, text);
    }

    fn adds(&mut self, text: &str) {
        self.report(Level::Feature, text);
    }

    fn deprecation(&mut self, before: Option<&Text>, after: Option<&Text>) {
        if before.is_none() && after.is_some() {
            self.adds("is deprecated");
        }
    }

    fn within(&mut self, name: &str, compare: impl FnOnce(&mut Self)) {
        let length = self.within.len();
        if length > 0 && !self.within.ends_with(' ') {
            self.within.push('.');
        }
        self.within.push_str(name);
        compare(self);
        self.within.truncate(length);
    }

    fn each<T>(
        &mut self,
        kind: &str,
        before: &BTreeMap<String, T>,
        after: &BTreeMap<String, T>,
        compare: impl Fn(&mut Self, &T, &T),
    ) {
        for (name, old) in before {
            self.within(&format!("{kind} {name}"), |it| match after.get(name) {
                Some(new) => compare(it, old, new),
                None => it.breaks("was removed; configurations with it have no meaning any more"),
            });
        }
        for name in after.keys().filter(|name| !before.contains_key(*name)) {
            self.within(&format!("{kind} {name}"), |it| it.adds("is new"));
        }
    }

    fn schema(&mut self, before: &Schema, after: &Schema) {
        if after.version < before.version {
            let text = format!("went back from schema version {} to {}", before.version, after.version);
            self.breaks(&format!("{text}; core refuses the states of the release"));
        }
        self.block(&before.block, &after.block);
    }

    fn block(&mut self, before: &Block, after: &Block) {
        self.deprecation(before.deprecation.as_ref(), after.deprecation.as_ref());
        let others = |name: &str| after.block(name).is_some();
        self.attributes(&before.attributes, &after.attributes, &others);
        for old in &before.blocks {
            self.within(&old.name, |it| match (after.block(&old.name), after.attribute(&old.name)) {
                (Some(new), _) => it.nested_block(old, new),
                (None, Some(_)) => {
                    it.breaks("was a block and is an attribute; configurations write it as blocks")
                }
                (None, None) => it.breaks("was removed; deprecate it in one release before"),
            });
        }
        for new in after.blocks.iter().filter(|it| before.block(&it.name).is_none()) {
            let is_attribute = before.attribute(&new.name).is_some();
            self.within(&new.name, |it| match new.min_items {
                _ if is_attribute => {}
                0 => it.adds("is new"),
                _ => it.breaks("is new and required; make it optional"),
            });
        }
    }

    fn nested_block(&mut self, before: &NestedBlock, after: &NestedBlock) {
        if before.nesting != after.nesting {
            self.breaks("has another nesting; expressions that refer to it fail");
        }
        if after.min_items > before.min_items {
            self.breaks("is needed more often than before (min_items)");
        }
        let most = |it: &NestedBlock| if it.max_items == 0 { u32::MAX } else { it.max_items };
        if most(after) < most(before) && !matches!(after.nesting, BlockNesting::Single | BlockNesting::Group)
        {
            self.breaks("may be written less often than before (max_items)");
        }
        self.block(&before.block, &after.block);
    }

    fn attributes(&mut self, before: &[Attribute], after: &[Attribute], is_block: &dyn Fn(&str) -> bool) {
        for old in before {
            let new = after.iter().find(|it| it.name == old.name);
            self.within(&old.name, |it| match new {
                Some(new) => it.attribute(old, new),
                None if is_block(&old.name) => {
                    it.breaks("was an attribute and is a block; configurations assign it")
                }
                None => it.breaks("was removed; deprecate it in one release before"),
            });
        }
        for new in after.iter().filter(|it| before.iter().all(|old| old.name != it.name)) {
            self.within(&new.name, |it| match new.presence {
                Presence::Required => it.breaks("is new and required; make it optional"),
                Presence::Optional | Presence::Computed | Presence::OptionalComputed => {
                    it.adds("is new");
                }
            });
        }
    }

    fn attribute(&mut self, before: &Attribute, after: &Attribute) {
        use Presence::{Computed, Optional, OptionalComputed, Required};
        match (before.presence, after.presence) {
            (before, after) if before == after => {}
            (_, Required) => self.breaks("was made required"),
            (_, Computed) => self.breaks("cannot be configured any more"),
            (OptionalComputed | Computed, Optional) => {
                self.breaks("is not computed any more; where it is not configured it is null");
            }
            (_, Optional | OptionalComputed) => self.adds("may be left out or configured"),
        }
        self.deprecation(before.deprecation.as_ref(), after.deprecation.as_ref());
        if !before.sensitive && after.sensitive {
            self.adds("is sensitive; outputs with it must be marked");
        }
        if before.write_only != after.write_only {
            self.breaks("is stored in one release and write-only in the other");
        }
        match (&before.ty, &after.ty) {
            (AttributeType::Nested(old), AttributeType::Nested(new)) if old.nesting == new.nesting => {
                self.attributes(&old.attributes, &new.attributes, &|_| false);
            }
            (old, new) if old.ty() == new.ty() => {}
            (old, new) => {
                let text = format!("changed its type from {} to {}", old.ty(), new.ty());
                self.breaks(&text);
            }
        }
    }

    fn identity(&mut self, before: &IdentitySchema, after: &IdentitySchema) {
        for old in &before.attributes {
            let new = after.attributes.iter().find(|it| it.name == old.name);
            self.within(&old.name, |it| match new {
                None => it.breaks("was removed; `import` blocks with it fail"),
                Some(new) if new.ty != old.ty => it.breaks("changed its type"),
                Some(new)
                    if new.for_import == ForImport::Required && old.for_import != ForImport::Required =>
                {
                    it.breaks("was made required for import");
                }
                Some(_) => {}
            });
        }
        for new in
            after.attributes.iter().filter(|it| before.attributes.iter().all(|old| old.name != it.name))
        {
            self.within(&new.name, |it| match new.for_import {
                ForImport::Required => it.breaks("is new and required for import"),
                ForImport::Optional => it.adds("is new"),
            });
        }
    }

    fn function(&mut self, before: &FunctionSignature, after: &FunctionSignature) {
        self.deprecation(before.deprecation.as_ref(), after.deprecation.as_ref());
        if before.result != after.result {
            let text = format!("changed its result from {} to {}", before.result, after.result);
            self.breaks(&text);
        }
        if before.parameters.len() != after.parameters.len() {
            self.breaks("has another number of parameters; make another function");
            return;
        }
        if before.variadic_parameter.is_some() && after.variadic_parameter.is_none() {
            self.breaks("takes no further arguments any more");
        }
        if before.variadic_parameter.is_none() && after.variadic_parameter.is_some() {
            self.adds("takes further arguments");
        }
        let old = before.parameters.iter().chain(&before.variadic_parameter);
        for (old, new) in old.zip(after.parameters.iter().chain(&after.variadic_parameter)) {
            if old.ty.ty() != new.ty.ty() {
                self.breaks(&format!("changed the type of {}", new.name));
            }
            if old.allow_null && !new.allow_null {
                self.breaks(&format!("does not take null for {} any more", new.name));
            }
        }
    }
}
