//! A tour of the provider: its whole life in a temporary folder, with a protocol client in the place of core.

use std::error::Error;
use std::fs;
use std::io::Write;

use ferroform::Protocol;
use ferroform::value::Value;
use ferroform_testing::client::{Provider, complete, text};
use ferroform_testing::core::Action::{Create, NoOp, Replace, Update};
use ferroform_testing::core::ReplaceOrder::DeleteThenCreate;
use ferroform_testing::core::lifecycle::Resource;

use super::provider;
use super::stage::{Result, Stage, fine, succeeded};
use crate::{Colour, Page, client};

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
    let provider = Provider::connect(client(provider(protocol), protocol)).await?;
    let root = fs::canonicalize(folder.path())?;
    let config = Value::object([("root", Value::string(root.display().to_string()))]);
    let config = complete(&provider.schemas().provider.block, &config)?;
    fine(&provider.configure(&config).await?)?;

    let mut stage = Stage { page: Page::new(out, colour), provider: &provider, root: &root };
    let version = match protocol {
        Protocol::V5 => 5,
        Protocol::V6 => 6,
    };
    stage.page.title(&format!("The provider demo over protocol {version}, below {}", root.display()))?;
    let mut objects = create(&mut stage).await?;
    drift(&mut stage, &mut objects).await?;
    read(&mut stage).await?;
    update(&mut stage, &mut objects).await?;
    replace(&mut stage, &mut objects).await?;
    vanish(&mut stage, &mut objects).await?;
    refuse(&mut stage).await?;
    import(&mut stage, &mut objects).await?;
    destroy(&mut stage, objects).await?;
    stage.page.title("\nEverything was as it should be.")?;
    Ok(())
}

/// What is managed on the tour.
struct Objects<'t> {
    directory: Resource<'t>,
    file: Resource<'t>,
    token: Resource<'t>,
    service: Resource<'t>,
}

async fn create<'t>(stage: &mut Stage<'t>) -> Result<Objects<'t>> {
    stage.page.step(
        "Create",
        "Four objects. What follows from the configuration is planned, the rest comes later.",
    )?;
    let mut directory = Resource::new(stage.provider, "demo_directory")?;
    stage.apply(&mut directory, &stage.directory("site")?, Create).await?;
    let mut file = Resource::new(stage.provider, "demo_file")?;
    stage.apply(&mut file, &stage.file("site/hello.txt", "Hello!\n")?, Create).await?;
    let mut token = Resource::new(stage.provider, "demo_token")?;
    stage.apply(&mut token, &stage.token("2026-01")?, Create).await?;
    let mut service = Resource::new(stage.provider, "demo_service")?;
    let secret = stage.attribute(&token, "demo_token", "value")?;
    stage.apply(&mut service, &stage.service(&secret, 8080)?, Create).await?;
    stage.holds("site/hello.txt", "Hello!")?;
    stage.holds("web.service.json", "8080")?;
    Ok(Objects { directory, file, token, service })
}

async fn drift<'t>(stage: &mut Stage<'t>, objects: &mut Objects<'t>) -> Result {
    stage
        .page
        .step("Drift", "Somebody edits the file. A refresh finds it, and the next apply puts it back.")?;
    fs::write(stage.root.join("site/hello.txt"), "Hacked!\n")?;
    let report = objects.file.refresh().await;
    stage.page.outcome("read", &report)?;
    succeeded(&report)?;
    if report.differences.is_empty() {
        return Err("the refresh has not found that the file was edited".into());
    }
    stage.apply(&mut objects.file, &stage.file("site/hello.txt", "Hello!\n")?, Update).await?;
    stage.holds("site/hello.txt", "Hello!")
}

