//! Moves of modules and within modules, written in the language.

use std::fs;

use ferroform_testing::embedded::PlanOptions;
use ferroform_testing::real::Product;
use tempfile::TempDir;

use super::engine::{Engine, source};
use super::history::root;
use super::moves::{check_rows, fine};

/// A child module with one file.
const CHILD: &str = r#"
variable "name" {}
resource "demo_file" "f" {
  name    = var.name
  content = "c"
}
"#;

/// The same under another name, which the module itself has changed.
const RENAMED: &str = r#"
variable "name" {}
resource "demo_file" "g" {
  name    = var.name
  content = "c"
}
moved {
  from = demo_file.f
  to   = demo_file.g
}
"#;

/// The same with the file in a module of its own, which was called by another name for a while.
const NESTED: &str = r#"
variable "name" {}
module "inner" {
  source = "../child"
  name   = var.name
}
moved {
  from = demo_file.f
  to   = module.old.demo_file.f
}
moved {
  from = module.old
  to   = module.inner
}
"#;

/// A module with two files.
const PAIR: &str = r#"
variable "names" {}
resource "demo_file" "one" {
  name    = var.names[0]
  content = "c"
}
resource "demo_file" "two" {
  name    = var.names[1]
  content = "c"
}
"#;

const FILE: &str = "resource \"demo_file\" \"f\" {\n  name = \"f-0\"\n  content = \"c\"\n}\n";

/// What a module is called with: once, and three times.
const NAMED: &str = "  name = \"f-0\"";
const COUNTED: &str = "  count = 3\n  name = \"f-${count.index}\"";

/// A core with modules.
struct Modules {
    engine: Engine,
    root: TempDir,
}

/// What was there before, what comes after it, and the plan of that.
struct Row {
    what: &'static str,
    before: String,
    after: String,
    expect: &'static [&'static str],
}

impl Modules {
    fn open(start: &dyn Fn() -> Engine) -> Self {
        let mut modules = Self { engine: start(), root: root() };
        let files = [("child", CHILD), ("renamed", RENAMED), ("nested", NESTED), ("pair", PAIR)];
        let files = files.map(|(name, text)| (format!("{name}/main.tf"), format!("{}{text}", requirement())));
        modules.engine.write(&files);
        modules
    }

    fn configure(&mut self, body: &str) {
        self.engine.write(&[self.main(body)]);
    }

    /// The root module.
    fn main(&self, body: &str) -> (String, String) {
        let root = self.root.path().display();
        let text = format!("{}provider \"demo\" {{\n  root = \"{root}\"\n}}\n{body}", requirement());
        ("main.tf".to_owned(), text)
    }

    /// Applies what was there before, and then plans and applies what comes after it. Each row is a module of its own, and
    /// all are planned at once: a start of a core takes longer than everything else.
    #[track_caller]
    fn check(&mut self, rows: &[Row]) {
        let before = self.files_of(rows.iter().map(|row| &row.before));
        let after = self.files_of(rows.iter().map(|row| &row.after));
        let lines = |(at, row): (usize, &Row)| {
            (row.what, row.expect.iter().map(|line| in_row(at, line)).collect::<Vec<_>>())
        };
        let rows: Vec<_> = rows.iter().enumerate().map(lines).collect();
        self.engine.write(&before);
        check_rows(&mut self.engine, &rows, |engine| engine.write(&after));
    }

    /// The files of a module for each row. The names of files that it makes have its number, too.
    fn files_of<'a>(&self, bodies: impl Iterator<Item = &'a String>) -> Vec<(String, String)> {
        let mut calls = String::new();
        let mut files = Vec::new();
        for (at, body) in bodies.enumerate() {
            let body = body.replace("\"f-", &format!("\"row{at}-f-"));
            files.push((format!("row{at}/main.tf"), format!("{}{body}", requirement())));
            calls += &module(&format!("row{at}"), &format!("./row{at}"), "");
        }
        files.push(self.main(&calls));
        files
    }
}

/// A line of a plan, of which all addresses are in the module of a row.
fn in_row(at: usize, line: &str) -> String {
    let words = line.split(' ');
    let words =
        words.map(|word| if word.contains('.') { format!("module.row{at}.{word}") } else { word.to_owned() });
    words.collect::<Vec<_>>().join(" ")
}

fn requirement() -> String {
    format!(
        "terraform {{\n  required_providers {{\n    demo = {{ source = \"{}\" }}\n  }}\n}}\n",
        source("demo")
    )
}

fn moved(from: &str, to: &str) -> String {
    format!("moved {{\n  from = {from}\n  to   = {to}\n}}\n")
}

fn module(name: &str, source: &str, arguments: &str) -> String {
    format!("module \"{name}\" {{\n  source = \"{source}\"\n{arguments}\n}}\n")
}

