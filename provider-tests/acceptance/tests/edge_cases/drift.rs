//! What only is written in another form, and what really differs: in attributes of every notation, and in sets with a key.

use ferroform::path;
use ferroform_testing::case::{
    Case, Idempotency, Is, ObjectCheck, RunsOn, Step, change, changes, drift, error, is, object,
};
use ferroform_testing::client::Protocol;
use ferroform_testing::plan::Action;
use ferroform_testing::real::Feature;

use crate::edge_cases::support::{Backend, apply, case, edit, text};

pub(crate) fn cases() -> Vec<Case<Backend>> {
    vec![representations(), adopted(), nested()]
}

const PAGE: &str = "corner_page.this";
const TEAM: &str = "corner_team.this";
const CREW: &str = "corner_crew.this";

/// None of this is written as the service does.
fn page(text: &str) -> String {
    format!(
        r#"
resource "corner_page" "this" {{
  label     = "p"
  url       = "http://Example.com:80/a"
  published = "2026-01-01T12:00:00+02:00"
  text      = "  {text}\r\n"
  settings  = "b: 2\na:   1\n"
  image     = "web:1"
  host      = "example.com"
  weight    = 0.31
  labels    = {{ team = "core" }}
  mode      = "on"
}}
"#
    )
}

/// The same, written in another form once more.
fn rewritten(text: &str) -> String {
    format!(
        r#"
resource "corner_page" "this" {{
  label     = "p"
  url       = "http://example.com/a"
  published = "2026-01-01T10:00:00.0Z"
  text      = "{text}"
  settings  = "{{a: 1, b: 2}}"
  image     = "registry/web:1"
  host      = "example.com."
  weight    = 0.33
  labels    = {{ team = "core" }}
  mode      = "on"
}}
"#
    )
}

/// A team of these members, each as a block.
fn team<const N: usize>(members: [&str; N]) -> String {
    let blocks: String = members.map(|it| format!("  member {{\n    {it}\n  }}\n")).concat();
    format!("resource \"corner_team\" \"this\" {{\n  label = \"t\"\n{blocks}}}\n")
}

/// Name, role, level, desk, number and motto of a member.
fn member(
    name: &str,
    (role, level, desk): (&str, u32, u32),
    number: impl Into<Is>,
    motto: Option<&str>,
) -> Is {
    is::object([
        ("name", Is::from(name)),
        ("role", role.into()),
        ("level", level.into()),
        ("desk", desk.into()),
        ("number", number.into()),
        ("motto", motto.map_or_else(is::null, Is::from)),
    ])
}

const ANN: &str = "name = \"ann\"\n    level = 1\n    motto = \"Ahoy\"";
const BOB: &str = "name = \"bob\"\n    level = 1\n    role = \"chief\"\n    desk = 3";

/// Ann, of whom nothing is changed.
fn ann() -> Is {
    member("ann", ("guest", 1, 10), 1, Some("Ahoy"))
}

