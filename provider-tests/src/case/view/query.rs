//! The results of a query.

use serde_json::Value as Json;

use super::Tree;

/// What the lists of a query have found, in the form in which core reports it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct QueryView {
    lists: Vec<String>,
    results: Vec<Json>,
}

/// An object that a list has found.
#[derive(Debug, Clone, Copy)]
pub struct ResultView<'a> {
    json: &'a Json,
}

impl QueryView {
    /// From the lists that are complete, and the events `list_resource_found`.
    pub(crate) fn new(lists: Vec<String>, results: Vec<Json>) -> Self {
        Self { lists, results }
    }

    /// The addresses of the lists that are complete, with results or without.
    pub fn lists(&self) -> impl Iterator<Item = &str> {
        self.lists.iter().map(String::as_str)
    }

    /// All of them, those of each list in the order of the provider.
    pub fn results(&self) -> impl Iterator<Item = ResultView<'_>> {
        self.results.iter().map(|json| ResultView { json })
    }
}

impl<'a> ResultView<'a> {
    /// The address of the list, such as `list.cloud_server.all`.
    #[must_use]
    pub fn list(&self) -> &'a str {
        self.text("address")
    }

    /// What a person calls the object.
    #[must_use]
    pub fn display_name(&self) -> &'a str {
        self.text("display_name")
    }

    /// Its identity.
    #[must_use]
    pub fn identity(&self) -> Tree<'a> {
        Tree::plain(&self.json["identity"])
    }

    /// The object itself, if the list asks for it with `include_resource`; otherwise null. Core does not say what in it is
    /// sensitive, so all of it counts as that.
    #[must_use]
    pub fn object(&self) -> Tree<'a> {
        Tree::new(&self.json["resource_object"], &Json::Null, &Json::Bool(true))
    }

    /// The generated `resource` block, if the step generates configuration.
    #[must_use]
    pub fn generated(&self) -> Option<&'a str> {
        self.json["config"].as_str()
    }

    fn text(&self, name: &str) -> &'a str {
        self.json[name].as_str().unwrap_or_default()
    }
}
