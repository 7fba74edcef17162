//! Providers that are wrong on purpose, one rule of core each.
//!
//! [`Sound`] keeps every rule and knows nothing of the SDK's server, so nothing stands between a fault and core.
//! [`Wrong`] is that provider with one [`Fault`]: an answer that is changed on its way out. The table of all faults
//! and of what core says to them is with the tests.

mod list_and_action;
mod sound;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ferroform::ty::Type;
use ferroform::value::Value;
use ferroform_core::codec::msgpack;
use ferroform_server::protocol::{Answer, Call, DynamicValue, Handler, Request, Response, Rpc};

pub use self::list_and_action::{ACT, found};
pub use self::sound::{
    MOVED_TYPE, Sound, THING, data_schema, identity_schema, moved_schema, thing_schema, token_schema,
};

/// Makes the wrong encoded answer of the right one.
pub type ChangeOfBytes = fn(&[u8]) -> Vec<u8>;

/// What is wrong with an answer.
#[derive(Clone, Copy)]
pub enum Change {
    /// The object in the answer: planned, new, upgraded, imported or moved state.
    Object(fn(&mut Value)),
    /// The object in the answer, replaced by one of another type.
    Retyped(fn() -> (Type, Value)),
    /// The identity in the answer.
    Identity(fn(&mut Value)),
    /// The identity in the answer, replaced by one of another type.
    RetypedIdentity(fn() -> (Type, Value)),
    /// Anything else of the answer.
    Answer(fn(&mut Response)),
    /// The same, and the answer says that it comes from the legacy SDK. The SDK here has no words for that, so whoever
    /// passes the answer on has to [say it](Switch::is_legacy).
    Legacy(fn(&mut Response)),
    /// The answer in bytes, for what the SDK has no words for at all. Whoever passes the answer on has to
    /// [change it](Switch::change_of_bytes).
    Bytes(ChangeOfBytes),
}

/// Which answers of a procedure are wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// All.
    All,
    /// Those that have a prior object.
    WithPrior,
    /// Those that have none.
    WithoutPrior,
    /// Those about an object that is to be deleted.
    Deleting,
    /// Those made during apply: the configuration is planned with what the first plan gave.
    AfterFirst,
}

/// An answer that is changed on its way out.
#[derive(Debug, Clone, Copy)]
pub struct Fault {
    /// The procedure.
    pub rpc: Rpc,
    /// Which of its answers.
    pub which: Which,
    /// What is wrong with them.
    pub change: Change,
}

/// Says which fault a provider has, if any. Clones are the same switch.
#[derive(Debug, Clone, Default)]
pub struct Switch {
    set: Arc<Mutex<Set>>,
}

#[derive(Debug, Default)]
struct Set {
    fault: Option<Fault>,
    /// Whether the procedure was called since the fault was set.
    called: bool,
}

impl Switch {
    /// From now on the provider has that fault, or none.
    pub fn set(&self, fault: Option<Fault>) {
        *self.lock() = Set { fault, called: false };
    }

    /// Whether answers shall say that they come from the legacy SDK.
    #[must_use]
    pub fn is_legacy(&self) -> bool {
        self.lock().fault.is_some_and(|fault| matches!(fault.change, Change::Legacy(_)))
    }

    /// How the encoded answer of the procedure with that name is to be changed.
    #[must_use]
    pub fn change_of_bytes(&self, rpc: &str) -> Option<ChangeOfBytes> {
        match self.lock().fault.filter(|fault| fault.rpc.name() == rpc)?.change {
            Change::Bytes(change) => Some(change),
            _ => None,
        }
    }

    /// What is to be changed of the answer to a request.
    fn change(&self, request: &Request) -> Option<Change> {
        let mut set = self.lock();
        let fault = set.fault.filter(|fault| fault.rpc == request.rpc())?;
        let again = std::mem::replace(&mut set.called, true);
        let wrong = match fault.which {
            Which::All => true,
            Which::AfterFirst => again,
            Which::Deleting => is_deletion(request),
            Which::WithPrior => has_prior(request),
            Which::WithoutPrior => !has_prior(request),
        };
        wrong.then_some(fault.change)
    }

