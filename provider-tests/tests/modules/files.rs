//! Files: overrides, values of variables, places of messages, what is refused, and bytes that are no configuration.

use std::path::Path;

use ferroform_testing::address::Mode;
use ferroform_testing::embedded::{Core, PlanOptions};
use ferroform_testing::language::module::{Inputs, Tree, is_for_real_cores, load, load_queries, load_texts};
use ferroform_testing::language::{Diagnostic, SourceFile, Span};
use ferroform_testing::state::State;
use libtest_mimic::Trial;
use proptest::prelude::*;

pub(crate) fn trials() -> Vec<Trial> {
    let all: [(&str, fn()); 9] = [
        ("lists_are_in_query_files", lists_are_in_query_files),
        ("an_override_replaces_what_it_names", an_override_replaces_what_it_names),
        ("an_override_replaces_blocks_of_the_other_syntax", an_override_replaces_blocks_of_the_other_syntax),
        ("the_last_value_of_a_variable_is_the_one", the_last_value_of_a_variable_is_the_one),
        ("a_message_points_at_its_place", a_message_points_at_its_place),
        ("what_only_a_real_core_does_is_refused", what_only_a_real_core_does_is_refused),
        ("a_value_for_nothing_is_told", a_value_for_nothing_is_told),
        ("the_examples_of_the_guide_run", the_examples_of_the_guide_run),
        ("no_bytes_make_loading_panic", no_bytes_make_loading_panic),
    ];
    let trial = |(name, test): (&str, fn())| {
        Trial::test(format!("files::{name}"), move || {
            test();
            Ok(())
        })
    };
    all.into_iter().map(trial).collect()
}

fn loaded(files: &[(&str, &str)]) -> Result<Tree, Vec<Diagnostic>> {
    load_texts(".", files.iter().map(|(name, text)| SourceFile::new(*name, *text)).collect())
}

fn summaries(problems: &[Diagnostic]) -> Vec<&str> {
    problems.iter().map(|problem| problem.summary.as_str()).collect()
}

fn an_override_replaces_what_it_names() {
    let base = "resource \"terraform_data\" \"a\" {\n  input = 1\n  lifecycle {\n    prevent_destroy = true\n  \
                }\n}\nlocals {\n  a = 1\n  b = 2\n}\n";
    let over = "resource \"terraform_data\" \"a\" {\n  input = 2\n}\nlocals {\n  b = 3\n}\n";
    let tree = loaded(&[("main.tf", base), ("x_override.tf", over)]).unwrap();
    let resource = &tree.module.resources[0];
    let text = |expr: &ferroform_testing::language::module::SourceExpr| {
        expr.expression().to_string().trim().to_owned()
    };
    assert_eq!(resource.body.argument("input").map(text).as_deref(), Some("2"));
    assert_eq!(resource.lifecycle.prevent_destroy, Some(true));
    let locals: Vec<String> = tree.module.locals.iter().map(|local| text(&local.value)).collect();
    assert_eq!(locals, ["1", "3"]);
    let lonely = loaded(&[("override.tf", "variable \"a\" {}\n")]).unwrap_err();
    assert_eq!(summaries(&lonely), ["Missing base variable declaration to override"]);
}

/// What a body has of a type, as arguments and as blocks.
fn an_override_replaces_blocks_of_the_other_syntax() {
    let blocks = "resource \"a\" \"b\" {\n  port {}\n  other {}\n  dynamic \"port\" {\n    for_each = []\n    content {}\n  }\n}";
    let json = r#"{"resource": {"a": {"b": {"port": [{}, {}], "third": 1}}}}"#;
    let check = |files: [(&str, &str); 2], arguments: &[&str], blocks: &[&str]| {
        let tree = loaded(&files).unwrap();
        let body = &tree.module.resources[0].body;
        let names: Vec<&str> = body.arguments.iter().map(|it| it.name.as_str()).collect();
        let types: Vec<&str> = body.blocks.iter().map(|it| it.type_name.as_str()).collect();
        assert_eq!((names.as_slice(), types.as_slice()), (arguments, blocks));
    };
    check([("main.tf", blocks), ("override.tf.json", json)], &["port", "third"], &["other"]);
    check([("main.tf.json", json), ("override.tf", blocks)], &["third"], &["port", "other", "dynamic"]);
}

