//! Colours.

use crate::plan::Action;

/// Whether a text has the colours of a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Colour {
    /// Plain text (`-no-color`).
    #[default]
    None,
    /// Escape sequences of ANSI terminals.
    Ansi,
}

/// How a piece of text looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    Bold,
    Red,
    Green,
    Yellow,
    Cyan,
    Grey,
}

impl Colour {
    /// The text in that style.
    pub(crate) fn paint(self, style: Style, text: &str) -> String {
        let code = match style {
            Style::Bold => "1",
            Style::Red => "31",
            Style::Green => "32",
            Style::Yellow => "33",
            Style::Cyan => "36",
            Style::Grey => "90",
        };
        match self {
            Self::Ansi if !text.is_empty() => format!("\x1b[{code}m{text}\x1b[0m"),
            Self::Ansi | Self::None => text.to_owned(),
        }
    }

    /// The mark of an action, four columns wide.
    pub(super) fn mark(self, action: Action) -> String {
        let minus = || self.paint(Style::Red, "-");
        let plus = || self.paint(Style::Green, "+");
        match action {
            Action::NoOp => "    ".to_owned(),
            Action::Create => format!("  {} ", plus()),
            Action::Read => format!(" {} ", self.paint(Style::Cyan, "<=")),
            Action::Update => format!("  {} ", self.paint(Style::Yellow, "~")),
            Action::Delete => format!("  {} ", minus()),
            Action::DeleteThenCreate => format!("{}/{} ", minus(), plus()),
            Action::CreateThenDelete => format!("{}/{} ", plus(), minus()),
            Action::Forget => format!(" {} ", self.paint(Style::Red, ".")),
            Action::CreateThenForget => format!("{}/{} ", plus(), self.paint(Style::Red, ".")),
            Action::ForgetThenCreate => format!("{}/{} ", self.paint(Style::Red, "."), plus()),
        }
    }
}
