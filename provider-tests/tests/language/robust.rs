//! The evaluator ends with a value or an error whatever it is given.

use std::cell::RefCell;

use ferroform::ty::Type;
use ferroform::value::Value;
use ferroform_testing::language::{
    Diagnostic, Marked, Resolved, Scope, SourceFile, Traversal, TraversalStep, evaluate, parse_expression,
};
use libtest_mimic::{Failed, Trial};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use super::vector::evaluated;

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        Trial::test("random_expressions_have_an_outcome", || random().map_err(Failed::from)),
        Trial::test("deep_expressions_have_an_outcome", || deep().map_err(Failed::from)),
        Trial::test("large_expressions_have_an_outcome", || large().map_err(Failed::from)),
        Trial::test("an_element_is_asked_for_alone", || {
            an_element_is_asked_for_alone();
            Ok(())
        }),
    ]
}

/// Expressions out of the pieces of the language.
fn expression() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "null",
        "true",
        "0",
        "-1",
        "1.5",
        "1e300",
        "\"\"",
        "\"a${1}b\"",
        "\"\u{e9}\"",
        "[]",
        "{}",
        "local.us",
        "local.un",
        "local.ud",
        "local.ul",
        "local.um",
        "local.uo",
        "sensitive(\"a\")",
        "tolist([])",
        "toset([1])",
    ])
    .prop_map(str::to_owned);
    leaf.prop_recursive(4, 40, 4, |inner| {
        let two = (inner.clone(), inner.clone());
        let names = ferroform_testing::language::function_names();
        prop_oneof![
            (
                two.clone(),
                prop::sample::select(vec!["+", "-", "*", "/", "%", "==", "!=", "<", ">=", "&&", "||"])
            )
                .prop_map(|((a, b), operator)| format!("({a} {operator} {b})")),
            (inner.clone(), two.clone()).prop_map(|(c, (a, b))| format!("({c} ? {a} : {b})")),
            two.clone().prop_map(|(a, b)| format!("[{a}, {b}]")),
            two.clone().prop_map(|(a, b)| format!("{{ a = {a}, ({b}) = 1 }}")),
            two.clone().prop_map(|(a, b)| format!("({a})[{b}]")),
            inner.clone().prop_map(|a| format!("({a}).a")),
            inner.clone().prop_map(|a| format!("({a})[*].a")),
            inner.clone().prop_map(|a| format!("({a}).*.a")),
            inner.clone().prop_map(|a| format!("\"x${{{a}}}y\"")),
            two.clone().prop_map(|(a, b)| format!("[for k, v in {a} : [k, v] if {b} != v]")),
            two.clone().prop_map(|(a, b)| format!("{{for k, v in {a} : k => {b}...}}")),
            two.clone().prop_map(|(a, b)| format!(
                "\"%{{ for x in {a} }}${{x}}%{{ endfor }}%{{ if {b} }}1%{{ endif }}\""
            )),
            (prop::sample::select(names), prop::collection::vec(inner, 0..4))
                .prop_map(|(name, arguments)| format!("{name}({})", arguments.join(", "))),
        ]
    })
}

fn random() -> Result<(), String> {
    let config = ProptestConfig { cases: 2000, ..ProptestConfig::default() };
    TestRunner::new(config)
        .run(&expression(), |text| {
            match evaluated(&text) {
                Ok(value) => {
                    let ty = value.ty.clone();
                    prop_assert!(
                        ty.has_dynamic() || value.value.conforms(&ty).is_ok(),
                        "{text} is {:?}, which is no {ty:?}",
                        value.value
                    );
                }
                Err(errors) => {
                    prop_assert!(!errors.is_empty(), "{text} fails without a word");
                    prop_assert!(errors.iter().all(|error| !error.summary.is_empty()), "{text}");
                }
            }
            Ok(())
        })
        .map_err(|error| error.to_string())
}

