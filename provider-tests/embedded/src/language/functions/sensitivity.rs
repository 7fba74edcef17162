//! Functions of marks.

use ferroform::path::Path;
use ferroform::ty::Type;
use ferroform::value::Value;

use super::sequence::null_of;
use super::{Call, Entry, Failure};
use crate::language::{MarkSet, Marked, Marks};

pub(super) const TABLE: &[Entry] = &[
    ("sensitive(value: any?~!) -> any", |call| Ok(call.argument(0).clone().mark(MarkSet::SENSITIVE))),
    ("nonsensitive(value: any?~!) -> any", |call| {
        let value = call.argument(0).clone();
        let whole = value.marks.whole();
        let kept = value.marks.iter().filter(|(path, _)| !path.is_root());
        let marks = Marks::new(kept.map(|(path, set)| (path.clone(), set.clone())));
        Ok(value.with_marks(marks).mark(MarkSet { sensitive: false, ..whole }))
    }),
    ("issensitive(value: any?~!) -> bool?", is_sensitive),
    ("ephemeralasnull(value: any?~!) -> any", |call| Ok(without_ephemeral(call.argument(0).clone()))),
];

fn is_sensitive(call: &Call<'_>) -> Result<Marked, Failure> {
    let value = call.argument(0);
    if value.marks.whole().sensitive {
        return Ok(Marked::bool(true));
    }
    // It may become sensitive with what it depends on.
    Ok(if value.is_unknown() { Marked::unknown(Type::Bool) } else { Marked::bool(false) })
}

/// Nulls for everything ephemeral that is known. The type of what is not known may still be another one.
fn without_ephemeral(value: Marked) -> Marked {
    if value.marks.whole().ephemeral {
        let sensitive = MarkSet { ephemeral: false, ..value.marks.whole() };
        let plain = if value.is_unknown() { Marked::unknown(value.ty) } else { null_of(value.ty) };
        return plain.mark(sensitive);
    }
    let mut plain = value.value;
    let mut marks = Marks::default();
    let ty: Type = value.ty;
    for (path, set) in value.marks.iter() {
        if set.ephemeral
            && let Some(place) = plain.get_mut(path)
        {
            *place = if place.is_unknown() { Value::unknown() } else { Value::Null };
        }
        marks.add(Path::clone(path), MarkSet { ephemeral: false, ..set.clone() });
    }
    Marked { value: plain, ty, marks }
}
