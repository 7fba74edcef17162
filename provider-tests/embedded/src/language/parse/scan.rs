//! Prepares a text for the parser, which differs from core in where some heredocs end and what some line breaks mean.
//!
//! In core a heredoc ends at the first line that is its marker and nothing else. The parser wants a line before that one,
//! ends at a line that only begins with the marker, and does not look for the marker between the tags of a directive: it
//! would take what follows for a part of the heredoc without any error.
//!
//! In core line breaks mean nothing in parentheses, brackets, interpolations and `for` expressions, and everywhere else
//! they end an argument or an item. The parser heeds some of the former, which are blanks in the prepared text, and
//! passes over some of the latter, which are commas in objects.
//!
//! The prepared text has the same length, so that every span of the parsed tree is one of the file.

use hcl_edit::Ident;

use crate::language::{Diagnostic, SourceFile, Span};

/// What a text begins as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Start {
    Body,
    /// An expression alone: its last line needs no line break.
    Expression,
    /// A template without quotes.
    Template,
}

/// What the parser reads in the place of the source.
#[derive(Debug)]
pub(super) struct Prepared {
    pub(super) text: String,
    /// Where the keys of objects stand.
    pub(super) keys: Vec<Span>,
}

/// The text that the parser reads in the place of the source.
///
/// # Errors
/// A heredoc without an end, a template that ends within a directive, a quoted string over several lines, a `for` without
/// variables, or a line of a body that begins with an operator.
pub(super) fn scan(source: &SourceFile, start: Start) -> Result<Prepared, Diagnostic> {
    let text = source.text();
    let mut prepared = text.as_bytes().to_vec();
    // Three blanks are as long as the byte order mark.
    let at = if text.starts_with('\u{feff}') && start != Start::Template { 3 } else { 0 };
    prepared.iter_mut().take(at).for_each(|byte| *byte = b' ');
    let (mode, bracket) = match start {
        Start::Body => (Mode::Code, Bracket::Body { assigned: false }),
        Start::Expression => (Mode::Code, Bracket::Alone),
        Start::Template => (Mode::Template, Bracket::Alone),
    };
    let (modes, brackets) = (vec![mode], vec![bracket]);
    let mut scanner = Scanner { source, start, text, at, prepared, keys: Vec::new(), modes, brackets };
    scanner.run()?;
    let prepared = String::from_utf8(scanner.prepared).unwrap_or_else(|_| text.to_owned());
    Ok(Prepared { text: prepared, keys: scanner.keys })
}

/// What the scanner is in.
#[derive(Debug, Clone, Copy)]
enum Mode<'t> {
    /// A body or an expression.
    Code,
    Quoted {
        /// How many directives have no end yet.
        directives: usize,
    },
    Template,
    Heredoc(Heredoc<'t>),
}

/// What code stands in, which decides what a line break means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bracket {
    /// An expression that is the whole text.
    Alone,
    /// The file or a block, and whether an equals sign stands before on the line.
    Body { assigned: bool },
    /// An object, where the item begins that is not finished, and whether its value has begun.
    Object { item: Option<usize>, assigned: bool },
    /// Parentheses, a tuple, a call, an index, or a `for`.
    Inner,
    /// An interpolation or a tag of a directive.
    Tag,
}

#[derive(Debug, Clone, Copy)]
struct Heredoc<'t> {
    marker: &'t str,
    /// Where its `<<` stands.
    start: usize,
    /// Where the marker stands after it.
    marker_start: usize,
    /// Where its first line begins.
    body: usize,
    /// How many directives have no end yet.
    directives: usize,
    /// Whether there is a line that the parser would take for the end.
    misleading: bool,
}

struct Scanner<'t> {
    source: &'t SourceFile,
    start: Start,
    text: &'t str,
    at: usize,
    prepared: Vec<u8>,
    keys: Vec<Span>,
    modes: Vec<Mode<'t>>,
    /// Never empty.
    brackets: Vec<Bracket>,
}

impl<'t> Scanner<'t> {
    fn run(&mut self) -> Result<(), Diagnostic> {
        while self.at < self.text.len() {
            match self.modes.last().copied() {
                Some(Mode::Code) => self.code()?,
                Some(Mode::Quoted { directives }) => self.quoted(directives)?,
                Some(Mode::Template) => self.template(),
                Some(Mode::Heredoc(heredoc)) => self.heredoc(heredoc)?,
                None => break,
            }
        }
        // In an open interpolation the parser finds what is missing.
        if matches!(self.modes.last(), Some(Mode::Heredoc(_))) {
            let span = Span { start: self.text.len(), end: self.text.len() };
            let detail =
                "The heredoc has no end. Write its marker on a line of its own, with a line break after it.";
            return Err(self.error("Unterminated template string", detail, span));
        }
        Ok(())
    }