/// Nesting beyond all sense is an error of the parser or has a value, on the stack of a test thread.
fn deep() -> Result<(), String> {
    let nested =
        |open: &str, close: &str, depth: usize| format!("{}1{}", open.repeat(depth), close.repeat(depth));
    for depth in [10, 60, 1_000, 100_000] {
        let texts = [
            nested("(", ")", depth),
            nested("[", "]", depth),
            nested("{a=", "}", depth),
            nested("-", "", depth),
            nested("\"${", "}\"", depth),
            nested("length([", "])", depth),
            nested("[for x in [1] : ", "]", depth),
            format!("1{}", " + 1".repeat(depth)),
            format!("true{}", " ? true : true".repeat(depth)),
        ];
        for text in texts {
            let outcome = evaluated(&text);
            let simple = depth == 10 && !text.starts_with("true");
            if simple && outcome.is_err() {
                return Err(format!("{text}: {outcome:?}"));
            }
        }
        let attributes = format!("local.uo{}", ".a".repeat(depth));
        if evaluated(&attributes).is_ok() {
            return Err("an attribute of a number has a value".to_owned());
        }
    }
    Ok(())
}

fn large() -> Result<(), String> {
    let list = format!("length([{}])", "1, ".repeat(100_000));
    let text = format!("length(\"{}\")", "\u{e9}${1}".repeat(20_000));
    for (expr, expected) in [(list, 100_000_i64), (text, 40_000)] {
        match evaluated(&expr) {
            Ok(value) if value.value == ferroform::value::Value::from(expected) => {}
            other => return Err(format!("not {expected}: {:?}", other.map(|value| value.value))),
        }
    }
    Ok(())
}

/// A list of three objects, of which single ones can be had.
struct Many {
    source: SourceFile,
    /// How many steps of each reference were taken.
    asked: RefCell<Vec<usize>>,
}

impl Scope for Many {
    fn source(&self) -> &SourceFile {
        &self.source
    }

    fn takes_index(&self, traversal: &Traversal) -> bool {
        traversal.steps.is_empty()
    }

    fn resolve(&self, traversal: &Traversal) -> Result<Resolved, Vec<Diagnostic>> {
        let element = |id: u64| Marked::object(vec![("id".into(), Marked::number(id))]);
        let all: Vec<Marked> = (0..3).map(element).collect();
        let (value, steps) = match traversal.steps.as_slice() {
            [TraversalStep::Index(Value::Number(at)), ..] => {
                let at = at.to_u64().and_then(|at| usize::try_from(at).ok());
                let found = at.and_then(|at| all.get(at).cloned());
                (found.ok_or_else(|| vec![Diagnostic::error("Not there", "There are three.")])?, 1)
            }
            _ => (Marked::tuple(all), 0),
        };
        self.asked.borrow_mut().push(steps);
        Ok(Resolved { value, steps })
    }
}

/// The others are made only where the whole is needed, so that many references to one of many cost little.
fn an_element_is_asked_for_alone() {
    let found = |text: &str| {
        let many = Many { source: SourceFile::new("main.tf", text), asked: RefCell::default() };
        let expr = parse_expression(&many.source).expect("it can be read");
        let value = evaluate(&expr, &many);
        (value, many.asked.take())
    };
    for (text, asked) in [
        ("many[2].id", vec![1]),
        ("many[1 + 1].id", vec![1]),
        ("many[many[1 + 1].id].id", vec![1, 1]),
        ("many[tostring(1 + 1)].id", vec![0]),
        ("[for many in [[{ id = 0 }, { id = 2 }]] : many[0 + 1].id][0]", vec![]),
    ] {
        let (value, found) = found(text);
        assert_eq!((value.expect(text).value, found), (Value::from(2), asked), "{text}");
    }
    let (secret, asked) = found("many[sensitive(2)].id");
    assert!(secret.is_ok_and(|it| it.marks.all().sensitive && it.ty == Type::Number));
    assert_eq!(asked, [0]);
    for text in ["many[2 + 1].id", "many[1 + 1].nope"] {
        let (outcome, asked) = found(text);
        let problems = outcome.expect_err(text);
        let range = problems[0].place.as_ref().expect("a place");
        let place = text.get(range.start.byte..range.end.byte);
        let whole = if text.ends_with("nope") { ".nope" } else { "[2 + 1]" };
        assert_eq!((place, asked.last()), (Some(whole), Some(&0)), "{text}: {problems:?}");
    }
}
