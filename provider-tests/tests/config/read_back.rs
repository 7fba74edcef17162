//! Text of the language as a typed configuration, by the library and not by what wrote it.

use ferroform::value::{Number, Value};
use ferroform_testing::config::{Body, Expr, NestedBlock, body};
use hcl::expr::{Expression, ObjectKey, TemplateExpr};
use hcl::structure::Structure;
use hcl::template::{Element, Template};

use crate::config::generate::joined;

/// What is in the `resource` blocks of a text, meta-arguments aside.
pub(crate) fn resources(text: &str) -> Vec<Body> {
    let file = hcl::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    file.blocks()
        .filter(|block| block.identifier() == "resource")
        .map(|block| contents(block.body()))
        .collect()
}

fn contents(file: &hcl::Body) -> Body {
    let mut read = body();
    for structure in file {
        match structure {
            Structure::Attribute(it) if it.key() != "depends_on" => {
                read.arguments.push((it.key().to_owned(), expression(it.expr())));
            }
            Structure::Block(it) if it.identifier() != "lifecycle" => read.blocks.push(NestedBlock {
                type_name: it.identifier().to_owned(),
                labels: it.labels().iter().map(|label| label.as_str().to_owned()).collect(),
                body: contents(it.body()),
            }),
            _ => {}
        }
    }
    read
}

fn expression(it: &Expression) -> Expr {
    match it {
        Expression::Null => Value::Null.into(),
        Expression::Bool(value) => (*value).into(),
        Expression::Number(number) => number.to_string().parse::<Number>().expect("a number").into(),
        Expression::String(text) => text.as_str().into(),
        Expression::Array(elements) => Expr::Tuple(elements.iter().map(expression).collect()),
        Expression::Object(members) => {
            Expr::Object(members.iter().map(|(key, value)| (name(key), expression(value))).collect())
        }
        Expression::TemplateExpr(template) => quoted(template),
        Expression::FuncCall(call) => match (call.name.name.as_str(), call.args.as_slice()) {
            ("sensitive", [inner]) => Expr::Sensitive(Box::new(expression(inner))),
            _ => panic!("nobody wrote a call of {}", call.name),
        },
        Expression::Traversal(_) => Expr::Reference(it.to_string().parse().expect("a reference")),
        other => panic!("nobody wrote {other}"),
    }
}

fn name(key: &ObjectKey) -> String {
    match key {
        ObjectKey::Identifier(name) => name.to_string(),
        ObjectKey::Expression(key) => match expression(key) {
            Expr::Literal(Value::String(text)) => text.to_string(),
            other => panic!("{other:?} is no key"),
        },
        _ => panic!("{key} is no key"),
    }
}

fn quoted(it: &TemplateExpr) -> Expr {
    let template = Template::from_expr(it).expect("a template");
    joined(template.elements().iter().map(|element| match element {
        Element::Literal(text) => text.as_str().into(),
        Element::Interpolation(it) => expression(&it.expr),
        Element::Directive(_) => panic!("nobody wrote a directive"),
    }))
}
