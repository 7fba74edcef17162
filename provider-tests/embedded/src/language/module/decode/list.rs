//! `list` blocks, which are in the files of queries.

use std::sync::Arc;

use super::super::content::{RawBlock, Spec};
use super::super::syntax::{Argument, Block};
use super::Decoder;
use crate::address::Mode;
use crate::language::rule::Rule;

const LIST: Spec = Spec {
    optional: &["count", "for_each", "provider", "limit", "include_resource"],
    blocks: &[("config", &[])],
    ..Spec::NOTHING
};

impl Decoder<'_> {
    /// A list. Its body is that of the block, with the `config` block in it.
    pub(super) fn list(&mut self, block: &RawBlock) {
        let mut content = self.content(block, &LIST);
        let has_provider = content.arguments.contains_key("provider");
        let mut list = self.resource(block, &mut content, Mode::List);
        if !super::is_identifier(&list.name) && Rule::Name.holds() {
            self.report(block.error("Invalid list block name", super::BAD_NAME));
        }
        if !has_provider {
            let detail = "A list block names its provider. Add the argument \"provider\".";
            self.report(block.error("Missing \"provider\" attribute", detail));
        }
        let is_same =
            |it: &Arc<super::super::Resource>| (&it.type_name, &it.name) == (&list.type_name, &list.name);
        if self.module.resources.iter().any(is_same) && Rule::ResourceOnce.holds() {
            let detail =
                "This file has a list of this type and name already. Remove or rename one of the two.";
            self.report(block.error("Duplicate \"list\" block names", detail));
        }
        for name in ["limit", "include_resource"] {
            let value = content.take(name);
            list.body.arguments.extend(value.map(|value| Argument { name: name.to_owned(), value }));
        }
        list.body.blocks.extend(content.blocks.first().map(|config| Block {
            type_name: config.type_name.clone(),
            labels: Vec::new(),
            body: config.all(self.problems),
            subject: config.subject.clone(),
            heading: config.heading.clone(),
        }));
        self.refuse_second_config(&content, "A list");
        self.module.resources.push(Arc::new(list));
    }
}
