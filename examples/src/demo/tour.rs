//! A tour of the provider: its whole life in a temporary folder, with the embedded core in the place of a real one.

use std::error::Error;
use std::fs;
use std::io::Write;

use ferroform::Protocol;
use ferroform_testing::case::Tree;
use ferroform_testing::config::{data, resource};
use ferroform_testing::embedded::PlanOptions;
use ferroform_testing::plan::Action::{Create, DeleteThenCreate, Update};

use super::stage::{Result, Stage, file, token};
use crate::{Colour, Page};

/// Shows what the provider does, and holds it to the rules of core. It works in a temporary folder, which is gone
/// afterwards.
///
/// # Errors
/// The first thing that is not as it should be.
pub fn tour(
    protocol: Protocol,
    colour: Colour,
    out: &mut dyn Write,
) -> std::result::Result<(), Box<dyn Error>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(walk(protocol, colour, out))
}

async fn walk(protocol: Protocol, colour: Colour, out: &mut dyn Write) -> Result {
    let folder = tempfile::tempdir()?;
    let root = fs::canonicalize(folder.path())?;
    let mut stage = Stage::new(Page::new(out, colour), protocol, &root).await?;
    let version = match protocol {
        Protocol::V5 => 5,
        Protocol::V6 => 6,
    };
    stage.page.title(&format!("The provider demo over protocol {version}, below {}", root.display()))?;
    create(&mut stage).await?;
    drift(&mut stage).await?;
    read(&mut stage).await?;
    update(&mut stage).await?;
    replace(&mut stage).await?;
    vanish(&mut stage).await?;
    refuse(&mut stage).await?;
    import(&mut stage).await?;
    destroy(&mut stage).await?;
    stage.page.title("\nEverything was as it should be.")?;
    Ok(())
}

const DIRECTORY: &str = "demo_directory.site";
const FILE: &str = "demo_file.page";
const SERVICE: &str = "demo_service.web";
const TOKEN: &str = "demo_token.api";

async fn create(stage: &mut Stage<'_>) -> Result {
    stage.page.step(
        "Create",
        "Four objects. What follows from the configuration is planned, the rest comes later.",
    )?;
    stage.configure(resource("demo_directory", "site").set("name", "site"));
    stage.configure(file("hello.txt", "Hello!\n"));
    stage.configure(token("2026-01"));
    let service = stage.service(8080);
    stage.configure(service);
    stage.apply(&[(DIRECTORY, Create), (FILE, Create), (TOKEN, Create), (SERVICE, Create)]).await?;
    stage.holds("site/hello.txt", "Hello!")?;
    stage.holds("web.service.json", "8080")
}

async fn drift(stage: &mut Stage<'_>) -> Result {
    stage
        .page
        .step("Drift", "Somebody edits the file. A refresh finds it, and the next apply puts it back.")?;
    fs::write(stage.root.join("site/hello.txt"), "Hacked!\n")?;
    let plan = stage.plan(&PlanOptions::refresh_only()).await?;
    let view = stage.view(&plan)?;
    let found = view.drift(FILE).ok_or("the refresh has not found that the file was edited")?;
    stage.page.change(&found, "changed outside")?;
    stage.apply_planned(&plan).await?;
    stage.apply(&[(FILE, Update)]).await?;
    stage.holds("site/hello.txt", "Hello!")
}

async fn read(stage: &mut Stage<'_>) -> Result {
    stage.page.step("Read", "The data source reads the same file without managing it.")?;
    let managed = stage.config.clone();
    stage.config = managed.clone().data(data("demo_file", "page").set("name", "site/hello.txt"));
    let plan = stage.plan(&PlanOptions::default()).await?;
    stage.config = managed;
    let read = stage.stored(&plan.prior_state, "data.demo_file.page")?;
    stage.page.lines("data.demo_file.page: read")?;
    stage.page.attributes(Tree::plain(&serde_json::Value::Null), Tree::plain(&read), &[])?;
    match read["size"] == 7 {
        true => Ok(()),
        false => Err("the file has 7 bytes, but the data source says otherwise".into()),
    }
}

async fn update(stage: &mut Stage<'_>) -> Result {
    stage.page.step("Update", "A new text and a new port are changed in place.")?;
    stage.configure(file("hello.txt", "Hello, world!\n"));
    let service = stage.service(9090);
    stage.configure(service);
    stage.apply(&[(FILE, Update), (SERVICE, Update)]).await?;
    stage.holds("site/hello.txt", "world")?;
    stage.holds("web.service.json", "9090")
}

async fn replace(stage: &mut Stage<'_>) -> Result {
    stage.page.step(
        "Replace",
        "A file with a new name is another file. A new keeper makes a new token, and the service gets it.",
    )?;
    let old = stage.stored(&stage.state, TOKEN)?;
    stage.configure(file("bye.txt", "Hello, world!\n"));
    stage.configure(token("2026-02"));
    stage.apply(&[(FILE, DeleteThenCreate), (TOKEN, DeleteThenCreate), (SERVICE, Update)]).await?;
    if stage.root.join("site/hello.txt").exists() {
        return Err("the old file is still there".into());
    }
    if stage.stored(&stage.state, TOKEN)?["value"] == old["value"] {
        return Err("the new token is the old one".into());
    }
    Ok(())
}

async fn vanish(stage: &mut Stage<'_>) -> Result {
    stage.page.step("Vanish", "Somebody deletes the file, so the plan is to create it once more.")?;
    fs::remove_file(stage.root.join("site/bye.txt"))?;
    stage.configure(file("bye.txt", "Bye!\n"));
    stage.apply(&[(FILE, Create)]).await?;
    stage.holds("site/bye.txt", "Bye!")
}

async fn refuse(stage: &mut Stage<'_>) -> Result {
    stage.page.step("Refuse", "A name that leads out of the folder, and one that is taken.")?;
    let other = |name: &str| resource("demo_file", "other").set("name", name).set("content", "Mine!\n");
    stage.refused(other("../outside.txt"), "Name Leaves The Root").await?;
    stage.refused(other("site/bye.txt"), "Name Already Exists").await?;
    stage.holds("site/bye.txt", "Bye!")
}

async fn import(stage: &mut Stage<'_>) -> Result {
    stage.page.step(
        "Import",
        "The state forgets the file, and takes it over again by its name. Nothing is left to do.",
    )?;
    stage.state.resources.retain(|address, _| address.type_name != "demo_file");
    stage.import(FILE, "site/bye.txt").await?;
    let imported = stage.stored(&stage.state, FILE)?;
    stage.page.lines(&format!("{FILE}: imported"))?;
    stage.page.attributes(Tree::plain(&serde_json::Value::Null), Tree::plain(&imported), &[])?;
    stage.apply(&[]).await
}

async fn destroy(stage: &mut Stage<'_>) -> Result {
    stage.page.step("Destroy", "All in reverse order. The folder is empty then.")?;
    stage.destroy(&[DIRECTORY, FILE, SERVICE, TOKEN]).await?;
    match fs::read_dir(stage.root)?.next() {
        None => Ok(()),
        Some(left) => Err(format!("{:?} is left behind", left?.file_name()).into()),
    }
}
