//! The rules of everything that is stored.

use super::{Rule, Violation, Walk, at, entries};
use crate::path::Step;
use crate::schema::Block;
use crate::schema::walk::{Body, Member, objects};
use crate::value::Value;

/// Checks that nothing in a state is unknown.
#[must_use]
pub fn wholly_known(state: &Value) -> Vec<Violation> {
    let mut walk = Walk::new(Rule::Known);
    walk.known(state);
    walk.violations
}

/// Checks that every write-only attribute is null.
#[must_use]
pub fn write_only_null(block: &Block, state: &Value) -> Vec<Violation> {
    let mut walk = Walk::new(Rule::WriteOnlyNull);
    walk.write_only(block.into(), state);
    walk.violations
}

impl Walk {
    /// Reports what is unknown in a value, whichever rule is checked.
    pub(super) fn known(&mut self, value: &Value) {
        // A large set remembers that it is known.
        if value.is_wholly_known() {
            return;
        }
        value.walk(|path, value| {
            if value.is_unknown() {
                let (path, found) = (path.clone(), "the value is unknown".to_owned());
                self.violations.push(Violation { rule: Rule::Known, path, found });
            }
        });
    }

    fn write_only(&mut self, body: Body<'_>, state: &Value) {
        for member in body.members().filter(|member| member.holds_write_only()) {
            let value = at(state, member.name());
            self.member(member.name(), |walk| match (member, member.nested()) {
                (Member::Attribute(attribute), _) if attribute.write_only => {
                    if !value.is_null() {
                        walk.report("the value is not null");
                    }
                }
                (_, Some((_, body))) => objects(value, &mut |step, object| match step {
                    Some(step) => walk.within(|| step, |walk| walk.write_only(body, object)),
                    None => walk.write_only(body, object),
                }),
                (_, None) => {}
            });
        }
    }
}

/// Checks that an identity which was stored before is still the same.
#[must_use]
pub fn identity_kept(before: &Value, after: &Value) -> Vec<Violation> {
    if before.is_null() || before == after {
        return Vec::new();
    }
    let mut walk = Walk::new(Rule::IdentityKept);
    for (name, value) in entries(before) {
        if !value.is_null() && at(after, name) != value {
            let step = || Step::Attribute(name.to_owned().into());
            walk.within(step, |walk| walk.report("the stored identity has another value"));
        }
    }
    walk.violations
}
