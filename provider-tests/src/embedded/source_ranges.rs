//! The source ranges that diagnostics point at.

use std::collections::HashMap;

use ferroform::path::{Path, Step};

use crate::address::InstanceAddress;
use crate::config::{Body, Config, Expr, ResourceBlock};
use crate::diagnostic::{Diagnostic, SourceRange};

/// Adds the places of arguments to what has none yet: of the argument that a path leads to, or else of the block.
pub(super) fn locate(config: &Config, diagnostics: &mut [Diagnostic]) {
    let written = config.resources.iter().any(|block| block.source.is_some());
    if !written || diagnostics.iter().all(|it| it.place.is_some() || it.address.is_none()) {
        return;
    }
    let blocks: HashMap<_, &ResourceBlock> = config.resources.iter().map(|it| (&it.address, it)).collect();
    for diagnostic in diagnostics.iter_mut().filter(|it| it.place.is_none()) {
        let address = diagnostic.address.as_deref().and_then(|text| text.parse::<InstanceAddress>().ok());
        let Some(block) = address.and_then(|address| blocks.get(&address.resource).copied()) else {
            continue;
        };
        let argument = diagnostic.path.as_ref().and_then(|path| argument(&block.body, path));
        let block = || SourceRange::of(block.source.as_ref());
        diagnostic.place = argument.or_else(block);
    }
}

/// The argument that is, or holds, what is at a path; or else the body that lacks it.
pub(super) fn argument(body: &Body, path: &Path) -> Option<Box<SourceRange>> {
    let (mut body, mut steps) = (body, path.steps());
    while let [Step::Attribute(name), rest @ ..] = steps {
        if let Some((_, Expr::Source(written))) = body.arguments.iter().find(|(it, _)| *it == **name) {
            return SourceRange::of(Some(written.expr().subject()));
        }
        let mut blocks = body.blocks.iter().filter(|block| block.type_name == **name);
        let (block, rest) = match rest {
            [Step::Index(at), rest @ ..] => (blocks.nth(*at), rest),
            [Step::Key(key), rest @ ..] => {
                (blocks.find(|it| it.labels.first() == Some(&key.to_string())), rest)
            }
            rest => (blocks.next(), rest),
        };
        let Some(block) = block else { return SourceRange::of(body.source.as_ref()) };
        (body, steps) = (&block.body, rest);
    }
    None
}
