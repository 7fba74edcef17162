//! What the fuzz targets of the language do with their input. The tests of the crate run the same on the committed
//! seeds, without the nightly compiler that fuzzing needs.

use ferroform_testing::embedded::Core;
use ferroform_testing::language::module::{Inputs, load_texts};
use ferroform_testing::language::{Diagnostic, NoReferences, SourceFile, evaluate, parse_expression};

/// Every problem has a summary and is about a place in a text.
fn check(problems: &[Diagnostic]) {
    for problem in problems {
        assert!(!problem.summary.is_empty());
        if let Some(place) = &problem.place {
            assert!(place.start.byte <= place.end.byte, "{}: {place:?}", problem.summary);
        }
    }
}

/// Whatever is an expression has a value of its type, and the same one each time, or problems.
pub(crate) fn expression(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let source = SourceFile::new("expression", text);
    let expr = match parse_expression(&source) {
        Ok(expr) => expr,
        Err(problem) => return check(&[problem]),
    };
    let scope = NoReferences::new(source);
    match (evaluate(&expr, &scope), evaluate(&expr, &scope)) {
        (Ok(one), Ok(other)) => {
            one.value.conforms(&one.ty).expect("a value conforms to its type");
            assert!(one.value == other.value && one.ty == other.ty, "{text} has two values");
        }
        (Err(problems), Err(_)) => check(&problems),
        _ => panic!("{text} has a value only sometimes"),
    }
}

/// The first byte chooses the syntax. Whatever is a configuration is validated to its end, without providers.
pub(crate) fn module(data: &[u8]) {
    let Some((selector, bytes)) = data.split_first() else { return };
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let mut inputs = Inputs::new();
    let files = match selector {
        b'v' => {
            let _ = inputs.text(&SourceFile::new("a.tfvars", text)).map_err(|problems| check(&problems));
            vec![SourceFile::new("main.tf", "variable \"a\" {\n  default = 1\n}\n")]
        }
        b'j' => vec![SourceFile::new("main.tf.json", text)],
        b'o' => {
            let base = "locals {\n  a = 1\n}\nresource \"terraform_data\" \"a\" {}\n";
            vec![SourceFile::new("main.tf", base), SourceFile::new("override.tf", text)]
        }
        _ => vec![SourceFile::new("main.tf", text)],
    };
    let prepared = load_texts("/nonexistent", files).and_then(|tree| tree.prepare(&inputs));
    let configuration = match prepared {
        Ok(configuration) => configuration,
        Err(problems) => return check(&problems),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let found = runtime.block_on(Core::new().validate(&configuration));
    assert!(found.iter().all(|problem| !problem.summary.is_empty()));
}
