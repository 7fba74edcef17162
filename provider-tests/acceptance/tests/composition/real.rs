//! A composition that a real core starts itself.

use std::fs;
use std::path::Path;

use ferroform_testing::config::{Config, ResourceBlock, provider, resource};
use ferroform_testing::embedded::PlanOptions;
use ferroform_testing::real::{Availability, Core, Origin, Product, Provider, Resolver, Session, Version};
use libtest_mimic::{Failed, Trial};
use serde_json::json;

use crate::composition::{go_program, of_sdk};

const CORE: &str = "terraform@1.15.5";

const SOURCE: &str = "acme/small";

const COMPOSED: &str = env!("CARGO_BIN_EXE_terraform-provider-composed");
const SMALL: &str = env!("CARGO_BIN_EXE_terraform-provider-small");

pub(crate) fn trials(resolver: &Resolver) -> Vec<Trial> {
    let found = resolver.resolve(&CORE.parse().expect("a core")).expect("a core that can be looked for");
    let trial = |sdk: &'static str| {
        let name = format!("a_core_manages_objects_of_both_providers::{CORE}::{sdk}");
        match &found {
            Availability::Present(core) => {
                let core = core.clone();
                let test = Trial::test(name, move || {
                    let program = if sdk == "go" { go_program() } else { None };
                    managed(&core, program.unwrap_or(Path::new(SMALL)))
                });
                of_sdk(test, sdk)
            }
            Availability::Absent(_) => {
                Trial::test(name, || Ok(())).with_kind("skipped: no core").with_ignored_flag(true)
            }
        }
    };
    let on_real = |sdk: &'static str| {
        let name = format!("cards_of_a_program_are_listed_by_their_schemas::{CORE}::{sdk}");
        match &found {
            Availability::Present(core) => listing(name, core.clone(), sdk),
            Availability::Absent(_) => {
                Trial::test(name, || Ok(())).with_kind("skipped: no core").with_ignored_flag(true)
            }
        }
    };
    let on_embedded = |sdk: &'static str| {
        let name = format!("cards_of_a_program_are_listed_by_their_schemas::embedded::{sdk}");
        listing(name, embedded_core(), sdk)
    };
    let sdks = ["rust", "go"];
    let listings = sdks.map(on_embedded).into_iter().chain(sdks.map(on_real));
    sdks.map(trial).into_iter().chain(listings).collect()
}

/// The embedded core as a program.
fn embedded_core() -> Core {
    Core {
        product: Product::Terraform,
        version: Version::new(1, 15, 5),
        path: env!("CARGO_BIN_EXE_embedded-core").into(),
        origin: Origin::Path,
    }
}

fn listing(name: String, core: Core, sdk: &'static str) -> Trial {
    let test = Trial::test(name, move || {
        let program = if sdk == "go" { go_program() } else { None };
        listed(&core, program.unwrap_or(Path::new(SMALL)))
    });
    of_sdk(test, sdk)
}

/// Cards that the program has made and nobody manages are found by a list that this SDK has, and managed by the program.
fn listed(core: &Core, program: &Path) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let installed = Provider::dev_override(SOURCE, COMPOSED)?;
    let session = Session::new(core, Vec::new(), &[installed])?.with_workspace(|workspace| {
        workspace
            .with_env("COMPOSED_PROGRAM", program)
            .with_env("COMPOSED_LISTS", "1")
            // Real cores have it from their configuration.
            .with_env("EMBEDDED_PROVIDER", format!("{SOURCE}={COMPOSED}"))
    });
    let bare = Config::new().provider(provider("small").set("folder", folder.path().display().to_string()));
    let card =
        |name: &str| resource("small_card", name).set("name", name).set("text", format!("text of {name}"));
    session.write(&bare.clone().resource(card("a")).resource(card("b")))?;
    let applied = session.apply_at_once(&PlanOptions::default())?;
    assert!(applied.succeeded(), "{:?}", applied.diagnostics);
    session.set_state(None)?;

    session.write(&bare)?;
    let list = "list \"small_card\" \"all\" {\n  provider = small\n  include_resource = true\n}\n";
    session.workspace().write("cards.tfquery.hcl", list)?;
    let found = session.workspace().run(&["query", "-json", "-generate-config-out=found.tf"])?;
    assert!(found.succeeded(), "{:?}", found.diagnostics);
    let objects = found.messages.iter().filter_map(|message| message.json.get("list_resource_found"));
    let objects: Vec<_> = objects.map(|it| (&it["identity"], &it["resource_object"]["text"])).collect();
    let expected = ["a", "b"].map(|name| (json!({ "name": name }), json!(format!("text of {name}"))));
    assert_eq!(objects, expected.iter().map(|(name, text)| (name, text)).collect::<Vec<_>>());

    let plan = session.plan(&PlanOptions::default())?;
    assert!(plan.succeeded(), "{:?}", plan.report.diagnostics);
    let changes = plan.json.as_ref().map(|plan| plan["resource_changes"].clone()).unwrap_or_default();
    for change in changes.as_array().expect("changes") {
        assert_eq!(change["change"]["actions"], json!(["no-op"]), "{change:#}");
        assert!(change["change"]["importing"].is_object(), "{change:#}");
    }
    let applied = session.apply(&plan)?;
    assert!(applied.succeeded(), "{:?}", applied.diagnostics);
    assert!(!session.plan(&PlanOptions::default())?.has_changes());
    let destroyed = session.destroy()?;
    assert!(destroyed.succeeded(), "{:?}", destroyed.diagnostics);
    assert!(["a.card", "b.card"].iter().all(|file| !folder.path().join(file).exists()));
    Ok(())
}

/// Creates, updates and destroys a note, which the composition has itself, and a card of the program.
fn managed(core: &Core, program: &Path) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let installed = Provider::mirror(SOURCE, "1.0.0", COMPOSED)?;
    let session = Session::new(core, Vec::new(), &[installed])?
        .with_workspace(|workspace| workspace.with_env("COMPOSED_PROGRAM", program));
    let object =
        |of: &str, text: &str| -> ResourceBlock { resource(of, "a").set("name", "a").set("text", text) };
    let config = |text: &str| {
        Config::new()
            .provider(provider("small").set("folder", folder.path().display().to_string()))
            .resource(object("small_note", text))
            .resource(object("small_card", text))
    };
    let texts = || ["a.note", "a.card"].map(|file| fs::read_to_string(folder.path().join(file)).ok());
    for text in ["one", "two"] {
        session.write(&config(text))?;
        let plan = session.plan(&PlanOptions::default())?;
        assert!(plan.has_changes(), "{:?}", plan.report.diagnostics);
        let applied = session.apply(&plan)?;
        assert!(applied.succeeded(), "{:?}", applied.diagnostics);
        assert_eq!(texts(), [Some(text.to_owned()), Some(text.to_owned())]);
        let plan = session.plan(&PlanOptions::default())?;
        assert!(!plan.has_changes() && plan.report.succeeded(), "{:?}", plan.report.diagnostics);
    }
    let destroyed = session.destroy()?;
    assert!(destroyed.succeeded(), "{:?}", destroyed.diagnostics);
    assert_eq!(texts(), [None, None]);
    Ok(())
}
