//! Checks of the results of a query.

use ferroform::path::Path;

use super::change::{named, value};
use super::{Check, Is, Problems};
use crate::case::captured::Values;
use crate::case::view::{QueryView, ResultView};

/// A check of the results of a list; made by [`listed`].
#[derive(Debug, Clone)]
#[must_use]
pub struct ListCheck {
    list: String,
    expectations: Vec<Expectation>,
}

#[derive(Debug, Clone)]
enum Expectation {
    Names(Vec<String>),
    Identity(String, Path, Is),
    Object(String, Path, Is),
    Generated(String, String),
}

/// The results of the list at an address. Each is named by what a person calls it.
///
/// ```
/// use ferroform::path;
/// use ferroform_testing::case::listed;
///
/// listed("list.cloud_server.all")
///     .names(["db", "web"])
///     .identity("web", path!(id), "i-1")
///     .object("web", path!(size), 2);
/// ```
pub fn listed(list: impl Into<String>) -> ListCheck {
    ListCheck { list: list.into(), expectations: Vec::new() }
}

impl ListCheck {
    fn expect(mut self, expectation: Expectation) -> Self {
        self.expectations.push(expectation);
        self
    }

    /// Exactly these objects, in the order of the provider.
    pub fn names<N: Into<String>>(self, names: impl IntoIterator<Item = N>) -> Self {
        self.expect(Expectation::Names(names.into_iter().map(Into::into).collect()))
    }

    /// The identity of a result at a path in it.
    pub fn identity(self, name: impl Into<String>, path: Path, is: impl Into<Is>) -> Self {
        self.expect(Expectation::Identity(name.into(), path, is.into()))
    }

    /// The object of a result at a path, for a list with `include_resource`.
    pub fn object(self, name: impl Into<String>, path: Path, is: impl Into<Is>) -> Self {
        self.expect(Expectation::Object(name.into(), path, is.into()))
    }

    /// The generated `resource` block of a result has that text in it.
    pub fn generated(self, name: impl Into<String>, text: impl Into<String>) -> Self {
        self.expect(Expectation::Generated(name.into(), text.into()))
    }
}

impl Check<QueryView> for ListCheck {
    fn check(&self, query: &QueryView, values: &Values, problems: &mut Problems) {
        if query.lists().all(|list| list != self.list) {
            let complete: Vec<_> = query.lists().collect();
            return problems.add(format!(
                "the list {} did not complete; complete are: {}. Check the address and the key of the instance",
                self.list,
                complete.join(", ")
            ));
        }
        let results: Vec<_> = query.results().filter(|result| result.list() == self.list).collect();
        for expectation in &self.expectations {
            expectation.check(&self.list, &results, values, problems);
        }
    }
}

impl Expectation {
    fn check(&self, list: &str, results: &[ResultView<'_>], values: &Values, problems: &mut Problems) {
        let name = match self {
            Self::Names(expected) => {
                let found: Vec<&str> = results.iter().map(ResultView::display_name).collect();
                let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
                return problems.compare(format_args!("the list of results of {list}"), &found, &expected);
            }
            Self::Identity(name, ..) | Self::Object(name, ..) | Self::Generated(name, _) => name,
        };
        let Some(found) = results.iter().find(|result| result.display_name() == name) else {
            return problems.add(format!("{list} does not find {name:?}"));
        };
        let of = |what: &str| format!("{list}: {what} of {name:?}");
        match self {
            Self::Names(_) => {}
            Self::Identity(_, path, is) => {
                let what = of(&format!("identity {}", named(path)));
                value(&what, found.identity(), (path, is), values, problems);
            }
            Self::Object(_, path, is) => {
                value(&of(&named(path)), found.object(), (path, is), values, problems);
            }
            Self::Generated(_, text) => match found.generated() {
                None => problems.add(format!("{}, is missing", of("the generated configuration"))),
                Some(generated) if generated.contains(text.as_str()) => {}
                Some(_) => problems.add(format!("{} has no {text:?}", of("the generated configuration"))),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(check: &ListCheck, expect: &[&str]) {
        let result = json!({"address": "list.a_b.all", "display_name": "one", "identity": {"id": "1"}});
        let lists = ["list.a_b.all", "list.a_b.empty"].map(str::to_owned).to_vec();
        let mut problems = Problems::default();
        check.check(&QueryView::new(lists, vec![result]), &Values::default(), &mut problems);
        assert_eq!(problems.found(), expect);
    }

    #[test]
    fn check_of_a_list_that_did_not_complete_fails() {
        check(&listed("list.a_b.all").names(["one"]), &[]);
        check(&listed("list.a_b.empty").names([] as [&str; 0]), &[]);
        check(
            &listed("list.a_b.al").names([] as [&str; 0]),
            &[
                "the list list.a_b.al did not complete; complete are: list.a_b.all, list.a_b.empty. Check the address and the key of the instance",
            ],
        );
        check(
            &listed("list.a_b.empty").object("one", Path::root(), 1),
            &["list.a_b.empty does not find \"one\""],
        );
    }
}