    /// A panic elsewhere leaves nothing half written here.
    fn lock(&self) -> MutexGuard<'_, Set> {
        self.set.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A provider that is sound but for the fault that its switch says.
#[derive(Debug)]
pub struct Wrong {
    switch: Switch,
}

impl Wrong {
    /// A provider with the fault that is set there.
    #[must_use]
    pub fn new(switch: Switch) -> Self {
        Self { switch }
    }
}

impl Handler for Wrong {
    fn handle(&self, call: Call) -> Answer {
        let mut response = Sound.answer(&call.request);
        if let Some(change) = self.switch.change(&call.request) {
            change.make(&mut response);
        }
        Box::pin(std::future::ready(response))
    }
}

impl Change {
    fn make(self, response: &mut Response) {
        match self {
            Self::Object(change) => {
                let (ty, place) = object(response);
                if let Some(place) = place {
                    *place = encoded(&ty, &changed(&ty, place, change));
                }
            }
            Self::Retyped(other) => {
                let (ty, value) = other();
                if let (_, Some(place)) = object(response) {
                    *place = encoded(&ty, &value);
                }
            }
            Self::Identity(change) => {
                let ty = identity_schema().ty();
                if let Some(place) = identity(response) {
                    let before = place.clone().unwrap_or_default();
                    *place = Some(encoded(&ty, &changed(&ty, &before, change)));
                }
            }
            Self::RetypedIdentity(other) => {
                let (ty, value) = other();
                if let Some(place) = identity(response) {
                    *place = Some(encoded(&ty, &value));
                }
            }
            Self::Answer(change) | Self::Legacy(change) => change(response),
            Self::Bytes(_) => {}
        }
    }
}

impl fmt::Debug for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Object(_) => "Object",
            Self::Retyped(_) => "Retyped",
            Self::Identity(_) => "Identity",
            Self::RetypedIdentity(_) => "RetypedIdentity",
            Self::Answer(_) => "Answer",
            Self::Legacy(_) => "Legacy",
            Self::Bytes(_) => "Bytes",
        })
    }
}

/// Whether there shall be no object after the call.
fn is_deletion(request: &Request) -> bool {
    let after = match request {
        Request::PlanResourceChange(request) => &request.proposed_new_state,
        Request::ApplyResourceChange(request) => &request.planned_state,
        _ => return false,
    };
    decoded(&thing_schema().ty(), after).is_null()
}

/// Whether there is an object before the call.
fn has_prior(request: &Request) -> bool {
    let ty = thing_schema().ty();
    let prior = match request {
        Request::PlanResourceChange(request) => &request.prior_state,
        Request::ApplyResourceChange(request) => &request.prior_state,
        _ => return false,
    };
    !decoded(&ty, prior).is_null()
}

/// The object that an answer brings, and its type.
fn object(response: &mut Response) -> (Type, Option<&mut DynamicValue>) {
    let thing = thing_schema().ty();
    match response {
        Response::PlanResourceChange(response) => (thing, Some(&mut response.planned_state)),
        Response::ApplyResourceChange(response) => (thing, Some(&mut response.new_state)),
        Response::ReadResource(response) => (thing, Some(&mut response.new_state)),
        Response::UpgradeResourceState(response) => (thing, Some(&mut response.upgraded_state)),
        Response::MoveResourceState(response) => (thing, Some(&mut response.target_state)),
        Response::ReadDataSource(response) => (data_schema().ty(), Some(&mut response.state)),
        Response::OpenEphemeralResource(response) => (token_schema().ty(), Some(&mut response.result)),
        Response::ImportResourceState(response) => {
            (thing, response.imported_resources.first_mut().map(|object| &mut object.state))
        }
        _ => (thing, None),
    }
}

fn identity(response: &mut Response) -> Option<&mut Option<DynamicValue>> {
    match response {
        Response::PlanResourceChange(response) => Some(&mut response.planned_identity),
        Response::ApplyResourceChange(response) => Some(&mut response.new_identity),
        Response::ReadResource(response) => Some(&mut response.new_identity),
        Response::UpgradeResourceIdentity(response) => Some(&mut response.upgraded_identity),
        Response::MoveResourceState(response) => Some(&mut response.target_identity),
        Response::ImportResourceState(response) => {
            response.imported_resources.first_mut().map(|object| &mut object.identity)
        }
        _ => None,
    }
}

fn changed(ty: &Type, place: &DynamicValue, change: fn(&mut Value)) -> Value {
    let mut value = decoded(ty, place);
    change(&mut value);
    value
}

/// A value as the tests' own provider or core has encoded it.
fn decoded(ty: &Type, value: &DynamicValue) -> Value {
    match value {
        DynamicValue::Msgpack(bytes) => {
            msgpack::decode(bytes, ty).expect("core and this provider keep to the type")
        }
        DynamicValue::Absent | DynamicValue::Json(_) => Value::Null,
    }
}

fn encoded(ty: &Type, value: &Value) -> DynamicValue {
    DynamicValue::Msgpack(msgpack::encode(value, ty).expect("the value is of the type").into())
}