/// What the service rewrites is nothing to do, nor what is configured in another representation; everything else is.
fn representations() -> Case<Backend> {
    case("equivalent representations and sets with a key")
        .runs_on(RunsOn::Matrix)
        .idempotency(Idempotency::Refreshed)
        .step(
            apply(page("one") + &team([ANN, BOB]))
                .named("create")
                .plan(change(TEAM).after(
                    path!(member),
                    is::set([
                        member("ann", ("guest", 1, 10), is::unknown(), Some("Ahoy")),
                        member("bob", ("chief", 1, 3), is::unknown(), None),
                    ]),
                ))
                .state(as_first_written().has(path!(text), "  one\r\n").has(path!(weight), 0.31))
                .state(
                    object(TEAM)
                        .has(path!(member), is::set([ann(), member("bob", ("chief", 1, 3), 2, None)])),
                ),
        )
        // Bob is who he was: his number stays, and his desk, which is not configured any more.
        .step(
            apply(rewritten("two") + &team([CID, "name = \"bob\"\n    level = 2", SHOUTING_ANN]))
                .named("change")
                .plan(changes([(PAGE, Action::Update), (TEAM, Action::Update)]))
                .plan(change(PAGE).after(path!(url), "http://Example.com:80/a").after(path!(weight), 0.31))
                .plan(change(TEAM).after(
                    path!(member),
                    is::set([
                        ann(),
                        member("bob", ("guest", 2, 3), 2, None),
                        member("cid", ("guest", 1, 10), is::unknown(), None),
                    ]),
                ))
                .state(as_first_written().has(path!(text), "two").has(path!(weight), 0.31))
                .state(object(TEAM).has(path!(member), is::set([ann(), bob(2), cid()]))),
        )
        .step(edit("p", "url", "HTTP://EXAMPLE.COM/a"))
        .step(edit("p", "settings", "a: 1.0\nb: 2"))
        .step(edit("p", "weight", "0.9"))
        .step(edit("p", "mode", "off"))
        .step(edit("p", "labels", r#"{"team":"other","more":"of others"}"#))
        .step(edit(
            "t",
            "members",
            r#"[["cid","guest",1,10,3,null],["bob","guest",1,3,2,null],["ann","guest",1,10,1,"aHOY"]]"#,
        ))
        .step(
            apply(rewritten("two") + &team([ANN, "name = \"bob\"\n    level = 2", CID]))
                .named("changed by others")
                .plan(
                    drift(PAGE)
                        .after(path!(url), "http://Example.com:80/a")
                        .after(path!(settings), "b: 2\na:   1\n")
                        .before(path!(weight), 0.31)
                        .after(path!(weight), 0.9)
                        .after(path!(mode), "off")
                        .after(path!(labels), is::object([("team", "other")])),
                )
                .plan(drift(TEAM).after(path!(member), is::set([ann(), bob(1), cid()])))
                .plan(changes([(PAGE, Action::Update), (TEAM, Action::Update)]))
                .state(as_first_written().has(path!(weight), 0.33))
                .state(object(TEAM).has(path!(member), is::set([ann(), bob(2), cid()]))),
        )
}

const CID: &str = "name = \"cid\"\n    level = 1";
const SHOUTING_ANN: &str = "name = \"ann\"\n    level = 1\n    role = \"guest\"\n    motto = \"AHOY\"";

fn bob(level: u32) -> Is {
    member("bob", ("guest", level, 3), 2, None)
}

fn cid() -> Is {
    member("cid", ("guest", 1, 10), 3, None)
}

/// What of the page is never really changed.
fn as_first_written() -> ObjectCheck {
    object(PAGE)
        .has(path!(url), "http://Example.com:80/a")
        .has(path!(published), "2026-01-01T12:00:00+02:00")
        .has(path!(settings), "b: 2\na:   1\n")
        .has(path!(image), "web:1")
        .has(path!(host), "example.com")
        .has(path!(labels), is::object([("team", "core")]))
        .has(path!(mode), "on")
}

/// An import knows no representation but that of the service. It knows of no label that it is not wanted, either, so that is
/// left to the first plan. And who is lowered is replaced.
fn adopted() -> Case<Backend> {
    let both = || page("one") + &team([ANN]);
    let written = [
        path!(url),
        path!(published),
        path!(text),
        path!(settings),
        path!(image),
        path!(host),
        path!(weight),
        path!(labels),
    ];
    let import = Step::import_id(text(both()), PAGE, "p");
    let import = written.into_iter().fold(import, Step::except);
    case("imports in other representations, and lowered members")
        .runs_on(RunsOn::Newest)
        .requires(Feature::ImportBlock)
        .idempotency(Idempotency::Off)
        .step(apply(both()))
        .step(Step::forget(PAGE))
        .step(
            import
                .plan(
                    change(PAGE)
                        .importing("p")
                        .action(Action::Update)
                        .before(path!(labels), is::object([("service", "corner"), ("team", "core")]))
                        .after(path!(labels), is::object([("team", "core")]))
                        .after(path!(url), "http://example.com:80/a")
                        .after(path!(weight), 0.3),
                )
                .state(
                    object(PAGE)
                        .has(path!(image), "registry/web:1")
                        .has(path!(labels), is::object([("team", "core")])),
                ),
        )
        .step(
            Step::plan_only(text(page("one") + &team([&ANN.replace('1', "2")])))
                .plan(change(TEAM).action(Action::Update).replace_paths([])),
        )
        .step(
            Step::plan_only(text(page("one") + &team([&ANN.replace('1', "0")])))
                .plan(change(TEAM).action(Action::DeleteThenCreate).replace_paths([path!(member)])),
        )
}

/// The same set as a nested attribute, beside timeouts as an attribute.
fn nested() -> Case<Backend> {
    let crew = |members: &str, timeouts: &str| {
        format!(
            "resource \"corner_crew\" \"this\" {{\n  label  = \"c\"\n  member = [{members}]\n  {timeouts}\n}}\n"
        )
    };
    let (ann, bob) = ("{ name = \"ann\", level = 1 }", "{ name = \"bob\", level = 1, role = \"chief\" }");
    let raised = "{ level = 2, name = \"bob\" }";
    let long = "timeouts = { create = \"2h\" }";
    case("nested sets with a key, and timeouts as an attribute")
        .protocols([Protocol::V6])
        .idempotency(Idempotency::Refreshed)
        .step(Step::plan_only(text(crew(ann, "timeouts = { create = \"2 parsec\" }"))).expect(
            error("Invalid Duration").detail("`10s`, `60m` or `2h`").at(path!(timeouts.create)).times(1),
        ))
        .step(apply(crew(&format!("{ann}, {bob}"), long)).state(
            object(CREW).has(path!(timeouts.create), "2h").has(path!(timeouts.update), is::null()).has(
                path!(member),
                is::set([member("ann", ("guest", 1, 10), 1, None), member("bob", ("chief", 1, 10), 2, None)]),
            ),
        ))
        .step(
            apply(crew(&format!("{raised}, {ann}"), ""))
                .plan(change(CREW).action(Action::Update).after(
                    path!(member),
                    is::set([
                        member("ann", ("guest", 1, 10), 1, None),
                        member("bob", ("guest", 2, 10), 2, None),
                    ]),
                ))
                .state(object(CREW).has(path!(timeouts), is::null())),
        )
        .step(
            apply(crew(ann, "timeouts = { create = \"1s\" }").replace("\"c\"", "\"slow\""))
                .idempotency(Idempotency::Off)
                .expect(error("Operation Timed Out").times(1))
                .expect(error("Crew Failed").times(1))
                .state(object(CREW).has(path!(label), "slow").tainted()),
        )
}
