//! Trees of changes as text.

use serde_json::Value as Json;

use super::diff::{Diff, Group, Origin, Shape};
use super::paint::{Colour, Style};
use super::pair::Pair;
use super::sequence::longest;
use super::text::{counted, document, has_lines, lines, name, quoted, scalar};
use crate::plan::Action;

/// How changes are written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Writer {
    pub(super) colour: Colour,
    /// Whether it is about changes, or about what is there.
    pub(super) about: RenderMode,
    /// Which of what does not change is written.
    unchanged: Unchanged,
    /// What is written behind a value that is taken away.
    gone: RemovedValue,
    /// Whether the whole block of a value forces a replacement.
    forced: bool,
}

/// What is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RenderMode {
    /// Changes, with their marks.
    Changes,
    /// A state.
    State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unchanged {
    Counted,
    Written,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RemovedValue {
    ToNull,
    Alone,
}

/// Attributes that tell which object it is, so they are written even if they do not change.
const TELLING: [&str; 3] = ["id", "name", "tags"];

impl Writer {
    pub(super) fn new(colour: Colour, about: RenderMode) -> Self {
        let unchanged = if about == RenderMode::State { Unchanged::Written } else { Unchanged::Counted };
        Self { colour, about, unchanged, gone: RemovedValue::ToNull, forced: false }
    }

    /// The same, with all that does not change.
    pub(super) fn in_full(self) -> Self {
        Self { unchanged: Unchanged::Written, ..self }
    }

    /// The value, from behind its name; later lines are indented by so many levels.
    pub(super) fn value(&self, diff: &Diff, level: usize) -> String {
        match &diff.shape {
            Shape::Scalar { before, after } => self.scalar(diff, (before, after), level),
            Shape::Unknown { before } => {
                let before = before.as_deref().map(|before| {
                    let plain = Self { gone: RemovedValue::Alone, forced: false, ..*self };
                    format!("{} -> ", plain.value(before, level))
                });
                format!("{}(known after apply){}", before.unwrap_or_default(), self.forces(diff))
            }
            Shape::Sensitive { .. } => {
                format!("(sensitive value){}{}", self.null_suffix(diff), self.forces(diff))
            }
            Shape::WriteOnly => {
                format!("(write-only attribute){}{}", self.null_suffix(diff), self.forces(diff))
            }
            Shape::Object { members, origin } => self.object(diff, (members, *origin), level),
            Shape::Map { members, origin } => self.map(diff, (members, *origin), level),
            Shape::List { elements, origin } => self.list(diff, (elements, *origin), level),
            Shape::Set { elements } => self.set(diff, elements, level),
            Shape::Body { .. } => self.body(diff, level),
            Shape::Other { before, after } => {
                let plain = Self { gone: RemovedValue::Alone, ..*self };
                let (before, after) = (plain.value(before, level), plain.value(after, level));
                format!("{before} -> {after}{}", self.forces(diff))
            }
        }
    }

    fn indent(&self, level: usize) -> String {
        "    ".repeat(level)
    }

    pub(super) fn mark(&self, action: Action) -> String {
        match self.about {
            RenderMode::Changes => self.colour.mark(action),
            RenderMode::State => String::new(),
        }
    }

    fn null_suffix(&self, diff: &Diff) -> String {
        match diff.action == Action::Delete && self.gone == RemovedValue::ToNull {
            true => self.colour.paint(Style::Grey, " -> null"),
            false => String::new(),
        }
    }

    fn forces(&self, diff: &Diff) -> String {
        match diff.forces || self.forced {
            true => self.colour.paint(Style::Red, " # forces replacement"),
            false => String::new(),
        }
    }

    /// How many of something are left out, if any are.
    fn hidden(&self, count: usize, thing: &str, level: usize) -> String {
        if count == 0 {
            return String::new();
        }
        let text = format!("# ({} hidden)", counted(count, &format!("unchanged {thing}")));
        format!(
            "{}{}{}\n",
            self.indent(level),
            self.mark(Action::NoOp),
            self.colour.paint(Style::Grey, &text)
        )
    }

    /// The end of a value that has begun with a bracket.
    fn end(&self, diff: &Diff, bracket: char, level: usize) -> String {
        format!("{}{}{bracket}{}", self.indent(level), self.mark(Action::NoOp), self.null_suffix(diff))
    }

    /// A line with a value.
    fn line(&self, diff: &Diff, label: &str, level: usize) -> String {
        let mut text = self.notes(diff, level);
        let (indent, mark) = (self.indent(level), self.mark(diff.action));
        text.push_str(&format!("{indent}{mark}{label}{}", self.value(diff, level)));
        text
    }

    /// What is said before an attribute whose value can be seen from now on, or no longer.
    fn notes(&self, diff: &Diff, level: usize) -> String {
        let Shape::Sensitive { before, after } = diff.shape else { return String::new() };
        if diff.action != Action::Update || before == after {
            return String::new();
        }
        let becomes = match after {
            true => "is sensitive from now on, and will not be shown",
            false => "is no longer sensitive, and will be shown",
        };
        let indent = format!("{}  ", self.indent(level));
        let note = self.colour.paint(Style::Yellow, "# Warning:");
        format!("{indent}{note} this value {becomes}\n{indent}# once this is applied.\n")
    }

    fn scalar(&self, diff: &Diff, (before, after): (&Json, &Json), level: usize) -> String {
        let (to_null, forces) = (self.null_suffix(diff), self.forces(diff));
        let plain = |json: &Json, action: Action| self.plain((json, action), level);
        let has_lines = has_lines(before) || has_lines(after);
        match (diff.action, document(before), document(after)) {
            (Action::Update, Some(old), Some(new)) => {
                format!("{}{forces}", self.document((&Pair::plain(&old, &new), diff.action), level))
            }
            (Action::Update, None, None) if has_lines && before.is_string() && after.is_string() => {
                format!("{}{forces}", self.lines_changed(before, after, level))
            }
            (Action::Update, ..) => {
                format!("{} -> {}{forces}", plain(before, Action::Delete), plain(after, Action::Create))
            }
            (Action::Delete, ..) => format!("{}{to_null}{forces}", plain(before, Action::Delete)),
            (action, ..) => format!("{}{forces}", plain(after, action)),
        }
    }

    /// One value, as part of what is created, deleted or unchanged.
    fn plain(&self, (json, action): (&Json, Action), level: usize) -> String {
        if let Some(document) = document(json) {
            let pair = Pair::plain(&document, &document);
            let pair = match action {
                Action::Create => pair.added(),
                Action::Delete => pair.removed(),
                _ => pair,
            };
            return self.document((&pair, action), level);
        }
        match has_lines(json) {
            true => {
                let same = lines(json).into_iter().map(|line| (Action::NoOp, line)).collect::<Vec<_>>();
                self.heredoc(&same, level)
            }
            false => scalar(json),
        }
    }

    fn heredoc(&self, lines: &[(Action, &str)], level: usize) -> String {
        let mut text = "<<-EOT\n".to_owned();
        for (action, line) in lines {
            let line = format!("{}{}{line}", self.indent(level + 1), self.mark(*action));
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text.push_str(&format!("{}{}EOT", self.indent(level), self.mark(Action::NoOp)));
        text
    }

    fn lines_changed(&self, before: &Json, after: &Json, level: usize) -> String {
        let (before, after) = (lines(before), lines(after));
        let same = longest(before.len(), after.len(), |a, b| before.get(a) == after.get(b));
        let mut all = Vec::new();
        let (mut at, mut to) = (0, 0);
        for (next, next_to) in same.into_iter().chain([(before.len(), after.len())]) {
            all.extend(before.iter().take(next).skip(at).map(|line| (Action::Delete, *line)));
            all.extend(after.iter().take(next_to).skip(to).map(|line| (Action::Create, *line)));
            all.extend(before.get(next).map(|line| (Action::NoOp, *line)));
            (at, to) = (next + 1, next_to + 1);
        }
        self.heredoc(&all, level)
    }

    /// The values in a text that holds JSON; the action is that of the text.
    fn document(&self, (pair, action): (&Pair<'_>, Action), level: usize) -> String {
        let diff = Diff::of_json(pair);
        let inner = Self { gone: RemovedValue::Alone, forced: false, ..*self };
        let (inner, note) = match (action, diff.action) {
            (Action::Update, Action::NoOp) => (inner.in_full(), " # whitespace changes"),
            _ => (inner, ""),
        };
        let value = inner.value(&diff, level + 1);
        if !value.contains('\n') {
            return format!("jsonencode({value}){note}");
        }
        let (indent, within) = (self.indent(level), self.indent(level + 1));
        // What is created or deleted as a whole has its mark before the name of the attribute.
        let action = if diff.action == Action::Update { Action::Update } else { Action::NoOp };
        let (mark, end) = (self.mark(action), self.mark(Action::NoOp));
        format!("jsonencode({note}\n{within}{mark}{value}\n{indent}{end})")
    }

    fn object(&self, diff: &Diff, (members, origin): (&[(String, Diff)], Origin), level: usize) -> String {
        if members.is_empty() {
            return format!("{{}}{}{}", self.null_suffix(diff), self.forces(diff));
        }
        let gone = if origin == Origin::Schema { RemovedValue::ToNull } else { RemovedValue::Alone };
        let inner = Self { gone, forced: false, ..*self };
        let body = inner.attributes(members, level + 1, inner);
        format!("{{{}\n{body}{}", self.forces(diff), self.end(diff, '}', level))
    }

    /// Attributes with their names in one column, and how many are left out.
    fn attributes(&self, members: &[(String, Diff)], level: usize, inner: Self) -> String {
        let width = members.iter().map(|it| name(&it.0).chars().count()).max().unwrap_or_default();
        let (mut text, mut left_out) = (String::new(), 0);
        for (key, diff) in members {
            let tells = TELLING.contains(&key.as_str());
            if diff.action == Action::NoOp && self.unchanged == Unchanged::Counted && !tells {
                left_out += 1;
                continue;
            }
            let writer = if tells { inner.in_full() } else { inner };
            text.push_str(&writer.line(diff, &format!("{:<width$} = ", name(key)), level));
            text.push('\n');
        }
        text + &self.hidden(left_out, "attribute", level)
    }

    fn map(&self, diff: &Diff, (members, origin): (&[(String, Diff)], Origin), level: usize) -> String {
        if members.is_empty() {
            return format!("{{}}{}{}", self.null_suffix(diff), self.forces(diff));
        }
        let gone = match origin {
            Origin::Type if diff.action != Action::Delete => RemovedValue::ToNull,
            Origin::Type | Origin::Schema => RemovedValue::Alone,
        };
        let inner = Self { gone, forced: false, ..*self };
        let width = members.iter().map(|it| quoted(&it.0).chars().count()).max().unwrap_or_default();
        let (mut text, mut left_out) = (format!("{{{}\n", self.forces(diff)), 0);
        for (key, element) in members {
            if element.action == Action::NoOp && self.unchanged == Unchanged::Counted {
                left_out += 1;
                continue;
            }
            text.push_str(&inner.line(element, &format!("{:<width$} = ", quoted(key)), level + 1));
            // Core writes a comma behind nested attributes, and behind nothing else here.
            text.push_str(if origin == Origin::Schema { ",\n" } else { "\n" });
        }
        text.push_str(&self.hidden(left_out, "element", level + 1));
        text + &self.end(diff, '}', level)
    }

    fn list(&self, diff: &Diff, (elements, origin): (&[Diff], Origin), level: usize) -> String {
        if elements.is_empty() {
            return format!("[]{}{}", self.null_suffix(diff), self.forces(diff));
        }
        let inner = Self { gone: RemovedValue::Alone, forced: false, ..*self };
        // A neighbour is written in full.
        let element = |diff: &Diff| {
            let writer = if diff.action == Action::NoOp { inner.in_full() } else { inner };
            format!("{},\n", writer.line(diff, "", level + 1))
        };
        let mut text = format!("[{}\n", self.forces(diff));
        // Around a change one element on each side is written.
        let shows_neighbours = origin == Origin::Type;
        let (mut waiting, mut next_too): (Vec<&Diff>, bool) = (Vec::new(), false);
        for it in elements {
            let same = it.action == Action::NoOp && self.unchanged == Unchanged::Counted;
            if same && !next_too {
                waiting.push(it);
                continue;
            }
            if shows_neighbours && let Some(neighbour) = waiting.pop() {
                text.push_str(&self.hidden(waiting.len(), "element", level + 1));
                text.push_str(&element(neighbour));
                waiting.clear();
            }
            next_too = shows_neighbours && !same;
            text.push_str(&element(it));
        }
        text.push_str(&self.hidden(waiting.len(), "element", level + 1));
        text + &self.end(diff, ']', level)
    }

    fn set(&self, diff: &Diff, elements: &[Diff], level: usize) -> String {
        if elements.is_empty() {
            return format!("[]{}{}", self.null_suffix(diff), self.forces(diff));
        }
        // Elements come and go as a whole, so they force the replacement where the set does.
        let forced = diff.forces || self.forced;
        let inner = Self { gone: RemovedValue::Alone, forced, ..*self };
        let (mut text, mut left_out) = (format!("[{}\n", self.forces(diff)), 0);
        for it in elements {
            if it.action == Action::NoOp && self.unchanged == Unchanged::Counted {
                left_out += 1;
                continue;
            }
            let forced = it.action != Action::NoOp && inner.forced;
            text.push_str(&format!("{},\n", Self { forced, ..inner }.line(it, "", level + 1)));
        }
        text.push_str(&self.hidden(left_out, "element", level + 1));
        text + &self.end(diff, ']', level)
    }

    /// A body in braces.
    pub(super) fn body(&self, diff: &Diff, level: usize) -> String {
        let Shape::Body { attributes, blocks } = &diff.shape else { return self.value(diff, level) };
        if attributes.is_empty() && blocks.is_empty() {
            return format!("{{}}{}", self.forces(diff));
        }
        let inner = Self { gone: RemovedValue::ToNull, forced: false, ..*self };
        let mut text = format!("{{{}\n", self.forces(diff));
        text.push_str(&self.attributes(attributes, level + 1, inner));
        let mut left_out = 0;
        for group in blocks {
            let shown = |diff: &Diff| diff.action != Action::NoOp || self.unchanged == Unchanged::Written;
            left_out += group.blocks.iter().filter(|it| !shown(&it.1)).count();
            let shown: Vec<_> = group.blocks.iter().filter(|it| shown(&it.1)).collect();
            if !shown.is_empty() && !attributes.is_empty() {
                text.push('\n');
            }
            shown.into_iter().for_each(|it| text.push_str(&inner.block(group, it, level + 1)));
        }
        if left_out > 0 {
            text.push('\n');
            text.push_str(&self.hidden(left_out, "block", level + 1));
        }
        text + &format!("{}{}}}", self.indent(level), self.mark(Action::NoOp))
    }

    fn block(&self, group: &Group, (label, diff): &(Option<String>, Diff), level: usize) -> String {
        let label = label.as_ref().map(|label| format!(" {}", quoted(label))).unwrap_or_default();
        let head = format!("{}{}{}{label}", self.indent(level), self.mark(diff.action), name(&group.name));
        let writer = Self { forced: group.forces, ..*self };
        if let Shape::Sensitive { .. } = diff.shape {
            // Where there are marks, it is as far from the edge as those of the attributes.
            let inner = if self.about == RenderMode::State { level } else { level + 1 };
            let inner = format!("{}  ", self.indent(inner));
            let end = format!("{}{}}}\n", self.indent(level), self.mark(Action::NoOp));
            let forces = writer.forces(diff);
            let notes = self.notes(diff, level);
            return format!(
                "{notes}{head} {{{forces}\n{inner}# Something in here is sensitive, or was,\n{inner}# so nothing is shown.\n{end}"
            );
        }
        format!("{head} {}\n", writer.value(diff, level))
    }
}