    fn rest(&self) -> &'t [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    fn error(&self, summary: &str, detail: &str, span: Span) -> Diagnostic {
        Diagnostic::error(summary, detail).at(self.source, span)
    }

    fn enter(&mut self, mode: Mode<'t>, length: usize) {
        self.modes.push(mode);
        self.at += length;
    }

    fn leave(&mut self) {
        self.modes.pop();
        self.at += 1;
    }

    fn code(&mut self) -> Result<(), Diagnostic> {
        match self.rest() {
            [b'\n', ..] => return self.line_break(),
            [byte, ..] if byte.is_ascii_whitespace() => self.at += 1,
            [b'#' | b'/', ..] => match comment_length(self.rest()) {
                0 => {
                    self.begin_item();
                    self.at += 1;
                }
                length => self.comment(length),
            },
            [b'=' | b':', ..] => self.assign(),
            [b',', ..] => {
                if let Some(object @ Bracket::Object { .. }) = self.brackets.last_mut() {
                    *object = Bracket::Object { item: None, assigned: false };
                }
                self.at += 1;
            }
            [open @ (b'{' | b'[' | b'('), ..] => return self.open(*open),
            [close @ (b'}' | b']' | b')'), ..] => self.close(*close),
            rest => {
                self.begin_item();
                match rest {
                    [b'"', ..] => self.enter(Mode::Quoted { directives: 0 }, 1),
                    [b'<', b'<', ..] => self.heredoc_start(),
                    _ => self.at += 1,
                }
            }
        }
        Ok(())
    }

    /// Something stands here, which begins an item where none has begun.
    fn begin_item(&mut self) {
        if let Some(Bracket::Object { item: item @ None, .. }) = self.brackets.last_mut() {
            *item = Some(self.at);
        }
    }

    /// An equals sign or a colon, which may end a key.
    fn assign(&mut self) {
        self.begin_item();
        let is_equals = self.rest().first() == Some(&b'=');
        match self.brackets.last_mut() {
            Some(Bracket::Body { assigned }) => *assigned |= is_equals,
            Some(Bracket::Object { item: Some(item), assigned: assigned @ false }) => {
                *assigned = true;
                let key = self.text.get(*item..self.at).unwrap_or_default().trim_end();
                self.keys.push(Span { start: *item, end: *item + key.len() });
            }
            _ => {}
        }
        self.at += 1;
    }

    fn open(&mut self, open: u8) -> Result<(), Diagnostic> {
        self.begin_item();
        self.at += 1;
        let is_block = open == b'{' && self.brackets.last() == Some(&Bracket::Body { assigned: false });
        let bracket = match open {
            _ if is_block => Bracket::Body { assigned: false },
            b'{' if !self.is_for()? => Bracket::Object { item: None, assigned: false },
            b'[' => {
                self.is_for()?;
                Bracket::Inner
            }
            _ => Bracket::Inner,
        };
        self.brackets.push(bracket);
        Ok(())
    }

    fn close(&mut self, close: u8) {
        if self.brackets.last() == Some(&Bracket::Tag) && close == b'}' {
            self.brackets.pop();
            self.leave();
            return;
        }
        if self.brackets.len() > 1 && self.brackets.last() != Some(&Bracket::Tag) {
            self.brackets.pop();
        }
        self.at += 1;
    }

    /// Whether a `for` follows here, after an opening bracket. Core takes that word for nothing else there.
    fn is_for(&self) -> Result<bool, Diagnostic> {
        let next = self.next();
        let Some(after) = next.strip_prefix("for") else { return Ok(false) };
        if after.starts_with(|c| hcl_edit::Ident::try_new(format!("a{c}")).is_ok()) {
            return Ok(false);
        }
        if after.starts_with(|c: char| c.is_ascii_whitespace()) || comment_length(after.as_bytes()) > 0 {
            return Ok(true);
        }
        let start = self.text.len() - after.len();
        let detail = "A 'for' expression has the name of a variable after 'for'.";
        let length = after.chars().next().map_or(0, char::len_utf8);
        Err(self.error("Invalid 'for' expression", detail, Span { start, end: start + length }))
    }

    /// What follows after blanks, line breaks and comments.
    fn next(&self) -> &'t str {
        let mut rest = self.text.get(self.at..).unwrap_or_default();
        loop {
            rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace());
            match comment_length(rest.as_bytes()) {
                0 => return rest,
                length => rest = rest.get(length..).unwrap_or_default(),
            }
        }
    }

    fn line_break(&mut self) -> Result<(), Diagnostic> {
        let written = match self.brackets.last_mut() {
            Some(Bracket::Inner | Bracket::Tag) => Some(b' '),
            Some(object @ Bracket::Object { item: Some(_), .. }) => {
                *object = Bracket::Object { item: None, assigned: false };
                Some(b',')
            }
            Some(Bracket::Body { assigned }) => {
                *assigned = false;
                self.check_line()?;
                None
            }
            _ => None,
        };
        if let Some(written) = written {
            self.blank(self.at.saturating_sub(1)..self.at, |byte| byte == b'\r');
            self.blank(self.at..self.at + 1, |_| true);
            self.prepared.get_mut(self.at).into_iter().for_each(|byte| *byte = written);
        }
        self.at += 1;
        Ok(())
    }

    /// Refuses a line of a body that begins with an operator, which the parser may take for a part of the line before.
    ///
    /// A comment that ends its line, or none, leaves the check to the next line break.
    fn check_line(&self) -> Result<(), Diagnostic> {
        let mut next = after_blanks(self.text.get(self.at + 1..).unwrap_or_default());
        while next.starts_with("/*") {
            let length = comment_length(next.as_bytes());
            next = after_blanks(next.get(length..).unwrap_or_default());
        }
        if next.starts_with("//") {
            return Ok(());
        }
        if !next.starts_with(['?', '.', '[', '=', '!', '<', '>', '+', '-', '*', '/', '%', '&', '|']) {
            return Ok(());
        }
        let start = self.text.len() - next.len();
        let length =
            if ["==", "!=", "<=", ">=", "&&", "||"].iter().any(|it| next.starts_with(it)) { 2 } else { 1 };
        let detail = "An argument or block begins with its name. Put an expression that continues on another line in parentheses.";
        let span = Span { start, end: start + length };
        Err(self.error("Argument or block definition required", detail, span))
    }

    fn comment(&mut self, length: usize) {
        let ends_line = !self.rest().starts_with(b"/*");
        let is_replaced = matches!(
            self.brackets.last(),
            Some(Bracket::Inner | Bracket::Tag | Bracket::Object { item: Some(_), .. })
        );
        if ends_line && is_replaced {
            self.blank(self.at..self.at + length, |_| true);
        }
        self.at += length;
    }

    /// Writes blanks over the bytes of a range.
    fn blank(&mut self, range: std::ops::Range<usize>, which: impl Fn(u8) -> bool) {
        let bytes = self.prepared.get_mut(range).unwrap_or_default();
        bytes.iter_mut().filter(|byte| which(**byte)).for_each(|byte| *byte = b' ');
    }

    fn replace_mode(&mut self, mode: Mode<'t>) {
        if let Some(last) = self.modes.last_mut() {
            *last = mode;
        }
    }

    fn heredoc_start(&mut self) {
        let start = self.at;
        let dash = usize::from(self.rest().get(2) == Some(&b'-'));
        let marker_start = start + 2 + dash;
        let line = self.text.get(marker_start..).and_then(|rest| rest.split_once('\n'));
        let marker = line.map(|(line, _)| (line.len(), line.strip_suffix('\r').unwrap_or(line)));
        match marker.filter(|(_, marker)| Ident::try_new(*marker).is_ok()) {
            Some((length, marker)) => {
                let body = marker_start + length + 1;
                let heredoc = Heredoc { marker, start, marker_start, body, directives: 0, misleading: false };
                self.enter(Mode::Heredoc(heredoc), body - start);
            }
            // The parser reports it.
            None => self.at += 2,
        }
    }

    fn quoted(&mut self, directives: usize) -> Result<(), Diagnostic> {
        match self.rest() {
            [b'"', ..] if directives > 0 => {
                let span = Span { start: self.at, end: self.at + 1 };
                return Err(self.unfinished_directive("string", span));
            }
            [b'"', ..] => self.leave(),
            [b'\\', ..] => self.at += 2,
            [b'\n', ..] => {
                let span = Span { start: self.at, end: self.at + 1 };
                let detail = "A quoted string is on one line. Write \\n for a line break, or use a heredoc.";
                return Err(self.error("Invalid multi-line string", detail, span));
            }
            _ => {
                let directives = self.directives(directives);
                self.replace_mode(Mode::Quoted { directives });
                self.template();
            }
        }
        Ok(())
    }

    /// The number of open directives after the current position, from the number before it.
    fn directives(&self, before: usize) -> usize {
        let [b'%', b'{', directive @ ..] = self.rest() else { return before };
        let directive = directive.strip_prefix(b"~").unwrap_or(directive).trim_ascii_start();
        if directive.starts_with(b"if") || directive.starts_with(b"for") {
            before + 1
        } else if directive.starts_with(b"end") {
            before.saturating_sub(1)
        } else {
            before
        }
    }

    fn unfinished_directive(&self, template: &str, end: Span) -> Diagnostic {
        let detail = format!(
            "The {template} ends here, but a directive in it has no end yet. Add %{{ endif }} or %{{ endfor }}."
        );
        self.error("Unexpected end of template", &detail, end)
    }

    /// A step within any template.
    fn template(&mut self) {
        match self.rest() {
            [b'$', b'$', b'{', ..] | [b'%', b'%', b'{', ..] => self.at += 3,
            [b'$' | b'%', b'{', ..] => {
                self.brackets.push(Bracket::Tag);
                self.enter(Mode::Code, 2);
            }
            _ => self.at += 1,
        }
    }

    fn heredoc(&mut self, mut heredoc: Heredoc<'t>) -> Result<(), Diagnostic> {
        let before = self.at.checked_sub(1).and_then(|before| self.text.as_bytes().get(before));
        if before == Some(&b'\n')
            && let Some(line) = self.line()
            && let Some(after) = line.trim_start().strip_prefix(heredoc.marker)
        {
            if after.trim().is_empty() {
                let marker = self.at + line.len() - line.trim_start().len();
                return self.heredoc_end(heredoc, marker);
            }
            heredoc.misleading = true;
        }
        heredoc.directives = self.directives(heredoc.directives);
        self.replace_mode(Mode::Heredoc(heredoc));
        self.template();
        Ok(())
    }

    /// The rest of the line, if it has an end.
    fn line(&self) -> Option<&'t str> {
        let rest = self.text.get(self.at..)?;
        let line = rest.split_once('\n').map(|(line, _)| line);
        line.or_else(|| Some(rest).filter(|_| self.start == Start::Expression))
    }

    /// `marker` is the offset of the one that ends the heredoc.
    fn heredoc_end(&mut self, heredoc: Heredoc<'t>, marker: usize) -> Result<(), Diagnostic> {
        let end = marker + heredoc.marker.len();
        let span = Span { start: marker, end };
        if heredoc.directives > 0 {
            return Err(self.unfinished_directive("heredoc", span));
        }
        if heredoc.body == self.at {
            self.replace_empty(heredoc.start, end);
        } else {
            // The parser knows of blanks and tabs only.
            self.prepared.get_mut(self.at..marker).unwrap_or_default().fill(b' ');
            if heredoc.misleading {
                self.rename(heredoc, marker)?;
            }
        }
        self.modes.pop();
        self.at = end;
        Ok(())
    }

    /// Writes an empty string in parentheses over a heredoc without lines: they span the same text.
    fn replace_empty(&mut self, start: usize, end: usize) {
        let Some(heredoc) = self.prepared.get_mut(start..end) else { return };
        heredoc.iter_mut().filter(|byte| !matches!(byte, b'\n' | b'\r')).for_each(|byte| *byte = b' ');
        if let [first, open, close, .., last] = heredoc {
            (*first, *open, *close, *last) = (b'(', b'"', b'"', b')');
        }
    }

    /// Writes another marker, with which no line of the heredoc begins.
    fn rename(&mut self, heredoc: Heredoc<'t>, marker: usize) -> Result<(), Diagnostic> {
        let body = self.text.get(heredoc.body..marker).unwrap_or_default();
        let length = heredoc.marker.len();
        let mut names = ('A'..='Z').chain('a'..='z').map(|letter| letter.to_string().repeat(length));
        let Some(name) = names.find(|name| !body.lines().any(|line| line.trim_start().starts_with(name)))
        else {
            let span = Span { start: heredoc.marker_start, end: heredoc.marker_start + length };
            let detail = "Too many lines of the heredoc begin with its marker. Use a longer marker.";
            return Err(self.error("Invalid syntax", detail, span));
        };
        for start in [heredoc.marker_start, marker] {
            if let Some(written) = self.prepared.get_mut(start..start + length) {
                written.copy_from_slice(name.as_bytes());
            }
        }
        Ok(())
    }
}

