//! The guides: a page per topic, with examples that are compiled and run.
//!
//! | page | for |
//! |---|---|
//! | [`tutorial_1_first_provider`], [`2`](tutorial_2_resource_of_a_service), [`3`](tutorial_3_data_and_secrets), [`4`](tutorial_4_tests_and_release) | a provider, step by step, with its first test |
//! | [`migration`] | providers written in Go |
//!
//! # How to
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
//! | [`composition`] | several providers as one, also of other SDKs |
//! | [`cookbook`] | recipes |
//! | [`logging`] | events, levels, and what a log must not hold |
//! | [`debugging`] | logs, breakpoints, questions |
//! | [`testing`], [`real_cores`], [`language`] | test cases, the cores that run them, the language of configurations |
//! | [`tools`], [`publishing`] | `cargo ferroform`, and releases |
//! | [`upgrading`] | new releases of ferroform and of your provider |
//!
//! # Reference
//!
//! | page | for |
//! |---|---|
//! | [`derive(Model)`](derive@crate::model::Model) | every annotation |
//! | [`errors`] | each error of the SDK, with its cause and its fix |
//! | [`environment`] | environment variables |
//! | [`cores`], [`protocol`] | the supported cores and procedures |
//! | [`glossary`] | the words |
//!
//! # Explanation
//!
//! | page | for |
//! |---|---|
//! | [`life_of_a_resource`] | which call is made when |
//! | [`null_unknown_computed`] | which value is possible in which phase |
//! | [`agreement`] | how the SDK is kept in agreement with Terraform |
//! | [`decision_5`], [`decision_6`], [`decision_11`], [`decision_18`], [`decision_19`] | why it is so |
//!
//! # Files of the repository
//!
//! The pages name files that are not part of this documentation: the examples in `examples`, the pages for maintainers in
//! `docs/contributing`, the changelog. Those links lead here; the path is relative to the root of the repository.

/// Each page is a module. The links between pages have names, which are defined here first; the definitions at the end of
/// a page are for readers of the file.
macro_rules! page {
    ($name:ident, $file:literal) => {
        #[doc = include_str!("guide/links.md")]
        #[doc = include_str!("guide/pictures.md")]
        #[doc = include_str!(concat!("../docs/", $file))]
        pub mod $name {}
    };
}

macro_rules! pages {
    ($($name:ident = $file:literal),+ $(,)?) => { $(page!($name, $file);)+ };
}

pages! {
    actions = "actions.md",
    attributes = "attributes.md",
    cookbook = "cookbook.md",
    data_sources = "data-sources.md",
    debugging = "debugging.md",
    diagnostics = "diagnostics.md",
    drift = "drift.md",
    ephemeral_resources = "ephemeral-resources.md",
    functions = "functions.md",
    lists = "lists.md",
    logging = "logging.md",
    planning = "planning.md",
    provider = "provider.md",
    validation = "validation.md",
    versions = "versions.md",
    waiting = "waiting.md",
}

/// The pages whose examples need more than this crate, or are excerpts. They are no doc tests of this crate: those of
/// `composition` need a feature; those of `deferral`, `language`, `secrets` and `state_stores` are doc tests of
/// `ferroform-testing`; the others are lines of tests.
macro_rules! pages_without_doc_tests {
    ($($name:ident = $file:literal),+ $(,)?) => { $(#[cfg(not(doctest))] page!($name, $file);)+ };
}

pages_without_doc_tests! {
    agreement = "explanation/agreement.md",
    composition = "composition.md",
    cores = "reference/cores.md",
    decision_5 = "decisions/0005-checks-show-no-values.md",
    decision_6 = "decisions/0006-author-code-may-block.md",
    decision_11 = "decisions/0011-equality-at-plan-time.md",
    decision_18 = "decisions/0018-keys-of-the-connection.md",
    decision_19 = "decisions/0019-changes-of-a-state-in-a-journal.md",
    deferral = "deferral.md",
    environment = "reference/environment.md",
    errors = "reference/errors.md",
    glossary = "glossary.md",
    language = "language.md",
    life_of_a_resource = "explanation/life-of-a-resource.md",
    migration = "migration.md",
    null_unknown_computed = "explanation/null-unknown-computed.md",
    protocol = "protocol.md",
    publishing = "publishing.md",
    real_cores = "real-cores.md",
    secrets = "secrets.md",
    state_stores = "state-stores.md",
    testing = "testing.md",
    tools = "tools.md",
    tutorial_1_first_provider = "tutorial/1-first-provider.md",
    tutorial_2_resource_of_a_service = "tutorial/2-resource-of-a-service.md",
    tutorial_3_data_and_secrets = "tutorial/3-data-and-secrets.md",
    tutorial_4_tests_and_release = "tutorial/4-tests-and-release.md",
    upgrading = "upgrading.md",
}