fn the_last_value_of_a_variable_is_the_one() {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(directory.path().join(name), text).unwrap();
    write(
        "main.tf",
        "variable \"v\" {\n  type = map(number)\n  validation {\n    condition = var.v == tomap({ a = \
                      7 })\n    error_message = \"another\"\n  }\n}\n",
    );
    let tree = load(directory.path()).unwrap();
    let mut inputs = Inputs::new();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let right = |inputs: &Inputs| {
        let configuration = tree.prepare(inputs).unwrap();
        let (core, state, options) = (Core::new(), State::default(), PlanOptions::default());
        let found = runtime.block_on(core.plan(&configuration, &state, &options)).diagnostics;
        assert!(found.iter().all(|it| it.summary == "Invalid value for variable"), "{found:?}");
        found.is_empty()
    };
    assert_eq!(summaries(&tree.prepare(&inputs).unwrap_err())[0], "No value for required variable");
    inputs.environment([("TF_VAR_v", "{ a = 7 }")]);
    assert!(right(&inputs));
    let steps = [
        ("terraform.tfvars", "v = { b = 1 }\n", false),
        ("terraform.tfvars.json", "{\"v\": {\"a\": 7}}", true),
        ("a.auto.tfvars", "v = { a = 1 }\n", false),
        ("b.auto.tfvars.json", "{\"v\": {\"a\": \"7\"}}", true),
    ];
    for (name, text, expect) in steps {
        write(name, text);
        let mut inputs = inputs.clone();
        inputs.files_in(directory.path()).unwrap();
        assert_eq!(right(&inputs), expect, "{name}");
    }
    inputs.files_in(directory.path()).unwrap();
    inputs.argument("v={ a = 8 }").unwrap();
    assert!(!right(&inputs));
    assert_eq!(inputs.argument("v").unwrap_err().summary, "Invalid -var option");
}

/// What is wrong with a module, if not before then where it is validated.
fn wrong(tree: Result<Tree, Vec<Diagnostic>>) -> Vec<Diagnostic> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    match tree.and_then(|tree| tree.prepare(&Inputs::new())) {
        Ok(configuration) => runtime.block_on(Core::new().validate(&configuration)),
        Err(problems) => problems,
    }
}

fn a_message_points_at_its_place() {
    let place = |name: &str, text: &str| {
        let problems = wrong(loaded(&[(name, text)]));
        let at = problems[0].place.as_ref().unwrap().start;
        (at.line, at.column, problems[0].summary.clone())
    };
    let undeclared = || "Reference to undeclared input variable".to_owned();
    let native = "\u{feff}# \u{e9}\r\noutput \"a\" {\r\n  value = [1, var.x]\r\n}\r\n";
    assert_eq!(place("main.tf", native), (3, 15, undeclared()));
    let json = "{\n  \"output\": { \"a\": {\n    \"value\": [\"\\\"\", { \"c\": \"x${var.x}\" }]\n  } }\n}\n";
    let tree = loaded(&[("main.tf.json", json)]).unwrap();
    let value = tree.module.outputs[0].value.clone().unwrap();
    let at = value.source().text().find("var.x").unwrap();
    let place_of_string = value.place(Span { start: at, end: at + 1 });
    assert_eq!(place_of_string.source.slice(place_of_string.span), "\"x${var.x}\"");
    assert_eq!(
        place("main.tf", "variable \"a\" {\n  nope = 1\n}\n"),
        (2, 3, "Unsupported argument".to_owned())
    );
}

fn what_only_a_real_core_does_is_refused() {
    let texts = [
        "terraform {\n  backend \"local\" {}\n}\n",
        "terraform {\n  cloud {}\n}\n",
        "terraform {\n  experiments = [x]\n}\n",
        "terraform {\n  language = TF2021\n}\n",
        "terraform {\n  state_store \"a\" {\n    provider \"b\" {}\n  }\n}\n",
        "module \"a\" {\n  source = \"acme/thing/demo\"\n}\n",
        "variable \"d\" {\n  const = true\n}\nmodule \"a\" {\n  source = var.d\n}\n",
        "module \"a\" {\n  source = \"git::https://example.com/a.git\"\n}\n",
        "resource \"terraform_data\" \"a\" {\n  provisioner \"file\" {}\n}\n",
        "resource \"terraform_data\" \"a\" {\n  provisioner \"remote-exec\" {}\n}\n",
        "resource \"terraform_data\" \"a\" {\n  connection {}\n}\n",
        "resource \"terraform_data\" \"a\" {\n  provisioner \"local-exec\" {\n    command = \"true\"\n    connection {}\n  }\n}\n",
        "output \"a\" {\n  value = bcrypt(\"x\")\n}\n",
        "output \"a\" {\n  value = try(rsadecrypt(\"x\", \"y\"), 1)\n}\n",
        "output \"a\" {\n  value = can(base64gzip(\"x\"))\n}\n",
    ];
    for text in texts {
        let tree = loaded(&[("main.tf", text)]);
        let problems = tree.and_then(|tree| tree.prepare(&Inputs::new()).map(|_| ()));
        let problems = problems.expect_err(text);
        let refusal = problems.iter().find(|problem| is_for_real_cores(problem)).expect(text);
        assert_eq!(refusal.summary, "Needs a real core", "{text}");
        assert!(problems.iter().all(|problem| problem.place.is_some()), "{text}");
    }
}

