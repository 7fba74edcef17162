//! Prepares a text for the parser, which ends some heredocs elsewhere than core does.
//!
//! In core a heredoc ends at the first line that is its marker and nothing else. The parser wants a line before that one,
//! ends at a line that only begins with the marker, and does not look for the marker between the tags of a directive: it
//! would take what follows for a part of the heredoc without any error. The prepared text has the same length, so that
//! every span of the parsed tree is one of the file.

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

/// The text that the parser reads in the place of the source.
///
/// # Errors
/// A heredoc without an end, one that ends within a directive, or a quoted string over several lines.
pub(super) fn scan(source: &SourceFile, start: Start) -> Result<String, Diagnostic> {
    let text = source.text();
    let mut prepared = text.as_bytes().to_vec();
    // Three blanks are as long as the byte order mark.
    let at = if text.starts_with('\u{feff}') && start != Start::Template { 3 } else { 0 };
    prepared.iter_mut().take(at).for_each(|byte| *byte = b' ');
    let first = match start {
        Start::Body | Start::Expression => Mode::Code { braces: 0 },
        Start::Template => Mode::Template,
    };
    let scanner = Scanner { source, start, text, at, prepared, modes: vec![first] };
    let prepared = scanner.run()?;
    Ok(String::from_utf8(prepared).unwrap_or_else(|_| text.to_owned()))
}

/// What the scanner is in.
#[derive(Debug, Clone, Copy)]
enum Mode<'t> {
    /// A body or an expression, with as many open braces.
    Code {
        braces: usize,
    },
    Quoted,
    Template,
    Heredoc(Heredoc<'t>),
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
    modes: Vec<Mode<'t>>,
}

impl<'t> Scanner<'t> {
    fn run(mut self) -> Result<Vec<u8>, Diagnostic> {
        while self.at < self.text.len() {
            match self.modes.last().copied() {
                Some(Mode::Code { braces }) => self.code(braces),
                Some(Mode::Quoted) => self.quoted()?,
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
        Ok(self.prepared)
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

    /// Goes on after a text, or to the end if it does not occur.
    fn skip_to(&mut self, end: &[u8]) {
        let found = self.rest().windows(end.len()).position(|window| window == end);
        self.at = found.map_or(self.text.len(), |found| self.at + found + end.len());
    }

    fn code(&mut self, braces: usize) {
        let nested = self.modes.len() > 1;
        match self.rest() {
            [b'"', ..] => self.enter(Mode::Quoted, 1),
            [b'#', ..] | [b'/', b'/', ..] => self.skip_to(b"\n"),
            [b'/', b'*', ..] => self.skip_to(b"*/"),
            [b'<', b'<', ..] => self.heredoc_start(),
            [b'}', ..] if nested && braces == 0 => self.leave(),
            [byte, ..] => {
                let braces = match byte {
                    b'{' => braces + 1,
                    b'}' => braces.saturating_sub(1),
                    _ => braces,
                };
                self.at += 1;
                self.replace_mode(Mode::Code { braces });
            }
            [] => {}
        }
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

    fn quoted(&mut self) -> Result<(), Diagnostic> {
        match self.rest() {
            [b'"', ..] => self.leave(),
            [b'\\', ..] => self.at += 2,
            [b'\n', ..] => {
                let span = Span { start: self.at, end: self.at + 1 };
                let detail = "A quoted string is on one line. Write \\n for a line break, or use a heredoc.";
                return Err(self.error("Invalid multi-line string", detail, span));
            }
            _ => self.template(),
        }
        Ok(())
    }

    /// A step within any template.
    fn template(&mut self) {
        match self.rest() {
            [b'$', b'$', b'{', ..] | [b'%', b'%', b'{', ..] => self.at += 3,
            [b'$' | b'%', b'{', ..] => self.enter(Mode::Code { braces: 0 }, 2),
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
        if let [b'%', b'{', directive @ ..] = self.rest() {
            let directive = directive.strip_prefix(b"~").unwrap_or(directive).trim_ascii_start();
            if directive.starts_with(b"if") || directive.starts_with(b"for") {
                heredoc.directives += 1;
            } else if directive.starts_with(b"end") {
                heredoc.directives = heredoc.directives.saturating_sub(1);
            }
        }
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
            let detail =
                "The heredoc ends here, but a directive in it has no end yet. Add %{ endif } or %{ endfor }.";
            return Err(self.error("Unexpected end of template", detail, span));
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

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: Result<&str, &str>) {
        let prepared = scan(&SourceFile::new("main.tf", text), Start::Body);
        match (prepared, expect) {
            (Ok(prepared), Ok(expect)) => assert_eq!(prepared, expect),
            (Err(problem), Err(summary)) => assert_eq!(problem.summary, summary, "{text}"),
            (prepared, expect) => panic!("{text}: {prepared:?} instead of {expect:?}"),
        }
    }

    #[test]
    fn text_without_unusual_heredocs_stays_as_it_is() {
        for text in [
            "a = \"<<A ${\"}\"} \\\" $${ #\" # <<A\n",
            "a = <<A\n${<<A\nx\nA\n}\nA\nb = { c = 1 }\n",
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
        check("a = <<A\n${<<A\nA\n}\nA\n", Ok("a = <<A\n${(\"\"\n)\n}\nA\n"));
    }

    #[test]
    fn line_that_begins_with_the_marker_is_no_end() {
        check("a = <<EOT\nx\nEOT)\nEOT\n", Ok("a = <<AAA\nx\nEOT)\nAAA\n"));
        check("a = <<A\nx\nA.\nB\nA\n", Ok("a = <<C\nx\nA.\nB\nC\n"));
    }

    #[test]
    fn heredoc_of_an_expression_alone_ends_with_the_text() {
        for (text, expect) in [("<<A\nx\nA", "<<A\nx\nA"), ("<<A\nA", "(\"\"\n)")] {
            let prepared = scan(&SourceFile::new("value", text), Start::Expression);
            assert_eq!(prepared.ok().as_deref(), Some(expect));
        }
    }

    #[test]
    fn unfinished_text_is_an_error() {
        check("a = <<EOT\nx\nEOT", Err("Unterminated template string"));
        check("a = <<EOT\n%{ if true }\nEOT\n%{ endif }\nEOT\n", Err("Unexpected end of template"));
        check("a = \"b\nc\"\n", Err("Invalid multi-line string"));
        let every_letter: String =
            ('A'..='Z').chain('a'..='z').map(|letter| format!("{letter}.\n")).collect();
        check(&format!("a = <<A\n{every_letter}A\n"), Err("Invalid syntax"));
    }
}
