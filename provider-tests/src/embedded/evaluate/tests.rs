//! Bodies by schemas that the other tests have no provider for.

use std::cell::RefCell;

use ferroform::path::Path;
use ferroform::schema::{Attribute, Block, BlockNesting, NestedBlock};
use ferroform::ty::Type;
use ferroform::value::Value;

use super::{Decoded, decode_stored};
use crate::address::ResourceAddress;
use crate::config::{Config, Expr};
use crate::embedded::layout::Layout;
use crate::embedded::scope::{RepetitionData, Scope, Values};
use crate::language::module::{Inputs, Key, Outcome, Repeating, Resources, load_texts};
use crate::language::{Diagnostic, Marked, Resolved, SourceFile, Stage, TraversalStep};

/// What the first resource of a text comes to.
fn decoded(file: &str, text: &str, schema: &Block) -> Decoded {
    let tree = load_texts(".", vec![SourceFile::new(file, text)]).expect("the text is right");
    let config = tree.prepare(&Inputs::new()).expect("the text is right").config;
    let layout = Layout::new(&Config::default(), &[], &mut Vec::new());
    let scope = Scope { layout: &layout, values: &Values::new(0), each: &RepetitionData::default() };
    let block = config.resources.first().expect("there is a resource");
    decode_stored(&block.body, schema, &scope)
}

fn json(body: &str) -> String {
    format!("{{\"resource\":{{\"demo_box\":{{\"a\":{body}}}}}}}")
}

#[test]
fn blocks_of_map_nesting_have_their_labels_in_json() {
    let inner = Block::new(vec![Attribute::optional("size", Type::Number)]);
    let nested = NestedBlock::new("part", BlockNesting::Map, inner);
    let schema = Block::default().blocks(vec![nested]);
    let sized = |size: i64| Value::object([("size", Value::from(size))]);
    let both = Value::map([("x", sized(1)), ("y", sized(2))]);
    let texts = [
        r#"{"part": {"x": {"size": 1}, "y": {"size": 2}}}"#,
        r#"{"part": [{"x": {"size": 1}}, {"y": {"size": "${1 + 1}"}}]}"#,
        r#"{"part": {"//": "a comment", "x": [{"size": 1}], "y": {"size": 2}}}"#,
        r#"{"dynamic": {"part": {"for_each": {"x": 1, "y": 2}, "labels": ["${part.key}"], "content": {"size": "${part.value}"}}}}"#,
    ];
    for text in texts {
        let found = decoded("main.tf.json", &json(text), &schema);
        assert!(found.diagnostics.is_empty(), "{text}: {:?}", found.diagnostics);
        assert_eq!(found.value.get(&Path::root().attribute("part")), Some(&both), "{text}");
    }
    let twice = decoded("main.tf.json", &json(r#"{"part": [{"x": {}}, {"x": {}}]}"#), &schema);
    let summaries: Vec<_> = twice.diagnostics.iter().map(|it| &*it.summary).collect();
    assert_eq!(summaries, ["Duplicate part block"]);
}

#[test]
fn what_is_ephemeral_has_a_place_in_write_only_attributes_alone() {
    let secret = Attribute::optional("secret", Type::String).write_only();
    let plain = Attribute::optional("name", Type::String);
    let inner = Block::new(vec![secret.clone(), plain.clone()]);
    let nested = NestedBlock::new("part", BlockNesting::List, inner);
    let schema = Block::new(vec![secret, plain]).blocks(vec![nested]);
    let variable = "variable \"e\" {\n  default   = \"x\"\n  ephemeral = true\n}\n";
    let check = |body: &str, expect: &[&str]| {
        let text = format!("{variable}resource \"demo_box\" \"a\" {{\n{body}}}\n");
        let found = decoded("main.tf", &text, &schema);
        let paths: Vec<_> = found.diagnostics.iter().filter_map(|it| it.path.as_ref()).collect();
        assert_eq!(paths.iter().map(ToString::to_string).collect::<Vec<_>>(), expect, "{body}");
    };
    check("  secret = var.e\n", &[]);
    check("  name = \"${var.e}y\"\n", &["name"]);
    check("  part {\n    secret = var.e\n  }\n  part {\n    name = var.e\n  }\n", &["part[1].name"]);
}

/// Takes note of how many steps of each reference reach it.
#[derive(Default)]
struct RecordedRequests(RefCell<Vec<usize>>);

impl Resources for RecordedRequests {
    fn resource(&self, _: &ResourceAddress, steps: &[TraversalStep]) -> Result<Resolved, Vec<Diagnostic>> {
        self.0.borrow_mut().push(steps.len());
        Ok(Resolved { value: Marked::new(Value::unknown(), &Type::Dynamic), steps: steps.len() })
    }

    fn is_final(&self, _: &ResourceAddress) -> bool {
        false
    }

    fn recall(&self, _: &Key) -> Option<Outcome> {
        None
    }

    fn keep(&self, _: &Key, value: Outcome) -> Outcome {
        value
    }

    fn stage(&self) -> Stage {
        Stage::Plan
    }

    fn plan_timestamp(&self) -> Option<&str> {
        None
    }
}

/// Were the value of all of them made for each reference, many references to many instances would take for ever.
#[test]
fn a_resource_is_asked_for_the_instance_that_an_index_is_about() {
    for (reference, asked) in
        [("demo_box.b[1 + 1].id", [2]), ("resource.demo_box.b[1 + 1]", [1]), ("demo_box.b[*].id", [0])]
    {
        let text = format!(
            "resource \"demo_box\" \"a\" {{\n  name = {reference}\n}}\nresource \"demo_box\" \"b\" {{\n  count = 3\n}}\n"
        );
        let tree = load_texts(".", vec![SourceFile::new("main.tf", text)]).expect("the text is right");
        let config = tree.prepare(&Inputs::new()).expect("the text is right").config;
        let arguments = config.resources.first().map(|block| block.body.arguments.as_slice());
        let Some([(_, Expr::Source(written))]) = arguments else { panic!("there is one argument") };
        let resources = RecordedRequests::default();
        assert!(written.evaluate(&Repeating::default(), &resources).is_ok(), "{reference}");
        assert_eq!(resources.0.take(), asked, "{reference}");
    }
}
