//! `check`: what the compiler does not see.

use serde_json::{Value as Json, json};

use crate::support::{Project, fails, passes, text};

#[test]
fn every_kind_of_mistake_is_found_with_what_to_do() {
    let project = Project::new("scaffoldchecks");
    // The same provider as a release had it: what differs from it is what its users see.
    let schema = passes("schema", &project.tool(&["schema"]));
    project.write("released.json", &schema);
    passes("check", &project.tool(&["check", "--released", "released.json"]));
    passes("check", &project.tool(&["check", "--released", "released.json", "--released-version", "0.1.0"]));

    let note = project.read("src/note.rs");
    let changed = note
        .replace("    /// The text of the note.\n    text: String,", "    text: String,")
        .replace(
            "text: String,\n}\n\nimpl Client",
            "text: String,\n    secret_key: Option<String>,\n}\n\nimpl Client",
        )
        .replace("text: plan.text }", "text: plan.text, secret_key: plan.secret_key }")
        .replace("name: prior.name, text }", "name: prior.name, text, secret_key: None }");
    let unused = "pub fn is_short() -> ferroform::schema::Validator {\n    todo()\n}\nfn todo<T>() -> T {\n    loop {}\n}\n";
    project.write("src/note.rs", &(changed + unused));
    let reported = fails(&project.tool(&["check"]));
    for part in [
        "resource scaffoldchecks_note.text has no description; add a doc comment",
        "resource scaffoldchecks_note.secret_key looks like a secret and is shown in plain text",
        "resource scaffoldchecks_note: the shape of state 0 is not the one in",
        "the validator `is_short` in",
    ] {
        assert!(reported.contains(part), "{part}: {reported}");
    }
    assert!(!reported.contains("data source"), "{reported}");
    let manifest = project.read("Cargo.toml");
    let allowed = manifest
        .replace("[lib]", "not-secret = [\"scaffoldchecks_note.secret_key\"]\n\n[lib]")
        .replace("\n\nnot-secret", "\nnot-secret");
    project.write("Cargo.toml", &allowed);
    let reported = fails(&project.tool(&["check"]));
    assert!(!reported.contains("looks like a secret"), "{reported}");
    project.write("src/note.rs", &note);

    released(&project, &serde_json::from_str(&schema).expect("JSON"));
}

/// What differs from a release, each by a release that was otherwise.
fn released(project: &Project, schema: &Json) {
    let provider = "/provider_schemas/registry.terraform.io~1acme~1scaffoldchecks";
    let check = |change: &dyn Fn(&mut Json), expected: &str| {
        let mut released = schema.clone();
        change(released.pointer_mut(provider).expect("the provider"));
        project.write("released.json", &released.to_string());
        let output = project.tool(&["check", "--released", "released.json"]);
        let shown = text(&output.stdout);
        assert!(shown.contains(expected), "{expected}: {shown}");
        let is_breaking = expected.starts_with("breaking");
        assert_eq!(output.status.success(), !is_breaking, "{expected}: {}", text(&output.stderr));
    };
    let note = "/resource_schemas/scaffoldchecks_note/block/attributes";
    let attributes =
        |it: &mut Json, change: &dyn Fn(&mut Json)| change(it.pointer_mut(note).expect("a note"));
    check(
        &|it| attributes(it, &|all| all["gone"] = json!({"type": "string", "optional": true})),
        "breaking: resource scaffoldchecks_note.gone was removed",
    );
    check(
        &|it| attributes(it, &|all| all["text"] = json!({"type": "string", "optional": true})),
        "breaking: resource scaffoldchecks_note.text was made required",
    );
    check(
        &|it| attributes(it, &|all| all["text"] = json!({"type": "number", "required": true})),
        "breaking: resource scaffoldchecks_note.text changed its type from number to string",
    );
    check(
        &|it| {
            attributes(it, &|all| {
                all.as_object_mut().expect("attributes").remove("text");
            })
        },
        "breaking: resource scaffoldchecks_note.text is new and required",
    );
    check(
        &|it| {
            it["data_source_schemas"].as_object_mut().expect("data sources").clear();
        },
        "minor: data source scaffoldchecks_note is new",
    );
    check(
        &|it| it["functions"]["shout"] = it["functions"]["slug"].clone(),
        "breaking: function shout was removed",
    );

    // The version says what may change.
    let mut released = schema.clone();
    let it = released.pointer_mut(provider).expect("the provider");
    attributes(it, &|all| all["gone"] = json!({"type": "string", "optional": true}));
    project.write("released.json", &released.to_string());
    let with = |version: &str| {
        project.tool(&["check", "--released", "released.json", "--released-version", version])
    };
    let reported = fails(&with("0.1.0"));
    assert!(
        reported.contains("the version 0.1.0 is too low for these changes; raise it to 0.2.0"),
        "{reported}"
    );
    passes("check", &with("0.0.9"));

    project.write("released.json", "no JSON");
    let reported = fails(&project.tool(&["check", "--released", "released.json"]));
    assert!(reported.contains("is not what `terraform providers schema -json`"), "{reported}");
    // A schema of which a part cannot be read, and a program that is no provider.
    let broken = schema.to_string().replace("\"string\"", "\"text\"");
    project.write("released.json", &broken);
    let reported = fails(&project.tool(&["check", "--released", "released.json"]));
    assert!(reported.contains("is not what `terraform providers schema -json`"), "{reported}");
    let tool = env!("CARGO_BIN_EXE_cargo-ferroform");
    let reported = fails(&project.tool(&["check", "--released", tool]));
    assert!(reported.contains("does not serve its schemas"), "{reported}");
    let reported = fails(&project.tool(&["check", "--released", "nowhere.json"]));
    assert!(
        reported.contains("cannot read nowhere.json") && reported.contains("check the path"),
        "{reported}"
    );
}

