//! Which provider of a composition has what, and whether they fit together.

use std::collections::{BTreeMap, HashMap};
use std::time::Instant;

use bytes::Bytes;

use super::member::Member;
use super::{START, all_good, together};
use crate::diag::{Diagnostic, Diagnostics, Error, Result};
use crate::plugin::grpc::{Code, Requests, Status};
use crate::protocol::{Rpc, ServerCapabilities};
use crate::schema::Kind;
use crate::wire::composition::{ComparedSchema, OfferedTypes};

/// Where each type is.
#[derive(Default)]
pub(super) struct Directory {
    /// The position of the provider that has it.
    owners: HashMap<Kind, HashMap<String, usize>>,
    /// What each provider can do.
    members: Vec<ServerCapabilities>,
}

impl Directory {
    /// The position of the provider with that type.
    pub(super) fn owner(&self, kind: Kind, name: &str) -> Option<usize> {
        self.owners.get(&kind)?.get(name).copied()
    }

    /// The names of a kind, sorted.
    pub(super) fn names(&self, kind: Kind) -> Vec<String> {
        let mut names: Vec<_> = self.owners.get(&kind).into_iter().flat_map(HashMap::keys).cloned().collect();
        names.sort_unstable();
        names
    }

    /// Whether a provider wants to plan deletes. For one that does not, the composition answers as core would.
    pub(super) fn plans_deletes(&self, member: usize) -> bool {
        self.members.get(member).is_some_and(|can| can.plan_destroy)
    }

    /// What the composition can do.
    pub(super) fn capabilities(&self) -> ServerCapabilities {
        let any = |can: fn(&ServerCapabilities) -> bool| self.members.iter().any(can);
        let mut capabilities = ServerCapabilities::default();
        capabilities.plan_destroy = any(|can| can.plan_destroy);
        // Every provider was asked for its schemas before anything else.
        capabilities.get_provider_schema_optional = true;
        // A provider that cannot says so when it is asked.
        capabilities.move_resource_state = any(|can| can.move_resource_state);
        // Core generates by itself what a provider cannot.
        capabilities.generate_resource_config = self.members.iter().all(|can| can.generate_resource_config);
        capabilities
    }
}

/// Asks all providers what they offer.
///
/// # Errors
/// What stands in the way of serving them as one.
pub(super) async fn made(members: &[Member], served: u32, limit: Instant) -> Result<Directory> {
    let offers = members.iter().map(|member| async move {
        offered_by(limit, member, served).await.map_err(|status| {
            let told = member.explained(Rpc::GetProviderSchema, &status);
            told.map_or_else(|| no_schemas(member, &status), Error::from)
        })
    });
    let offers = all_good(together(offers.collect()).await)?;
    let mut clashes = Diagnostics::default();
    let owners = owners(members, &offers, &mut clashes);
    left_to_nobody(members, &offers, &owners, served, &mut clashes);
    differences(members, &offers, &mut clashes);
    let mut errors = clashes.into_iter().map(Error::from);
    match errors.next() {
        Some(first) => Err(errors.fold(first, Error::and)),
        None => {
            Ok(Directory { owners, members: offers.iter().map(|offered| offered.capabilities).collect() })
        }
    }
}

/// What a provider offers, if it says so in time. Only another process is not waited for.
async fn offered_by(
    limit: Instant,
    member: &Member,
    served: u32,
) -> std::result::Result<OfferedTypes, Status> {
    let offered = offered(member, served);
    if member.explain.is_none() {
        return offered.await;
    }
    let late = || Status::new(Code::DeadlineExceeded, format!("no answer within {START:?} of the start"));
    tokio::time::timeout_at(limit.into(), offered).await.unwrap_or_else(|_| Err(late()))
}

/// What a provider offers.
pub(super) async fn offered(member: &Member, served: u32) -> std::result::Result<OfferedTypes, Status> {
    let rpc = Rpc::GetProviderSchema;
    let answer = member.ask(served, rpc, Requests::from(Bytes::new())).await?;
    let spoken = member.speaks(served).map_or(served, |(version, _)| version);
    OfferedTypes::read(&answer, spoken, served)
        .map_err(|error| Status::new(Code::Internal, format!("the answer is no message: {error}")))
}