/// Moves of whole modules, with all that is in them.
pub(super) fn whole(start: &dyn Fn() -> Engine) {
    let (plain, counted) = (NAMED, COUNTED);
    let keyed = |key: &str| format!("  for_each = {{ {key} = \"f-0\" }}\n  name = each.value");
    let m = |arguments: &str| module("m", "../child", arguments);
    let n = |arguments: &str| module("n", "../child", arguments);
    Modules::open(start).check(&[
        Row {
            what: "a module renamed",
            before: m(plain),
            after: n(plain) + &moved("module.m", "module.n"),
            expect: &["module.n.demo_file.f no-op <- module.m.demo_file.f"],
        },
        Row {
            what: "a module renamed with all its instances",
            before: m(counted),
            after: n(counted) + &moved("module.m", "module.n"),
            expect: &[
                "module.n[0].demo_file.f no-op <- module.m[0].demo_file.f",
                "module.n[1].demo_file.f no-op <- module.m[1].demo_file.f",
                "module.n[2].demo_file.f no-op <- module.m[2].demo_file.f",
            ],
        },
        Row {
            what: "none to an index",
            before: m("  name = \"f-2\""),
            after: m(counted) + &moved("module.m", "module.m[2]"),
            expect: &[
                "module.m[0].demo_file.f create",
                "module.m[1].demo_file.f create",
                "module.m[2].demo_file.f no-op <- module.m.demo_file.f",
            ],
        },
        Row {
            what: "key to key",
            before: m(&keyed("x")),
            after: m(&keyed("y")) + &moved("module.m[\"x\"]", "module.m[\"y\"]"),
            expect: &["module.m[\"y\"].demo_file.f no-op <- module.m[\"x\"].demo_file.f"],
        },
        Row {
            what: "within a child module that is renamed itself",
            before: m(plain),
            after: module("n", "../renamed", plain) + &moved("module.m", "module.n"),
            expect: &["module.n.demo_file.g no-op <- module.m.demo_file.f"],
        },
        Row {
            what: "from a child module into one below it that is renamed",
            before: m(plain),
            after: module("m", "../nested", plain),
            expect: &["module.m.module.inner.demo_file.f no-op <- module.m.demo_file.f"],
        },
    ]);
}

/// Moves of resources between modules.
pub(super) fn between(start: &dyn Fn() -> Engine) {
    let split = [
        module("new", "../child", COUNTED),
        module("other", "../child", "  name = \"f-b\""),
        moved("module.m.demo_file.one", "module.new[2].demo_file.f"),
        moved("module.m.demo_file.two", "module.other.demo_file.f"),
    ];
    Modules::open(start).check(&[
        Row {
            what: "into a module",
            before: FILE.to_owned(),
            after: module("m", "../child", NAMED) + &moved("demo_file.f", "module.m.demo_file.f"),
            expect: &["module.m.demo_file.f no-op <- demo_file.f"],
        },
        Row {
            what: "out of a module",
            before: module("m", "../child", NAMED),
            after: FILE.to_owned() + &moved("module.m.demo_file.f", "demo_file.f"),
            expect: &["demo_file.f no-op <- module.m.demo_file.f"],
        },
        Row {
            what: "into an instance of a module",
            before: FILE.replace("f-0", "f-2"),
            after: module("m", "../child", COUNTED) + &moved("demo_file.f", "module.m[2].demo_file.f"),
            expect: &[
                "module.m[0].demo_file.f create",
                "module.m[1].demo_file.f create",
                "module.m[2].demo_file.f no-op <- demo_file.f",
            ],
        },
        Row {
            what: "one module split into two, one of them counted",
            before: module("m", "../pair", "  names = [\"f-2\", \"f-b\"]"),
            after: split.concat(),
            expect: &[
                "module.new[0].demo_file.f create",
                "module.new[1].demo_file.f create",
                "module.new[2].demo_file.f no-op <- module.m.demo_file.one",
                "module.other.demo_file.f no-op <- module.m.demo_file.two",
            ],
        },
        Row {
            what: "within a child module",
            before: module("m", "../child", NAMED),
            after: module("m", "../renamed", NAMED),
            expect: &["module.m.demo_file.g no-op <- module.m.demo_file.f"],
        },
    ]);
}

pub(super) fn refused(start: &dyn Fn() -> Engine) {
    let mut modules = Modules::open(start);
    let product = modules.engine.product();
    let mut check = |body: &str, summaries: &[&str]| {
        modules.configure(&format!("{FILE}{body}"));
        let seen = modules.engine.plan_written(&PlanOptions::default());
        let mut found: Vec<&str> = seen.errors.iter().map(|error| error.summary.as_str()).collect();
        found.sort_unstable();
        assert_eq!(found, summaries, "{seen:#?}");
    };
    check("moved \"x\" {\n  from = demo_file.a\n  to = demo_file.f\n}\n", &["Extraneous label for moved"]);
    check("moved {\n  from = demo_file.a\n  to = demo_file.f\n  why = 1\n}\n", &["Unsupported argument"]);
    check(&moved("demo_file.a", "module.m"), &["Invalid \"moved\" addresses"]);
    // OpenTofu has one more error about an address that is missing or cannot be read.
    let more = match product {
        Product::OpenTofu => &["Invalid \"moved\" address"][..],
        _ => &[],
    };
    check("moved {\n  to = demo_file.f\n}\n", &[more, &["Missing required argument"]].concat());
    check(&moved("demo_file.a", "demo_file"), &[more, &["Invalid address"]].concat());
}

/// What one may expect to be refused, and is not by real cores. The embedded core loads no module that is not local.
pub(super) fn into_far_module(start: &dyn Fn() -> Engine) {
    let mut modules = Modules::open(start);
    let far = tempfile::tempdir().expect("a folder");
    fs::write(far.path().join("main.tf"), format!("{}{CHILD}", requirement())).expect("written");
    let module = module("far", &far.path().display().to_string(), "  name = \"f-0\"");
    modules.check(&[Row {
        what: "into a module that is no local one",
        before: FILE.to_owned(),
        after: module + &moved("demo_file.f", "module.far.demo_file.f"),
        expect: &["module.far.demo_file.f no-op <- demo_file.f"],
    }]);
}

/// The same: from a resource to a data source.
pub(super) fn to_data_source(start: &dyn Fn() -> Engine) {
    let mut modules = Modules::open(start);
    modules.configure(FILE);
    fine("a file", modules.engine.apply_written());
    modules.configure(&moved("demo_file.f", "data.demo_file.g"));
    // Such a block is taken for one about nothing, and the object for one that is neither declared nor removed.
    let seen = fine("to a data source", modules.engine.plan_written(&PlanOptions::default()));
    assert_eq!(seen.changes, [""; 0]);
}