/// A text without the blanks that its line begins with.
fn after_blanks(text: &str) -> &str {
    text.trim_start_matches(|c: char| c.is_ascii_whitespace() && c != '\n')
}

/// The length of the comment that a text begins with, without the line break after it; 0 if it begins with none.
fn comment_length(text: &[u8]) -> usize {
    let up_to = |end: &[u8]| text.windows(end.len()).position(|window| window == end);
    match text {
        [b'#', ..] | [b'/', b'/', ..] => up_to(b"\n").unwrap_or(text.len()),
        [b'/', b'*', ..] => up_to(b"*/").map_or(text.len(), |end| end + 2),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: Result<&str, &str>) {
        let prepared = scan(&SourceFile::new("main.tf", text), Start::Body);
        match (prepared, expect) {
            (Ok(prepared), Ok(expect)) => assert_eq!(prepared.text, expect),
            (Err(problem), Err(summary)) => assert_eq!(problem.summary, summary, "{text}"),
            (prepared, expect) => panic!("{text}: {prepared:?} instead of {expect:?}"),
        }
    }

    #[test]
    fn text_without_unusual_heredocs_stays_as_it_is() {
        for text in [
            "a = \"<<A ${\"}\"} \\\" $${ #\" # <<A\n",
            "/* <<A\n */ a = 1 // <<A\n",
            "a = <<A\nx A\n${\"A\"}A\nA\n",
            "a = <<-A\n  %{ if true ~}\n x\n  %{ endif }\n  A\n",
        ] {
            check(text, Ok(text));
        }
    }

    #[test]
    fn heredoc_without_lines_becomes_empty_string_of_same_length() {
        check("a = <<EOT\nEOT\nb = 1\n", Ok("a = (\"\"  \n  )\nb = 1\n"));
        check("a = <<-E\r\n  E\r\n", Ok("a = (\"\" \r\n  )\r\n"));
        check("a = <<A\n${<<A\nA\n}\nA\n", Ok("a = <<A\n${(\"\"\n) }\nA\n"));
    }

    #[test]
    fn line_breaks_are_written_as_what_they_mean() {
        check("a = [1, # x\n2]\n", Ok("a = [1,     2]\n"));
        check("a = { for k in b : k =>\r\n1 }\n", Ok("a = { for k in b : k =>  1 }\n"));
        check("a = {\n b = f(\n) # x\n c = 1\n}\n", Ok("a = {\n b = f( )    , c = 1,}\n"));
        check("a {\n b = \"${\nc}\"\n}\n", Ok("a {\n b = \"${ c}\"\n}\n"));
        check("a = f()\n== 1\n", Err("Argument or block definition required"));
    }

    #[test]
    fn line_that_begins_with_the_marker_is_no_end() {
        check("a = <<A\n${<<A\nx\nA }\nA\nb = { c = 1 }\n", Ok("a = <<A\n${<<B\nx\nA }\nB b = { c = 1 } "));
        check("a = <<EOT\nx\nEOT)\nEOT\n", Ok("a = <<AAA\nx\nEOT)\nAAA\n"));
        check("a = <<A\nx\nA.\nB\nA\n", Ok("a = <<C\nx\nA.\nB\nC\n"));
    }

    #[test]
    fn heredoc_of_an_expression_alone_ends_with_the_text() {
        for (text, expect) in [("<<A\nx\nA", "<<A\nx\nA"), ("<<A\nA", "(\"\"\n)")] {
            let prepared = scan(&SourceFile::new("value", text), Start::Expression);
            assert_eq!(prepared.ok().map(|it| it.text).as_deref(), Some(expect));
        }
    }

    #[test]
    fn unfinished_text_is_an_error() {
        check("a = <<EOT\nx\nEOT", Err("Unterminated template string"));
        check("a = <<EOT\n%{ if true }\nEOT\n%{ endif }\nEOT\n", Err("Unexpected end of template"));
        check("a = \"b\nc\"\n", Err("Invalid multi-line string"));
        check("a = \"%{ if true }b\"\n", Err("Unexpected end of template"));
        check("a = [for]\n", Err("Invalid 'for' expression"));
        let every_letter: String =
            ('A'..='Z').chain('a'..='z').map(|letter| format!("{letter}.\n")).collect();
        check(&format!("a = <<A\n{every_letter}A\n"), Err("Invalid syntax"));
    }
}