fn no_schemas(member: &Member, status: &Status) -> Error {
    Error::new(
        "No Provider Schemas",
        format!("The provider {} does not give its schemas: {status}. This is a bug in it.", member.name),
    )
}

/// Whom each type belongs to; the first of two that offer it.
fn owners(
    members: &[Member],
    offers: &[OfferedTypes],
    clashes: &mut Diagnostics,
) -> HashMap<Kind, HashMap<String, usize>> {
    let mut owners: HashMap<Kind, HashMap<String, usize>> = HashMap::new();
    let mut twice: BTreeMap<(usize, usize, Kind), Vec<&str>> = BTreeMap::new();
    for (position, (member, offered)) in members.iter().zip(offers).enumerate() {
        for offer @ (kind, name) in &offered.names {
            if member.without.contains(offer) {
                continue;
            }
            let first = *owners.entry(*kind).or_default().entry(name.clone()).or_insert(position);
            if first != position {
                twice.entry((first, position, *kind)).or_default().push(name);
            }
        }
    }
    for ((first, second, kind), names) in twice {
        let (Some(first), Some(second)) = (members.get(first), members.get(second)) else { continue };
        clashes.push(Diagnostic::error(
            "Type Offered Twice",
            format!(
                "The providers {} and {} of this composition both offer the {kind} {}. This is a bug in the provider: \
                 its author leaves each name to one of them with `Part::without(Kind::{kind:?}, …)`.",
                first.name,
                second.name,
                names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "),
            ),
        ));
    }
    owners
}

/// Finds types that are left to another provider in vain.
fn left_to_nobody(
    members: &[Member],
    offers: &[OfferedTypes],
    owners: &HashMap<Kind, HashMap<String, usize>>,
    served: u32,
    clashes: &mut Diagnostics,
) {
    // One that failed does not say all that it has.
    let any_failed = offers.iter().any(|offered| offered.has_failed);
    for (member, offered) in members.iter().zip(offers).filter(|(_, offered)| !offered.has_failed) {
        for left @ (kind, name) in &member.without {
            let problem = if *kind == Kind::StateStore && served == 5 {
                // Nobody offers one there.
                continue;
            } else if !offered.names.contains(left) {
                "which it does not offer; check the spelling"
            } else if !any_failed && !owners.get(kind).is_some_and(|names| names.contains_key(name)) {
                "which no other provider offers; add it to one of them"
            } else {
                continue;
            };
            clashes.push(Diagnostic::error(
                "Type Left To Nobody",
                format!(
                    "The provider {} of this composition leaves the {kind} `{name}` to another one, {problem}, or remove \
                     `.without(Kind::{kind:?}, {name:?})` from its part. This is a bug in the provider.",
                    member.name,
                ),
            ));
        }
    }
}

/// Compares what all providers get with each call.
fn differences(members: &[Member], offers: &[OfferedTypes], clashes: &mut Diagnostics) {
    // One that failed has no schemas to compare; the user is told why when core asks for them.
    let sound = || members.iter().zip(offers).filter(|(_, offered)| !offered.has_failed);
    let configuration = sound().map(|(member, offered)| (member, &offered.provider));
    compare("Provider Configurations Differ", "provider configuration", configuration, clashes);
    let meta = sound().filter_map(|(member, offered)| Some((member, offered.meta.as_ref()?)));
    compare("Provider Metadata Differs", "`provider_meta` block", meta, clashes);
}

fn compare<'a>(
    summary: &str,
    what: &str,
    mut schemas: impl Iterator<Item = (&'a Member, &'a ComparedSchema)>,
    clashes: &mut Diagnostics,
) {
    let Some((first, expected)) = schemas.next() else { return };
    for (member, schema) in schemas.filter(|(_, schema)| *schema != expected) {
        let names = expected.differences(schema);
        clashes.push(Diagnostic::error(
            summary,
            format!(
                "The providers {} and {} of this composition get the same {what}, but their schemas for it differ in {}. \
                 This is a bug in the provider: its author makes the attributes and blocks of both equal.",
                first.name,
                member.name,
                names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "),
            ),
        ));
    }
}
