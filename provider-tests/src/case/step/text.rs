//! Text that a step needs.

use crate::case::captured::Captured;

/// Text that is known now, or captured by an earlier step.
#[derive(Debug, Clone)]
pub struct Text(pub(in crate::case) TextKind);

#[derive(Debug, Clone)]
pub(in crate::case) enum TextKind {
    Plain(String),
    Captured(Captured),
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self(TextKind::Plain(text.to_owned()))
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Self(TextKind::Plain(text))
    }
}

impl From<Captured> for Text {
    fn from(name: Captured) -> Self {
        Self(TextKind::Captured(name))
    }
}

impl From<&Captured> for Text {
    fn from(name: &Captured) -> Self {
        name.clone().into()
    }
}
