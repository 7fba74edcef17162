//! The guides: a page per topic, with examples that are compiled and run.
//!
//! | page | for |
//! |---|---|
//! | [`attributes`] | schemas: attributes, nested attributes, blocks, types of other crates |
//! | [`validation`] | checks of a configuration |
//! | [`planning`] | defaults, replacement, computed values |
//! | [`diagnostics`] | errors and warnings |
//! | [`provider`] | the provider's configuration and client |
//! | [`data_sources`] | reading without managing |
//! | [`secrets`] | write-only, sensitive and ephemeral values |
//! | [`waiting`] | slow services, timeouts, cancellation |
//! | [`drift`] | services that rewrite their input |
//! | [`versions`] | stored states and identities, imports, moves |
//! | [`functions`], [`ephemeral_resources`], [`actions`], [`lists`], [`state_stores`] | the other concepts |
//! | [`deferral`] | changes that wait until more is known |
//! | [`cookbook`] | recipes |
//! | [`debugging`] | logs, breakpoints, questions |
//!
//! The tutorial, the pages about testing and publishing, and the reference are in the folder `docs` of the repository.

/// Each page is a module. The links between pages have names, which are defined here first; the definitions at the end of
/// a page are for readers of the file.
macro_rules! pages {
    ($($name:ident = $file:literal),+ $(,)?) => {
        $(
            #[doc = include_str!("guide/links.md")]
            #[doc = include_str!(concat!("../docs/", $file))]
            pub mod $name {}
        )+
    };
}

pages! {
    actions = "actions.md",
    attributes = "attributes.md",
    cookbook = "cookbook.md",
    data_sources = "data-sources.md",
    debugging = "debugging.md",
    deferral = "deferral.md",
    diagnostics = "diagnostics.md",
    drift = "drift.md",
    ephemeral_resources = "ephemeral-resources.md",
    functions = "functions.md",
    lists = "lists.md",
    planning = "planning.md",
    provider = "provider.md",
    secrets = "secrets.md",
    state_stores = "state-stores.md",
    validation = "validation.md",
    versions = "versions.md",
    waiting = "waiting.md",
}