async fn read(stage: &mut Stage<'_>) -> Result {
    stage.page.step("Read", "The data source reads the same file without managing it.")?;
    let schema =
        stage.provider.schemas().data_sources.get("demo_file").ok_or("there is no such data source")?;
    let config = complete(&schema.block, &Value::object([("name", Value::string("site/hello.txt"))]))?;
    let (state, diagnostics) = stage.provider.read_data_source("demo_file", &config).await?;
    fine(&diagnostics)?;
    stage.page.lines(&text::block(&schema.block, &state))?;
    match state.as_entries().and_then(|entries| entries.get("size")) == Some(&Value::from(7)) {
        true => Ok(()),
        false => Err("the file has 7 bytes, but the data source says otherwise".into()),
    }
}

async fn update<'t>(stage: &mut Stage<'t>, objects: &mut Objects<'t>) -> Result {
    stage.page.step("Update", "A new text and a new port are changed in place.")?;
    stage.apply(&mut objects.file, &stage.file("site/hello.txt", "Hello, world!\n")?, Update).await?;
    let secret = stage.attribute(&objects.token, "demo_token", "value")?;
    stage.apply(&mut objects.service, &stage.service(&secret, 9090)?, Update).await?;
    stage.holds("site/hello.txt", "world")?;
    stage.holds("web.service.json", "9090")
}

async fn replace<'t>(stage: &mut Stage<'t>, objects: &mut Objects<'t>) -> Result {
    stage
        .page
        .step("Replace", "A file with a new name is another file, and a new keeper makes a new token.")?;
    let file = stage.file("site/bye.txt", "Hello, world!\n")?;
    stage.apply(&mut objects.file, &file, Replace(DeleteThenCreate)).await?;
    if stage.root.join("site/hello.txt").exists() {
        return Err("the old file is still there".into());
    }
    let old = stage.attribute(&objects.token, "demo_token", "value")?;
    stage.apply(&mut objects.token, &stage.token("2026-02")?, Replace(DeleteThenCreate)).await?;
    if stage.attribute(&objects.token, "demo_token", "value")? == old {
        return Err("the new token is the old one".into());
    }
    Ok(())
}

async fn vanish<'t>(stage: &mut Stage<'t>, objects: &mut Objects<'t>) -> Result {
    stage.page.step("Vanish", "Somebody deletes the file, so the plan is to create it once more.")?;
    fs::remove_file(stage.root.join("site/bye.txt"))?;
    stage.apply(&mut objects.file, &stage.file("site/bye.txt", "Bye!\n")?, Create).await?;
    stage.holds("site/bye.txt", "Bye!")
}

async fn refuse(stage: &mut Stage<'_>) -> Result {
    stage.page.step("Refuse", "A name that leads out of the folder, and one that is taken.")?;
    stage.refused(&stage.file("../outside.txt", "")?, "Name Leaves The Root").await?;
    stage.refused(&stage.file("site/bye.txt", "Mine!\n")?, "Name Already Exists").await?;
    stage.holds("site/bye.txt", "Bye!")
}

async fn import<'t>(stage: &mut Stage<'t>, objects: &mut Objects<'t>) -> Result {
    stage.page.step(
        "Import",
        "The state forgets the file, and takes it over again by its name. Nothing is left to do.",
    )?;
    objects.file = Resource::new(stage.provider, "demo_file")?;
    let report = objects.file.import("site/bye.txt").await;
    stage.page.outcome("imported", &report)?;
    succeeded(&report)?;
    stage.apply(&mut objects.file, &stage.file("site/bye.txt", "Bye!\n")?, NoOp).await
}

async fn destroy<'t>(stage: &mut Stage<'t>, objects: Objects<'t>) -> Result {
    stage.page.step("Destroy", "All in reverse order. The folder is empty then.")?;
    stage.destroy(objects.service).await?;
    stage.destroy(objects.token).await?;
    stage.destroy(objects.file).await?;
    stage.destroy(objects.directory).await?;
    match fs::read_dir(stage.root)?.next() {
        None => Ok(()),
        Some(left) => Err(format!("{:?} is left behind", left?.file_name()).into()),
    }
}
