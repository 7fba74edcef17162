//! Checks of the calls that a provider got.

use super::{Check, Problems, ViewCheck};
use crate::case::captured::Values;
use crate::case::view::Calls;
use crate::client::Entry;

/// Calls that are expected; made by [`call`] and [`no_call`].
#[derive(Debug, Clone)]
#[must_use]
pub struct CallCheck {
    method: String,
    type_name: Option<String>,
    sent: Vec<(String, String)>,
    received: Vec<(String, String)>,
    count: Count,
}

#[derive(Debug, Clone, Copy)]
enum Count {
    AtLeastOne,
    Exactly(usize),
}

/// At least one call of the method with that name in protocol 6, whatever protocol is spoken.
///
/// ```
/// use ferroform_testing::case::call;
///
/// call("PlanResourceChange").of("demo_thing").sent("config", "name = \"web\"").times(2);
/// ```
pub fn call(method: impl Into<String>) -> CallCheck {
    CallCheck {
        method: method.into(),
        type_name: None,
        sent: Vec::new(),
        received: Vec::new(),
        count: Count::AtLeastOne,
    }
}

/// No call of that method.
pub fn no_call(method: impl Into<String>) -> CallCheck {
    call(method).times(0)
}

impl CallCheck {
    /// About that resource type, data source and so on.
    pub fn of(mut self, type_name: impl Into<String>) -> Self {
        self.type_name = Some(type_name.into());
        self
    }

    /// With that text in the content of a field of the request, as the transcript shows it: without secrets.
    pub fn sent(mut self, field: impl Into<String>, content: impl Into<String>) -> Self {
        self.sent.push((field.into(), content.into()));
        self
    }

    /// With that text in the content of a field of the response, as the transcript shows it: without secrets.
    pub fn received(mut self, field: impl Into<String>, content: impl Into<String>) -> Self {
        self.received.push((field.into(), content.into()));
        self
    }

    /// Exactly that many.
    pub fn times(mut self, count: usize) -> Self {
        self.count = Count::Exactly(count);
        self
    }

    fn matches(&self, entry: &Entry) -> bool {
        let has = |lines: &[String], (field, content): &(String, String)| {
            lines.iter().any(|line| {
                line.split_once(" = ").is_some_and(|(name, value)| name == field && value.contains(content))
            })
        };
        entry.method == self.method
            && self.type_name.as_ref().is_none_or(|name| entry.type_name.as_ref() == Some(name))
            && self.sent.iter().all(|part| has(&entry.request, part))
            && self.received.iter().all(|part| has(&entry.response, part))
    }
}

impl Check<Calls> for CallCheck {
    fn check(&self, calls: &Calls, _values: &Values, problems: &mut Problems) {
        let count = calls.entries().iter().filter(|entry| self.matches(entry)).count();
        let expected = match self.count {
            Count::AtLeastOne if count > 0 => return,
            Count::Exactly(expected) if count == expected => return,
            Count::AtLeastOne => "at least one".to_owned(),
            Count::Exactly(expected) => expected.to_string(),
        };
        let about = self.type_name.iter().map(|name| format!(" {name}"));
        let fields = |verb: &'static str, all: &[(String, String)]| {
            all.iter().map(|(field, text)| format!(" {verb} {text:?} in {field}")).collect::<String>()
        };
        problems.add(format!(
            "there are {count} calls of {}{}{}{}, expected {expected}",
            self.method,
            about.collect::<String>(),
            fields("sending", &self.sent),
            fields("receiving", &self.received),
        ));
    }
}

/// Made by [`ephemeral`].
#[derive(Debug, Clone)]
#[must_use]
pub struct EphemeralCheck {
    type_name: String,
    counts: Vec<(&'static str, &'static str, usize)>,
}

/// How often the ephemeral resources of a type were opened, renewed and closed in a step. What is not named is not
/// counted; [`methods`] tells the order.
///
/// An apply counts both what is opened for the plan and what is opened to apply it. On a virtual clock renewals take no
/// time; see [`Time::Virtual`](crate::case::Time::Virtual).
///
/// ```
/// use ferroform_testing::case::{Step, ephemeral};
/// use ferroform_testing::config::{Config, ephemeral as block};
///
/// let config = Config::new().resource(block("demo_lease", "a").set("name", "a"));
/// let step: Step<_, ()> = Step::apply(config).calls(ephemeral("demo_lease").opened(2).renewed(0).closed(2));
/// # let _ = step;
/// ```
pub fn ephemeral(type_name: impl Into<String>) -> EphemeralCheck {
    EphemeralCheck { type_name: type_name.into(), counts: Vec::new() }
}

impl EphemeralCheck {
    /// Opened that often.
    pub fn opened(self, times: usize) -> Self {
        self.counted("OpenEphemeralResource", "opened", times)
    }

    /// Renewed that often.
    pub fn renewed(self, times: usize) -> Self {
        self.counted("RenewEphemeralResource", "renewed", times)
    }

    /// Closed that often.
    pub fn closed(self, times: usize) -> Self {
        self.counted("CloseEphemeralResource", "closed", times)
    }

    fn counted(mut self, method: &'static str, what: &'static str, times: usize) -> Self {
        self.counts.push((method, what, times));
        self
    }
}

impl Check<Calls> for EphemeralCheck {
    fn check(&self, calls: &Calls, _values: &Values, problems: &mut Problems) {
        for (method, what, expected) in &self.counts {
            let meant = call(*method).of(&self.type_name);
            let found = calls.entries().iter().filter(|entry| meant.matches(entry)).count();
            if found != *expected {
                problems.add(format!("{} was {what} {found} times, expected {expected}", self.type_name));
            }
        }
    }
}

/// The calls about a resource type are exactly these methods in this order.
pub fn methods<M: Into<String>>(
    type_name: impl Into<String>,
    expected: impl IntoIterator<Item = M>,
) -> ViewCheck<Calls> {
    let type_name = type_name.into();
    let expected: Vec<String> = expected.into_iter().map(Into::into).collect();
    ViewCheck::new(move |calls: &Calls, _, problems| {
        let about = |entry: &&Entry| entry.type_name.as_ref() == Some(&type_name);
        let found: Vec<&str> = calls.entries().iter().filter(about).map(|entry| entry.method).collect();
        let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
        problems.compare(format_args!("the list of calls about {type_name}"), &found, &expected);
    })
}
