//! Where the embedded core as OpenTofu differs from the real one.

use crate::compare::{Aspect, Difference, differences};
use crate::known_differences;
use crate::scenario::Scenario;
use crate::side::Seen;

/// What may differ in any case: the aspect, and a part of the text.
const EVERYWHERE: &[(Aspect, &str)] = &[
    // OpenTofu warns of more references to what is deprecated, in other words.
    (Aspect::Diagnostics, "Value derived from a deprecated source"),
    // The summary of OpenTofu holds what is wrong with the schema.
    (Aspect::Diagnostics, "Failed to load plugin schemas"),
    // OpenTofu starts a provider once more where a command ends early or has targets.
    (Aspect::Provider, r#""GetProviderSchema","GetProviderSchema""#),
    // The same after it was asked about objects, which depends on what is done first.
    (
        Aspect::Provider,
        r#""GetProviderSchema","calls about objects","GetProviderSchema","calls about objects","GetProviderSchema""#,
    ),
];

/// Cases that differ in other ways, and all do: what OpenTofu does, and the cases. `docs/contributing/differences.md` lists them for people.
const CASES: &[(&str, &[&str])] = &[
    (
        "moves an object of another type while it is read",
        &[
            "an object is moved across types",
            "an object of another type is moved",
            "moves across types are not supported",
            "a moved value is unknown",
            "a moved identity is unknown",
            "a write-only value is moved",
        ],
    ),
    (
        "fails to store an object with an unknown identity",
        &["an identity stays unknown", "an identity is planned unknown though the object exists"],
    ),
    (
        "has other words for an identity that it cannot use",
        &[
            "a read identity is unknown",
            "an upgraded identity is unknown",
            "an identity has a map",
            "an identity has a set",
            "an identity has an object",
            "an identity has an attribute that no import needs or takes",
            "an identity has an attribute that imports need and may leave out",
            "an import has a secret identity",
            "an import has an identity where there is none",
        ],
    ),
    (
        "accepts other schemas, and refuses others later",
        &[
            "a list resource has an invalid schema",
            "the version of an identity is negative",
            "a nested set has something write-only in it",
            "a set of blocks has something write-only in it",
        ],
    ),
    ("sends no prior identity where an update becomes a replacement", &["an update becomes a replacement"]),
    (
        "reports drift of an object that was upgraded or lost a mark",
        &["an older object is upgraded", "a secret is stored without a mark"],
    ),
    ("does not import an object with an empty id", &["an import has an empty id"]),
    ("does not read the first of several imported objects", &["an import finds several objects"]),
    (
        "starts no provider whose configuration is unknown at an import",
        &["an import needs a configuration of the provider that is not known"],
    ),
    (
        "does not plan what an output that is an error refers to",
        &["an output does not say that it is sensitive", "a deprecated value goes to an output of an object"],
    ),
    ("validates a whole deprecated object with other values", &["a deprecated value goes to a whole ruin"]),
    (
        "tells ephemeral resources its abilities, shows them in the plan, and opens none for an apply that changes nothing",
        &[
            "an ephemeral resource has a user",
            "an ephemeral resource has no user",
            "an ephemeral resource is not targeted",
            "instances of ephemeral resources",
            "a provider is configured by an ephemeral resource",
            "an ephemeral resource depends on a change",
            "the configuration of an ephemeral resource is unknown",
            "a user of an ephemeral resource fails",
        ],
    ),
    (
        "has other words for an ephemeral value where none may be",
        &["an ephemeral result is an argument", "an ephemeral result is looked up", "blocks are wrong"],
    ),
    (
        "marks what is sensitive in an ephemeral resource",
        &["what is sensitive in an ephemeral resource is not marked"],
    ),
    ("proposes unknown elements of nested maps as they are", &["elements that are unknown as a whole"]),
    (
        "reports what is wrong in a provider_meta block for each resource of the module",
        &["a module tells the provider something"],
    ),
    (
        "finds that an ephemeral resource needs itself while it validates",
        &["an ephemeral resource needs itself"],
    ),
    (
        "does not compare the result of an ephemeral resource with its configuration",
        &["the result of an ephemeral resource is not as configured"],
    ),
];

/// What differs and is not known to, or is known to and does not differ.
pub(crate) fn compare(scenario: &Scenario, embedded: &[Seen], real: &[Seen]) -> Option<String> {
    let differences = differences(embedded, real);
    let found: Vec<String> =
        differences.iter().filter(|it| is_new(scenario, it)).map(ToString::to_string).collect();
    let known = CASES.iter().find(|(_, cases)| cases.contains(&scenario.name.as_str()));
    match (known, found.is_empty()) {
        (Some((what, _)), true) => {
            Some(format!("both cores agree where OpenTofu is listed as one that {what}"))
        }
        (None, false) => Some(found.join("\n")),
        _ => None,
    }
}

fn is_new(scenario: &Scenario, it: &Difference) -> bool {
    !known_differences::is_known(scenario, it) && !is_everywhere(it)
}

/// Whether a difference may be in any case, and need not be the same each time.
pub(crate) fn is_everywhere(it: &Difference) -> bool {
    EVERYWHERE.iter().any(|(aspect, mark)| it.aspect == *aspect && it.text.contains(mark))
}

/// Each listed case exists.
pub(crate) fn check(scenarios: &[Scenario]) {
    for case in CASES.iter().flat_map(|(_, cases)| *cases) {
        assert!(scenarios.iter().any(|it| it.name == *case), "there is no case {case:?}");
    }
}
