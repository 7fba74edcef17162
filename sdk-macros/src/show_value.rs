//! The rules of `show_value`: only what a user configures is validated, and no message shows a secret.

use crate::ast::{Field, Presence};
use crate::ctxt::Ctxt;
use crate::options::OptionName;

pub(crate) fn check(cx: &Ctxt, field: &Field<'_>) {
    let Some(show) = field.options.entry(OptionName::ShowValue) else { return };
    if field.has(OptionName::Block) {
        cx.error(
            show,
            "a block is validated attribute by attribute: put `show_value` on the attributes in it",
        );
    } else if field.wrapper.is_write_only() {
        cx.error(show, "a write-only value is a secret: remove `show_value`");
    } else if field.has(OptionName::Sensitive) {
        cx.error(show, "a sensitive value is a secret: remove `show_value` or `sensitive`");
    } else if field.presence() == Presence::Computed {
        cx.error(show, "nobody configures a computed attribute: remove `show_value`, or add `optional`");
    }
}
