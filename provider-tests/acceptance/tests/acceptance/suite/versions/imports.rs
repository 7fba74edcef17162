//! Imports of notes: by id, by block, by identity.

use std::fs;

use ferroform::Protocol;
use ferroform_examples::demo::Release;
use ferroform_testing::config::{Config, object};
use ferroform_testing::embedded::PlanOptions;
use serde_json::json;
use tempfile::TempDir;

use super::engine::{Engine, Identities, Seen, instance, source};
use super::history::{config, note, root};

const PLACE: &str = "notes/a.md";

/// A folder with a note that nobody manages yet.
fn lying_about() -> TempDir {
    let root = root();
    let file = root.path().join(PLACE);
    fs::write(&file, "One.\n\nThree.\n").expect("written");
    let mode: std::fs::Permissions = std::os::unix::fs::PermissionsExt::from_mode(0o640);
    fs::set_permissions(file, mode).expect("set");
    root
}

/// The configuration of that note.
fn declared(engine: &Engine, root: &TempDir) -> Config {
    config(root.path()).resource(note(Release::Current, engine.protocol(), ("this", PLACE), "---"))
}

/// What is stored after an import.
#[track_caller]
fn stored(engine: &mut Engine, config: &Config) {
    let state = engine.state_json();
    let found = instance(&state, "demo_note.this");
    assert_eq!(found["attributes"]["name"], PLACE);
    if engine.identities() == Identities::Known {
        assert_eq!(found["identity"], json!({"directory": "notes", "name": "a.md"}));
        assert_eq!(found["identity_schema_version"], 2);
    }
    engine.settled(config);
}

#[track_caller]
fn refused(seen: &Seen, summary: &str) {
    let [error] = seen.errors.as_slice() else { panic!("not one error but {seen:#?}") };
    assert_eq!(error.summary, summary, "{error:#?}");
}

pub(super) fn by_id(engine: &mut Engine) {
    let root = lying_about();
    let config = declared(engine, &root);
    refused(&engine.import(&config, "demo_note.this", "../a.md"), "Name Leaves The Root");
    refused(&engine.import(&config, "demo_note.this", "notes/b.md"), "Object Not Found");
    let seen = engine.import(&config, "demo_note.this", PLACE);
    assert!(seen.errors.is_empty(), "{seen:#?}");
    stored(engine, &config);
}

pub(super) fn by_block(engine: &mut Engine) {
    let root = lying_about();
    let declared = declared(engine, &root);
    let config = declared.clone().import("demo_note.this", PLACE);
    let seen = engine.plan(&config, &PlanOptions::default());
    assert_eq!(seen.changes, ["demo_note.this no-op (import)"], "{seen:#?}");
    let seen = engine.apply(&config);
    assert!(seen.errors.is_empty(), "{seen:#?}");
    stored(engine, &declared);
}

pub(super) fn by_identity(engine: &mut Engine) {
    let root = lying_about();
    let declared = declared(engine, &root);
    let by = |members: &[(&str, &str)]| {
        let members = members.to_vec();
        declared.clone().import_identity("demo_note.this", object(members))
    };
    refused(&engine.plan(&by(&[("name", "a.md")]), &PlanOptions::default()), "Object Not Found");
    let config = by(&[("directory", "notes"), ("name", "a.md")]);
    let seen = engine.plan(&config, &PlanOptions::default());
    assert_eq!(seen.changes, ["demo_note.this no-op (import)"], "{seen:#?}");
    let seen = engine.apply(&config);
    assert!(seen.errors.is_empty(), "{seen:#?}");
    stored(engine, &declared);
}

fn head(root: &TempDir) -> String {
    format!(
        "terraform {{\n  required_providers {{\n    demo = {{ source = \"{}\" }}\n  }}\n}}\n\
         provider \"demo\" {{\n  root = \"{}\"\n}}\n",
        source("demo"),
        root.path().display()
    )
}

/// Two notes that nobody manages yet.
fn two_lying_about() -> TempDir {
    let root = lying_about();
    fs::copy(root.path().join(PLACE), root.path().join("top.md")).expect("copied");
    root
}

/// Several objects by one block.
pub(super) fn by_block_for_each(engine: &mut Engine) {
    let root = two_lying_about();
    let permissions = r#"{ owner = "rw-", group = "r--" }"#;
    let permissions = match engine.protocol() {
        Protocol::V6 => format!("permissions = {permissions}"),
        Protocol::V5 => "permissions {\n    owner = \"rw-\"\n    group = \"r--\"\n  }".to_owned(),
    };
    let each = format!(
        "locals {{\n  notes = {{ a = \"notes/a.md\", b = \"top.md\" }}\n}}\n\
         resource \"demo_note\" \"all\" {{\n  for_each = local.notes\n  name = each.value\n  \
         lines = [\"One.\", \"\", \"Three.\"]\n  {permissions}\n}}\n"
    );
    let import = "import {\n  for_each = local.notes\n  to = demo_note.all[each.key]\n  id = each.value\n}\n";
    engine.write(&[("main.tf", format!("{}{each}{import}", head(&root)))]);
    let seen = engine.plan_written(&PlanOptions::default());
    let expect = ["demo_note.all[\"a\"] no-op (import)", "demo_note.all[\"b\"] no-op (import)"];
    assert_eq!(seen.changes, expect, "{seen:#?}");
    let seen = engine.apply_written();
    assert!(seen.errors.is_empty(), "{seen:#?}");
    engine.settled_as_written();
}

/// The configuration of what is imported is generated.
pub(super) fn generated(engine: &mut Engine) {
    let root = two_lying_about();
    let head = head(&root);
    engine.write(&[("main.tf", format!("{head}import {{\n  to = demo_note.this\n  id = \"top.md\"\n}}\n"))]);
    let written = engine.generate();
    assert!(written.contains("resource \"demo_note\" \"this\" {"), "{written}");
    let seen = engine.apply_written();
    assert!(seen.errors.is_empty(), "{seen:#?}");
    engine.settled_as_written();
}
