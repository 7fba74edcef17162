//! A composition that a real core starts itself.

use std::fs;
use std::path::Path;

use ferroform_testing::config::{Config, ResourceBlock, provider, resource};
use ferroform_testing::embedded::PlanOptions;
use ferroform_testing::real::{Availability, Core, Provider, Resolver, Session};
use libtest_mimic::{Failed, Trial};

use crate::composition::{go_program, has_go};

const CORE: &str = "terraform@1.15.5";

const SOURCE: &str = "acme/small";

const COMPOSED: &str = env!("CARGO_BIN_EXE_terraform-provider-composed");
const SMALL: &str = env!("CARGO_BIN_EXE_terraform-provider-small");

pub(crate) fn trials(resolver: &Resolver) -> Vec<Trial> {
    let found = resolver.resolve(&CORE.parse().expect("a core")).expect("a core that can be looked for");
    let trial = |sdk: &'static str| {
        let name = format!("a_core_manages_objects_of_both_providers::{CORE}::{sdk}");
        match &found {
            Availability::Present(_) if sdk == "go" && !has_go() => {
                Trial::test(name, || Ok(())).with_kind("skipped: no `go` found").with_ignored_flag(true)
            }
            Availability::Present(core) => {
                let core = core.clone();
                Trial::test(name, move || {
                    let program = if sdk == "go" { go_program() } else { None };
                    managed(&core, program.unwrap_or(Path::new(SMALL)))
                })
            }
            Availability::Absent(_) => {
                Trial::test(name, || Ok(())).with_kind("skipped: no core").with_ignored_flag(true)
            }
        }
    };
    vec![trial("rust"), trial("go")]
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
