//! Bodies by schemas that the other tests have no provider for.

use ferroform::path::Path;
use ferroform::schema::{Attribute, Block, BlockNesting, NestedBlock};
use ferroform::ty::Type;
use ferroform::value::Value;

use super::{Decoded, decode_stored};
use crate::embedded::layout::Layout;
use crate::embedded::named_values::NamedValues;
use crate::embedded::repetition::RepetitionData;
use crate::embedded::scope::Scope;
use crate::embedded::walk_diagnostics::WalkDiagnostics;
use crate::embedded::walk_state::{Time, WalkState};
use crate::language::SourceFile;
use crate::language::module::{Inputs, load_texts};

/// What the first resource of a text comes to.
fn decoded(file: &str, text: &str, schema: &Block) -> Decoded {
    let tree = load_texts(".", vec![SourceFile::new(file, text)]).expect("the text is right");
    let configuration = tree.prepare(&Inputs::new()).expect("the text is right");
    let layout = Layout::new(&configuration, &[], &mut Vec::new());
    let walk = WalkState::new(configuration.modules(), Time::Evaluation);
    let diagnostics = WalkDiagnostics::default();
    let values = NamedValues::new(&layout, &walk, &diagnostics);
    let declarations = layout.declarations().iter();
    declarations.for_each(|declaration| {
        let _ = values.run(*declaration);
    });
    let each = RepetitionData::default();
    let scope = Scope::new(&layout, &walk, &walk.root, &each);
    let block = configuration.root().resources.first().expect("there is a resource");
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
        r#"{"part": {"x": [{"//": "a comment", "size": 1}], "y": {"size": 2}}}"#,
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
fn what_is_wrong_with_blocks_in_json() {
    let inner = Block::new(vec![Attribute::required("size", Type::Number)]);
    let part = NestedBlock::new("part", BlockNesting::Map, inner.clone());
    let piece = NestedBlock::new("piece", BlockNesting::List, inner);
    let schema = Block::default().blocks(vec![part, piece]);
    let cases: [(&str, &[&str]); 8] = [
        (r#"{"part": null, "piece": null}"#, &["Missing block label"]),
        (r#"{"part": []}"#, &["Missing block label"]),
        (r#"{"part": {}}"#, &["Missing block label"]),
        (r#"{"part": 1}"#, &["Incorrect JSON value type", "Missing block label"]),
        (r#"{"piece": [null]}"#, &["Missing required argument"]),
        (r#"{"piece": [1]}"#, &["Incorrect JSON value type"]),
        (r#"{"colour": 1}"#, &["Extraneous JSON object property"]),
        (
            r#"{"dynamic": {"piece": {"for_each": [], "colour": 1, "content": {}}}}"#,
            &["Extraneous JSON object property"],
        ),
    ];
    for (text, expect) in cases {
        let found = decoded("main.tf.json", &json(text), &schema);
        let summaries: Vec<_> = found.diagnostics.iter().map(|it| &*it.summary).collect();
        assert_eq!(summaries, expect, "{text}");
        assert!(found.diagnostics.iter().all(|it| it.place.is_some()), "{text}");
    }
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
