//! Bad and large input: everything ends, and with words that help. The invariants of the fuzz targets on the committed seeds.

use std::fmt::Write as _;
use std::path::Path;

use ferroform_testing::embedded::{Core, PlanOptions};
use ferroform_testing::language::SourceFile;
use ferroform_testing::language::module::{Inputs, load, load_texts};
use ferroform_testing::state::State;
use libtest_mimic::Trial;

#[path = "../../fuzz/bodies.rs"]
mod bodies;

pub(crate) fn trials() -> Vec<Trial> {
    let all: [(&str, fn()); 15] = [
        ("chain_of_splats_beyond_the_limit_is_an_error", splats_beyond_the_limit),
        ("long_line_is_shown_in_part", long_lines),
        ("count_beyond_the_limit_is_an_error", counts_beyond_the_limit),
        ("heredocs_without_lines_end_at_their_markers_with_carriage_returns", heredocs_with_carriage_returns),
        ("what_only_the_parser_refuses", what_only_the_parser_refuses),
        ("values_may_be_defined_by_way_of_any_number_of_others", values_in_a_long_chain),
        ("a_value_is_made_once_however_many_use_it", values_that_fan_out),
        ("conditionals_that_fail_within_each_other_are_evaluated_once", failed_conditionals),
        ("types_of_nested_and_wide_values_are_found_once", nested_and_wide_types),
        ("values_that_define_each_other_are_a_cycle", cycles),
        ("a_module_that_calls_itself_is_refused", a_module_that_calls_itself),
        ("what_cannot_be_read_is_told", what_cannot_be_read),
        ("a_million_lines_are_read", a_million_lines),
        ("seeds_of_expressions", || seeds("expression", bodies::expression)),
        ("seeds_of_modules", || seeds("module", bodies::module)),
    ];
    let trial = |(name, test): (&str, fn())| {
        Trial::test(format!("limits::{name}"), move || {
            test();
            Ok(())
        })
    };
    all.into_iter().map(trial).collect()
}

/// The invariant of a target for each seed and every shortening of it.
fn seeds(target: &str, body: fn(&[u8])) {
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds").join(target);
    let mut count = 0;
    for seed in std::fs::read_dir(&seeds).expect("the seeds are committed") {
        let data = std::fs::read(seed.expect("a seed").path()).expect("a seed");
        (0..=data.len()).filter_map(|end| data.get(..end)).for_each(body);
        count += 1;
    }
    assert!(count >= 8, "{count} seeds of {target}");
}