/// What forces a replacement is asked of the program of the release and of the new one.
#[test]
fn new_replacement_is_a_breaking_change() {
    let project = Project::new("scaffoldreplaces");
    let note = project.read("src/note.rs");
    let more = "    text: String,\n    /// The size.\n    #[attr(replace)]\n    size: Option<i64>,\n    /// The zone.\n    \
                zone: Option<String>,\n}\n\nimpl C";
    let released = note
        .replace("    text: String,\n}\n\nimpl C", more)
        .replace("text: plan.text }", "text: plan.text, size: plan.size, zone: plan.zone }")
        .replace("name: prior.name, text }", "name: prior.name, text, size: prior.size, zone: prior.zone }");
    project.write("src/note.rs", &released);
    // The configuration names the folder of the program.
    let configuration = passes("install", &project.tool(&["install", "--dev"]));
    let folder = configuration.split('"').nth(3).expect("a folder");
    let program = std::path::Path::new(folder).join("terraform-provider-scaffoldreplaces");
    std::fs::copy(program, project.folder.join("released")).expect("copied");

    let check = || project.tool(&["check", "--released", "released"]);
    let same = check();
    assert_eq!(text(&same.stdout), "", "{}", text(&same.stderr));
    assert!(!text(&same.stderr).contains("not compared"), "{}", text(&same.stderr));
    assert!(fails(&same).contains("the shape of state 0 is not the one in"), "{}", text(&same.stderr));

    let changed = released
        .replace("    #[attr(replace)]\n    size", "    size")
        .replace("    zone: Option", "    #[attr(replace)]\n    zone: Option")
        .replace(
            "    /// The text of the note.\n    text",
            "    /// The text of the note.\n    #[attr(replace)]\n    text",
        );
    project.write("src/note.rs", &changed);
    let output = check();
    let reported = text(&output.stdout);
    let changes: Vec<&str> =
        reported.lines().map(|line| line.split(';').next().unwrap_or_default()).collect();
    assert_eq!(
        changes,
        [
            "minor: resource scaffoldreplaces_note.size forces no replacement any more",
            "breaking: resource scaffoldreplaces_note.text forces a replacement",
            "breaking: resource scaffoldreplaces_note.zone forces a replacement",
        ],
        "{}",
        text(&output.stderr)
    );
    assert!(
        fails(&output).contains("2 changes break configurations of the release; undo them"),
        "{}",
        text(&output.stderr)
    );
}