fn lists_are_in_query_files() {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(directory.path().join(name), text).unwrap();
    write("main.tf", "variable \"most\" {\n  default = 1\n}\n");
    let read = |text: &str| {
        write("a.tfquery.hcl", text);
        load_queries(directory.path())
    };
    let check = |text: &str, expect: &[&str]| assert_eq!(summaries(&wrong(read(text))), expect, "{text}");
    let list = |name: &str, more: &str| format!("list \"a_b\" \"{name}\" {{\n  provider = a\n{more}}}\n");
    let tree = read(&list("c", "  limit = var.most\n  config {}\n")).unwrap();
    assert_eq!(tree.module.resources[0].mode, Mode::List);
    // Only the command for queries reads them.
    assert!(load(directory.path()).unwrap().module.resources.is_empty());
    check("list \"a_b\" \"c\" {}\n", &[r#"Missing "provider" attribute"#]);
    check(&list("1c", ""), &["Invalid list block name"]);
    let twice = [r#"Duplicate "list" block names"#, r#"Duplicate list "a_b" configuration"#];
    check(&(list("c", "") + &list("c", "")), &twice);
    check("resource \"a_b\" \"c\" {}\n", &["Unsupported block type"]);
}

/// The texts in HCL of the guides: each is planned and applied, or refused if it says so.
fn the_examples_of_the_guide_run() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut count = 0;
    for guide in ["docs/language.md", "docs/contributing/testing.md"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(guide);
        let guide = std::fs::read_to_string(path).unwrap();
        for (info, text) in guide.split("\n```").filter_map(|part| part.split_once('\n')) {
            let prepared = match info {
                "hcl" | "hcl,refused" => {
                    loaded(&[("main.tf", text)]).and_then(|tree| tree.prepare(&Inputs::new()))
                }
                _ => continue,
            };
            count += 1;
            match prepared {
                Err(problems) => {
                    let refused = info == "hcl,refused" && problems.iter().any(is_for_real_cores);
                    assert!(refused, "{text}: {problems:?}");
                }
                Ok(prepared) => runtime.block_on(async {
                    assert_eq!(info, "hcl", "{text}");
                    let core = Core::new();
                    let plan = core.plan(&prepared, &State::default(), &PlanOptions::default()).await;
                    let applied = core.apply(&plan).await;
                    assert!(!plan.errored && applied.succeeded(), "{text}: {:?}", plan.diagnostics);
                    assert!(applied.diagnostics.is_empty(), "{text}: {:?}", applied.diagnostics);
                }),
            }
        }
    }
    assert!(count >= 5, "{count} examples");
}

fn a_value_for_nothing_is_told() {
    let tree = loaded(&[]).unwrap();
    let mut inputs = Inputs::new();
    inputs.environment([("TF_VAR_a", "1")]);
    inputs.text(&SourceFile::new("x.tfvars", "b = 1\n")).unwrap();
    let configuration = tree.prepare(&inputs).unwrap();
    assert_eq!(summaries(configuration.diagnostics()), ["Value for undeclared variable"]);
    inputs.argument("c=1").unwrap();
    assert_eq!(summaries(&tree.prepare(&inputs).unwrap_err()).len(), 2);
    let problems = inputs.text(&SourceFile::new("x.tfvars", "b {\n}\n")).unwrap_err();
    assert_eq!(summaries(&problems), ["Unexpected \"b\" block"]);
    let problems = inputs.file(Path::new("no-such-file.tfvars")).unwrap_err();
    assert_eq!(summaries(&problems), ["Failed to read variables file"]);
}

fn no_bytes_make_loading_panic() {
    let pieces = prop::sample::select(vec![
        "resource", "\"a\"", "{", "}", "[", "]", "=", "\n", "<<-E\n", "${", "%{", "\"", "\\", "dynamic",
        "for_each", "var.", "module", "source", "./x", "null", "1e999", ":", ",", "//", "/*", "\u{feff}",
        "moved", "from", "locals",
    ]);
    let text = prop_oneof![
        prop::collection::vec(pieces, 0..40).prop_map(|pieces| pieces.join(" ")),
        any::<String>(),
    ];
    let mut runner = prop::test_runner::TestRunner::default();
    runner
        .run(&text, |text| {
            for name in ["main.tf", "main.tf.json", "override.tf"] {
                if let Ok(tree) = loaded(&[(name, &text)]) {
                    let _ = tree.prepare(&Inputs::new());
                }
            }
            let _ = Inputs::new().text(&SourceFile::new("a.tfvars", text.as_str()));
            Ok(())
        })
        .unwrap();
}
