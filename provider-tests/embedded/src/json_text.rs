//! JSON as text, in the layout of core's files.

/// Appends a text as a JSON string.
pub fn push_string(out: &mut String, text: &str) {
    // Only a map with other keys than strings cannot be written.
    out.push_str(&serde_json::to_string(text).unwrap_or_default());
}

/// Appends all that `push` appends, with commas between and in these brackets.
pub(crate) fn push_all<T>(
    out: &mut String,
    [open, close]: [char; 2],
    all: impl IntoIterator<Item = T>,
    mut push: impl FnMut(&mut String, T),
) {
    out.push(open);
    for (at, it) in all.into_iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        push(out, it);
    }
    out.push(close);
}

/// Appends a text as a JSON string with `<`, `>`, `&` and line separators escaped, too.
pub(crate) fn push_escaped_string(out: &mut String, text: &str) {
    let mut plain = String::with_capacity(text.len() + 2);
    push_string(&mut plain, text);
    plain.chars().for_each(|c| push_escaped(out, c));
}

/// A valid JSON text without the white space.
pub(crate) fn compact(json: &str) -> String {
    let mut compact = String::with_capacity(json.len());
    let mut text = Text::default();
    for c in json.chars() {
        if text.holds(c) || !c.is_ascii_whitespace() {
            compact.push(c);
        }
    }
    compact
}

/// A valid JSON text in lines, with an indentation of two spaces and with `<`, `>`, `&` and line separators escaped.
pub(crate) fn indent(json: &str) -> String {
    let mut out = String::with_capacity(json.len() * 2);
    let mut text = Text::default();
    let mut depth = 0_usize;
    let mut empty = false;
    for c in json.chars() {
        if text.holds(c) {
            if std::mem::take(&mut empty) {
                line(&mut out, depth);
            }
            push_escaped(&mut out, c);
            continue;
        }
        match c {
            ' ' | '\n' | '\r' | '\t' => {}
            ']' | '}' => {
                depth = depth.saturating_sub(1);
                if !std::mem::take(&mut empty) {
                    line(&mut out, depth);
                }
                out.push(c);
            }
            c => {
                if std::mem::take(&mut empty) {
                    line(&mut out, depth);
                }
                out.push(c);
                match c {
                    '[' | '{' => {
                        depth += 1;
                        empty = true;
                    }
                    ',' => line(&mut out, depth),
                    ':' => out.push(' '),
                    _ => {}
                }
            }
        }
    }
    out
}

/// Whether characters are part of a string, seen from front to back.
#[derive(Default)]
pub(crate) struct Text {
    inside: bool,
    escaped: bool,
}

impl Text {
    /// Whether this character, the next one, belongs to a string; its quotes do.
    pub(crate) fn holds(&mut self, c: char) -> bool {
        let was_inside = self.inside;
        if std::mem::take(&mut self.escaped) {
            return true;
        }
        match c {
            '"' => self.inside = !self.inside,
            '\\' => self.escaped = self.inside,
            _ => {}
        }
        was_inside || self.inside
    }
}

fn push_escaped(out: &mut String, c: char) {
    match c {
        '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
        c => out.push(c),
    }
}

fn line(out: &mut String, depth: usize) {
    out.push('\n');
    out.extend(std::iter::repeat_n("  ", depth));
}