/// The summaries of a plan of a text, and the output `o` as JSON.
fn planned(text: &str) -> (Vec<String>, Option<String>) {
    let prepared =
        load_texts(".", vec![SourceFile::new("main.tf", text)]).and_then(|tree| tree.prepare(&Inputs::new()));
    let prepared = match prepared {
        Ok(prepared) => prepared,
        Err(problems) => return (problems.into_iter().map(|it| it.summary).collect(), None),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let plan = runtime.block_on(Core::new().plan(&prepared, &State::default(), &PlanOptions::default()));
    let output = plan.outputs.get("o").map(|output| format!("{:?}", output.after));
    (plan.diagnostics.iter().map(|it| it.summary.to_string()).collect(), output)
}

/// A chain of values that begins with `first`, and the output `o` of the last of them.
fn chain(length: usize, first: &str, next: impl Fn(usize) -> String) -> String {
    let mut text = format!("locals {{\n  v0 = {first}\n");
    for at in 1..length {
        writeln!(text, "  v{at} = {}", next(at - 1)).expect("a text");
    }
    text + &format!("}}\noutput \"o\" {{\n  value = local.v{}\n}}\n", length - 1)
}

/// Core takes all of them.
fn what_only_the_parser_refuses() {
    let repeated = |keys: usize| format!("{{ {} }}", "a = 1, ".repeat(keys));
    let nested = |levels: usize| format!("{}1{}", "(".repeat(levels), ")".repeat(levels));
    let chained = |operators: usize| format!("1{}", " + 1".repeat(operators));
    let pairs = [
        (repeated(40), repeated(60)),
        ("1e300".to_owned(), "1e400".to_owned()),
        (nested(60), nested(70)),
        (chained(120), chained(130)),
    ];
    for (taken, refused) in pairs {
        let plan = |value: &str| planned(&format!("output \"o\" {{\n  value = {value}\n}}\n")).0;
        assert_eq!(plan(&taken), Vec::<String>::new(), "{taken}");
        assert_eq!(plan(&refused), ["Invalid syntax"], "{refused}");
    }
}

/// Core takes all of them. Each is a level of the value.
fn splats_beyond_the_limit() {
    let outcome = |value: &str| {
        planned(&format!("locals {{\n  a = [1]\n}}\noutput \"o\" {{\n  value = {value}\n}}\n")).0
    };
    let chain = |splat: &str, length: usize| format!("local.a{}", splat.repeat(length));
    assert_eq!(outcome(&chain("[*]", 60)), Vec::<String>::new());
    for length in [65, 1_000, 100_000] {
        assert_eq!(outcome(&chain("[*]", length)), ["Too many splat operators"], "{length}");
    }
    // Those of the older kind cannot be chained, in core as here.
    assert_eq!(outcome(&chain(".*", 2)), ["Nested splat expression not allowed"]);
    assert_ne!(outcome(&chain(".*", 100_000)), Vec::<String>::new());
    let nested = (0..50).fold("0".to_owned(), |key, _| format!("local.a{}[{key}]", "[*]".repeat(50)));
    // Core looks for elements also in what is wrong.
    assert_eq!(outcome(&nested), ["Too many splat operators", "Invalid index"]);
}

fn long_lines() {
    let text = format!(
        "output \"o\" {{\n  value = [{}local.wrong{}]\n}}\n",
        "1, ".repeat(100_000),
        ", 1".repeat(100_000)
    );
    let configuration = load_texts(".", vec![SourceFile::new("main.tf", text)])
        .and_then(|tree| tree.prepare(&Inputs::new()))
        .expect("the files are right");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let problems = runtime.block_on(Core::new().validate(&configuration));
    for problem in &problems {
        let place = problem.place.as_ref().expect("a place");
        assert!(place.line.contains("1, local.wrong, 1") && place.line.len() < 500, "{}", place.line);
        assert!(problem.to_string().contains("1, local.wrong, 1") && problem.to_string().len() < 1_000);
    }
    assert_eq!(problems.len(), 1);
}

/// Core runs out of memory.
fn counts_beyond_the_limit() {
    for count in ["1000001", "1e11", "1e18", "1e19", "1e300"] {
        let (problems, _) =
            planned(&format!("resource \"terraform_data\" \"a\" {{\n  count = {count}\n}}\n"));
        assert_eq!(problems, ["Invalid count argument"], "{count}");
    }
}

/// The corpus has files without carriage returns only.
fn heredocs_with_carriage_returns() {
    let value = "[<<A\n  A\n, <<-B\nB\n, <<C\nx\nC\n]".replace('\n', "\r\n");
    let (problems, output) = planned(&format!("output \"o\" {{\r\n  value = {value}\r\n}}\r\n"));
    assert_eq!((problems, output), (Vec::new(), Some("tuple[\"\", \"\", \"x\\r\\n\"]".to_owned())));
}

fn values_in_a_long_chain() {
    let plain = |before: usize| format!("local.v{before}");
    let (problems, output) = planned(&chain(3_000, "1", plain));
    assert_eq!((problems, output), (Vec::new(), Some("1".to_owned())));
    let resource = "resource \"terraform_data\" \"a\" {\n  input = 7\n}\n";
    let (problems, output) = planned(&(chain(3_000, "terraform_data.a.input", plain) + resource));
    assert_eq!((problems, output), (Vec::new(), Some("7".to_owned())));
}

/// Were each value made for everything that uses it, this would never end.
fn values_that_fan_out() {
    let twice = |before: usize| format!("local.v{before} == local.v{before}");
    let resource = "resource \"terraform_data\" \"a\" {\n  input = true\n}\n";
    let (problems, output) = planned(&(chain(200, "terraform_data.a.input", twice) + resource));
    assert_eq!((problems, output), (Vec::new(), Some("true".to_owned())));
}

/// Were each evaluated twice, this would never end.
fn failed_conditionals() {
    for (open, close) in [("[", "]"), ("{ a = ", " }")] {
        let nested = (0..28)
            .fold("tonumber(\"x\")".to_owned(), |inner, _| format!("true ? {open}{inner}{close} : null"));
        let (summaries, output) = planned(&format!("output \"o\" {{\n  value = try({nested}, 1)\n}}\n"));
        assert!(summaries.is_empty(), "{summaries:?}");
        assert!(output.is_some_and(|output| output.contains('1')));
    }
}

/// Were the types of each level looked for twice, this would never end.
fn nested_and_wide_types() {
    let nested = |depth: usize, text: fn(&str) -> String, inner: &str| {
        (0..depth).fold(inner.to_owned(), |inner, _| text(&inner))
    };
    let constraint = nested(40, |inner| format!("list({inner})"), "any");
    let lists = nested(40, |inner| format!("[{inner}]"), "1");
    let nulls = nested(40, |inner| format!("[{inner}, [null]]"), "[null, null]");
    let wide: String = (0..5_000).fold(String::new(), |mut text, at| {
        let _ = write!(text, "{{ a{at} = 1 }}, ");
        text
    });
    let fine = [
        format!("length(jsonencode(convert({lists}, {constraint})))"),
        format!("can(tolist({nulls}))"),
        format!("length(tolist([{wide}]))"),
    ];
    for value in fine {
        let (summaries, output) = planned(&format!("output \"o\" {{\n  value = {value}\n}}\n"));
        assert_eq!((summaries, output.is_some()), (Vec::new(), true), "{value:.80}");
    }
    let refused = format!("tolist([{wide}\"x\"])");
    let (summaries, _) = planned(&format!("output \"o\" {{\n  value = {refused}\n}}\n"));
    assert_eq!(summaries, ["Invalid function argument"]);
    let failed = nested(20, |inner| format!("[[1]][*][{inner}]"), "{ a = 1 }.b");
    let (summaries, _) = planned(&format!("output \"o\" {{\n  value = {failed}\n}}\n"));
    assert!(summaries.contains(&"Unsupported attribute".to_owned()), "{summaries:?}");
}

fn cycles() {
    let (problems, _) = planned("locals {\n  a = local.b\n  b = local.a\n}\n");
    assert_eq!(problems, ["Cycle: local.a (expand), local.b (expand)"]);
    let (problems, _) = planned(
        "resource \"terraform_data\" \"a\" {\n  input = terraform_data.b.id\n}\nresource \"terraform_data\" \
         \"b\" {\n  input = terraform_data.a.id\n}\n",
    );
    assert_eq!(problems, ["Cycle: terraform_data.a, terraform_data.b"]);
    let directory = tempfile::tempdir().expect("a directory");
    let write = |name: &str, text: &str| std::fs::write(directory.path().join(name), text).expect("a file");
    std::fs::create_dir(directory.path().join("m")).expect("a directory");
    write("m/main.tf", "variable \"x\" {}\noutput \"y\" {\n  value = var.x\n}\n");
    write("main.tf", "module \"m\" {\n  source = \"./m\"\n  x = module.m.y\n}\n");
    let prepared =
        load(directory.path()).and_then(|tree| tree.prepare(&Inputs::new())).expect("it is laid out");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let problems = runtime.block_on(Core::new().validate(&prepared));
    assert!(
        !problems.is_empty() && problems.iter().all(|it| it.summary.starts_with("Cycle")),
        "{problems:?}"
    );
}

/// It does so twice, so that looking at each call would take for ever.
fn a_module_that_calls_itself() {
    let directory = tempfile::tempdir().expect("a directory");
    std::fs::create_dir(directory.path().join("m")).expect("a directory");
    let call = |name: &str, source: &str| format!("module \"{name}\" {{\n  source = \"{source}\"\n}}\n");
    let twice = call("a", "../m") + &call("b", "./../m");
    std::fs::write(directory.path().join("m/main.tf"), twice).expect("a file");
    std::fs::write(directory.path().join("main.tf"), call("m", "./m")).expect("a file");
    let problems = load(directory.path()).expect_err("it is refused");
    let summaries: Vec<&str> = problems.iter().map(|it| it.summary.as_str()).collect();
    assert_eq!(summaries, ["Module calls are nested too deeply"; 2]);
}

fn what_cannot_be_read() {
    let directory = tempfile::tempdir().expect("a directory");
    let at = |name: &str| directory.path().join(name);
    let summaries = || match load(directory.path()) {
        Ok(_) => Vec::new(),
        Err(problems) => problems.into_iter().map(|it| it.summary).collect::<Vec<_>>(),
    };
    std::fs::create_dir(at("directory.tf")).expect("a directory");
    assert_eq!(summaries(), [""; 0]);
    std::fs::write(at("bytes.tf"), [0xff, 0xfe]).expect("a file");
    assert_eq!(summaries(), ["Invalid character encoding"]);
    std::fs::remove_file(at("bytes.tf")).expect("it was there");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(at("nowhere"), at("link.tf")).expect("a link");
        assert_eq!(summaries(), ["Failed to read file"]);
        std::fs::remove_file(at("link.tf")).expect("it was there");
        std::os::unix::fs::symlink("/dev/zero", at("endless.tf")).expect("a link");
        assert_eq!(summaries(), ["Failed to read file"]);
        std::fs::remove_file(at("endless.tf")).expect("it was there");
    }
    std::fs::write(at("cut.tf.json"), "{\"locals\": ").expect("a file");
    assert_eq!(summaries(), ["Invalid JSON"]);
    std::fs::remove_file(at("cut.tf.json")).expect("it was there");
    std::fs::write(at("main.tf"), "module \"m\" {\n  source = \"./missing\"\n}\n").expect("a file");
    assert_eq!(summaries(), ["Unreadable module directory"]);
    let missing = load(at("missing")).expect_err("there is nothing");
    assert_eq!(missing.first().map(|it| it.summary.as_str()), Some("Failed to read module directory"));
}

fn a_million_lines() {
    let mut text = "# a line of a comment\n".repeat(1_000_000);
    let tree = load_texts(".", vec![SourceFile::new("main.tf", text.as_str())]).expect("comments are fine");
    assert!(tree.module.locals.is_empty());
    text.push_str("locals {\n  a = \n}\n");
    let problems =
        load_texts(".", vec![SourceFile::new("main.tf", text.as_str())]).expect_err("it is broken");
    assert_eq!(problems[0].summary, "Invalid syntax");
    assert_eq!(problems[0].place.as_ref().expect("a place").start.line, 1_000_002);
}
