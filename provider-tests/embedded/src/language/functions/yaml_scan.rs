//! The tokens of a YAML document as core finds them. Core reads YAML with a descendant of libyaml, which differs from YAML
//! 1.2 in many small things: where brackets may close, where tabs and comments may stand, how a text ends.

/// What a document is made of.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Token {
    Version,
    /// A handle, and what it stands for.
    TagDirective(String, String),
    DocumentStart,
    DocumentEnd,
    BlockSequence,
    BlockMapping,
    BlockEnd,
    FlowSequence,
    FlowSequenceEnd,
    FlowMapping,
    FlowMappingEnd,
    /// Stands before an element outside of brackets.
    Dash,
    /// Stands behind an element in brackets.
    Comma,
    /// Stands before a key, also if nothing in the text does.
    Key,
    /// Stands before the value of a key.
    Value,
    Alias(String),
    Anchor(String),
    /// A handle, and what follows it.
    Tag(String, String),
    Scalar(String, Style),
}

/// How a scalar is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    Plain,
    Quoted,
    Block,
}

/// All tokens of a text; `None` if it is not YAML.
pub(super) fn tokens(text: &str) -> Option<Vec<Token>> {
    let text: Vec<char> = text.strip_prefix('\u{feff}').unwrap_or(text).chars().collect();
    if !text.iter().all(|c| is_allowed(*c)) {
        return None;
    }
    let scanner = Scanner {
        text,
        at: 0,
        line: 0,
        column: 0,
        tokens: Vec::new(),
        indents: Vec::new(),
        keys: vec![None],
        key_allowed: true,
    };
    scanner.scan()
}

struct Scanner {
    text: Vec<char>,
    at: usize,
    line: usize,
    column: usize,
    tokens: Vec<Token>,
    /// The columns of the block collections around the current place.
    indents: Vec<usize>,
    /// What may turn out to be a key: outside of all brackets, and inside of each of those that are open.
    keys: Vec<Option<Key>>,
    /// Whether a key may begin at the current place.
    key_allowed: bool,
}

/// The beginning of what may turn out to be a key.
struct Key {
    token: usize,
    at: usize,
    line: usize,
    column: usize,
    /// Nothing else than a key may stand here.
    required: bool,
}

/// How many characters before its colon a key may begin.
const LONGEST_KEY: usize = 1024;

/// Stands for the end of the text, in which it cannot occur.
const END: char = '\0';

/// Whether a document may have this, not written as an escape.
fn is_allowed(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='~' | '\u{85}' | '\u{a0}'..='\u{fffd}' | '\u{10000}'..)
}

/// Whether core takes a character for a line break.
pub(super) fn is_break(c: char) -> bool {
    matches!(c, '\r' | '\n' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t')
}

/// Whether a word ends before this.
fn is_gap(c: char) -> bool {
    is_blank(c) || is_break(c) || c == END
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
}

impl Scanner {
    fn peek(&self, ahead: usize) -> char {
        self.text.get(self.at + ahead).copied().unwrap_or(END)
    }

    fn skip(&mut self, count: usize) {
        self.at += count;
        self.column += count;
    }

    /// Takes the character if it is the next one.
    fn take(&mut self, c: char) -> Option<()> {
        (self.peek(0) == c).then(|| self.skip(1))
    }

    fn take_while(&mut self, accepted: impl Fn(char) -> bool) -> String {
        let length = self.text.iter().skip(self.at).take_while(|c| accepted(**c)).count();
        let taken = self.text.iter().skip(self.at).take(length).collect();
        self.skip(length);
        taken
    }

    /// Takes a line break, if there is one, as it counts in a text.
    fn take_break(&mut self) -> Option<char> {
        let c = Some(self.peek(0)).filter(|c| is_break(*c))?;
        self.at += if c == '\r' && self.peek(1) == '\n' { 2 } else { 1 };
        self.column = 0;
        self.line += 1;
        Some(if matches!(c, '\u{2028}' | '\u{2029}') { c } else { '\n' })
    }

    /// Takes the rest of a line, which may be nothing but a comment.
    fn end_line(&mut self) -> Option<()> {
        self.take_while(is_blank);
        self.skip_comment();
        (self.take_break().is_some() || self.peek(0) == END).then_some(())
    }

    fn skip_comment(&mut self) {
        if self.peek(0) == '#' {
            self.take_while(|c| !is_break(c));
        }
    }

    fn in_flow(&self) -> bool {
        self.keys.len() > 1
    }

    /// The least column of what is inside the current block collection.
    fn inside(&self) -> usize {
        self.indents.last().map_or(0, |indent| indent + 1)
    }

    fn scan(mut self) -> Option<Vec<Token>> {
        loop {
            self.skip_to_token();
            self.close_blocks(Some(self.column));
            let (c, gap_follows) = (self.peek(0), is_gap(self.peek(1)));
            match c {
                END => {
                    self.close_blocks(None);
                    self.no_key()?;
                    return Some(self.tokens);
                }
                '%' if self.column == 0 => self.directive()?,
                _ if self.at_document_mark() => {
                    self.close_blocks(None);
                    self.key_allowed = false;
                    self.indicator(if c == '-' { Token::DocumentStart } else { Token::DocumentEnd })?;
                    self.skip(2);
                }
                '[' => self.open_flow(Token::FlowSequence)?,
                '{' => self.open_flow(Token::FlowMapping)?,
                ']' => self.close_flow(Token::FlowSequenceEnd)?,
                '}' => self.close_flow(Token::FlowMappingEnd)?,
                ',' => {
                    self.key_allowed = true;
                    self.indicator(Token::Comma)?;
                }
                '-' if gap_follows => {
                    self.block_indicator(Token::BlockSequence)?;
                    self.key_allowed = true;
                    self.indicator(Token::Dash)?;
                }
                '?' if gap_follows || self.in_flow() => {
                    self.block_indicator(Token::BlockMapping)?;
                    self.key_allowed = !self.in_flow();
                    self.indicator(Token::Key)?;
                }
                ':' if gap_follows || self.in_flow() => self.value()?,
                '*' | '&' => self.anchor(if c == '*' { Token::Alias } else { Token::Anchor })?,
                '!' => self.tag()?,
                '|' | '>' if !self.in_flow() => self.block_scalar()?,
                '\'' | '"' => self.quoted()?,
                '#' | '|' | '>' | '%' | '@' | '`' | ' ' | '\t' => return None,
                _ => self.plain()?,
            }
        }
    }

    /// A token of one character, before which no key may stand.
    fn indicator(&mut self, token: Token) -> Option<()> {
        self.no_key()?;
        self.skip(1);
        self.tokens.push(token);
        Some(())
    }

    /// Outside of brackets, a dash or question mark stands where a key may begin, and opens a collection.
    fn block_indicator(&mut self, collection: Token) -> Option<()> {
        if !self.in_flow() && !self.key_allowed {
            return None;
        }
        self.open_block(self.column, self.tokens.len(), collection);
        Some(())
    }

    fn open_block(&mut self, column: usize, token: usize, collection: Token) {
        if !self.in_flow() && self.indents.last() < Some(&column) {
            self.indents.push(column);
            self.tokens.insert(token, collection);
        }
    }

    /// Closes the collections that a token at a column ends, or all.
    fn close_blocks(&mut self, column: Option<usize>) {
        while !self.in_flow() && self.indents.last() > column.as_ref() {
            self.indents.pop();
            self.tokens.push(Token::BlockEnd);
        }
    }

    fn open_flow(&mut self, token: Token) -> Option<()> {
        self.note_key()?;
        self.keys.push(None);
        self.key_allowed = true;
        self.indicator(token)
    }

    fn close_flow(&mut self, token: Token) -> Option<()> {
        self.key_allowed = false;
        self.indicator(token)?;
        if self.in_flow() {
            self.keys.pop();
        }
        Some(())
    }

    /// Remembers that a key may begin here.
    fn note_key(&mut self) -> Option<()> {
        if !self.key_allowed {
            return Some(());
        }
        self.no_key()?;
        let required = !self.in_flow() && self.indents.last() == Some(&self.column);
        let key =
            Key { token: self.tokens.len(), at: self.at, line: self.line, column: self.column, required };
        *self.keys.last_mut()? = Some(key);
        Some(())
    }

    /// What might have turned out to be a key is none.
    fn no_key(&mut self) -> Option<()> {
        let key = self.keys.last_mut()?.take();
        (!key.is_some_and(|key| key.required)).then_some(())
    }

    fn value(&mut self) -> Option<()> {
        match self.keys.last_mut()?.take() {
            Some(key) if key.line == self.line && key.at + LONGEST_KEY >= self.at => {
                self.tokens.insert(key.token, Token::Key);
                self.open_block(key.column, key.token, Token::BlockMapping);
                self.key_allowed = false;
            }
            Some(key) if key.required => return None,
            _ => {
                self.block_indicator(Token::BlockMapping)?;
                self.key_allowed = !self.in_flow();
            }
        }
        self.indicator(Token::Value)
    }

    fn skip_to_token(&mut self) {
        loop {
            let tabs = self.in_flow() || !self.key_allowed;
            self.take_while(|c| c == ' ' || tabs && c == '\t');
            self.skip_comment();
            if self.take_break().is_none() {
                return;
            }
            self.key_allowed |= !self.in_flow();
        }
    }

    fn at_document_mark(&self) -> bool {
        let next = [self.peek(0), self.peek(1), self.peek(2)];
        self.column == 0 && (next == ['-'; 3] || next == ['.'; 3]) && is_gap(self.peek(3))
    }

    fn directive(&mut self) -> Option<()> {
        self.close_blocks(None);
        self.no_key()?;
        self.key_allowed = false;
        self.skip(1);
        let name = self.take_while(is_name);
        if !is_gap(self.peek(0)) {
            return None;
        }
        self.take_while(is_blank);
        let token = match &*name {
            "YAML" => {
                let major = self.take_while(|c| c.is_ascii_digit());
                self.take('.')?;
                let minor = self.take_while(|c| c.is_ascii_digit());
                // Core knows version 1.1 only.
                if [major, minor].iter().any(|number| !matches!(&**number, "1" | "01")) {
                    return None;
                }
                Token::Version
            }
            "TAG" => {
                let handle = self.handle()?;
                if handle != "!" && !is_handle(&handle) || !is_blank(self.peek(0)) {
                    return None;
                }
                self.take_while(is_blank);
                let prefix = self.address()?;
                if prefix.is_empty() || !is_gap(self.peek(0)) {
                    return None;
                }
                Token::TagDirective(handle, prefix)
            }
            _ => return None,
        };
        self.tokens.push(token);
        self.end_line()
    }

    /// `!`, a name and, perhaps, another `!`.
    fn handle(&mut self) -> Option<String> {
        self.take('!')?;
        let name = self.take_while(is_name);
        Some(format!("!{name}{}", if self.take('!').is_some() { "!" } else { "" }))
    }

    /// A part of a tag, in which characters may be escaped.
    fn address(&mut self) -> Option<String> {
        let mut address = String::new();
        loop {
            address += &self.take_while(|c| is_name(c) || ";/?:@&=+$,.!~*'()[]".contains(c));
            if self.take('%').is_none() {
                return Some(address);
            }
            address.push(self.code(2)?);
        }
    }

    /// A character by the hexadecimal digits of its number.
    fn code(&mut self, digits: usize) -> Option<char> {
        let mut number = 0_u32;
        for _ in 0..digits {
            number = number.checked_mul(16)? + self.peek(0).to_digit(16)?;
            self.skip(1);
        }
        char::from_u32(number)
    }

    fn tag(&mut self) -> Option<()> {
        self.note_key()?;
        self.key_allowed = false;
        let (handle, suffix) = if self.peek(1) == '<' {
            self.skip(2);
            let suffix = self.address()?;
            self.take('>')?;
            (String::new(), suffix)
        } else {
            let handle = self.handle()?;
            let rest = self.address()?;
            match handle.strip_prefix('!') {
                Some(name) if !is_handle(&handle) => ("!".to_owned(), format!("{name}{rest}")),
                _ => (handle, rest),
            }
        };
        // The tag that is only `!` has no meaning to core.
        if suffix.is_empty() || !is_gap(self.peek(0)) {
            return None;
        }
        self.tokens.push(Token::Tag(handle, suffix));
        Some(())
    }

    fn anchor(&mut self, token: fn(String) -> Token) -> Option<()> {
        self.note_key()?;
        self.key_allowed = false;
        self.skip(1);
        let name = self.take_while(is_name);
        if name.is_empty() || !(is_gap(self.peek(0)) || "?:,]}%@`".contains(self.peek(0))) {
            return None;
        }
        self.tokens.push(token(name));
        Some(())
    }

    fn block_scalar(&mut self) -> Option<()> {
        self.no_key()?;
        self.key_allowed = true;
        let folded = self.peek(0) == '>';
        self.skip(1);
        let (mut keep, mut indent) = (None, None);
        loop {
            match self.peek(0) {
                c @ ('+' | '-') if keep.is_none() => keep = Some(c == '+'),
                c @ '1'..='9' if indent.is_none() => {
                    let deeper = c.to_digit(10).and_then(|digit| usize::try_from(digit).ok())?;
                    indent = Some(self.indents.last().copied().unwrap_or(0) + deeper);
                }
                _ => break,
            }
            self.skip(1);
        }
        self.end_line()?;
        let (mut text, mut last_break, mut after_blank) = (String::new(), None, false);
        let (mut empty_lines, indent) = self.empty_lines(indent)?;
        while self.column == indent && self.peek(0) != END {
            // Lines are joined unless one of them begins with a blank.
            let blank = is_blank(self.peek(0));
            match last_break.take() {
                Some('\n') if folded && !after_blank && !blank => {
                    text += if empty_lines.is_empty() { " " } else { "" };
                }
                end => text.extend(end),
            }
            text += &empty_lines;
            text += &self.take_while(|c| !is_break(c));
            after_blank = blank;
            last_break = self.take_break();
            (empty_lines, _) = self.empty_lines(Some(indent))?;
        }
        text.extend(last_break.filter(|_| keep != Some(false)));
        if keep == Some(true) {
            text += &empty_lines;
        }
        self.tokens.push(Token::Scalar(text, Style::Block));
        Some(())
    }

    /// The breaks of empty lines in a block scalar, and the indentation of its lines, if not known before that of the
    /// first line with a text or of the longest before it.
    fn empty_lines(&mut self, indent: Option<usize>) -> Option<(String, usize)> {
        let (mut breaks, mut longest) = (String::new(), 0);
        loop {
            while self.peek(0) == ' ' && indent.is_none_or(|indent| self.column < indent) {
                self.skip(1);
            }
            if self.peek(0) == '\t' && indent.is_none_or(|indent| self.column < indent) {
                return None;
            }
            longest = longest.max(self.column);
            match self.take_break() {
                Some(c) => breaks.push(c),
                None => return Some((breaks, indent.unwrap_or(longest.max(self.inside()).max(1)))),
            }
        }
    }

    fn quoted(&mut self) -> Option<()> {
        self.note_key()?;
        self.key_allowed = false;
        let quote = self.peek(0);
        self.skip(1);
        let mut text = String::new();
        loop {
            if self.at_document_mark() {
                return None;
            }
            let mut joined = false;
            while !joined && !is_gap(self.peek(0)) {
                match (self.peek(0), self.peek(1)) {
                    ('\'', '\'') if quote == '\'' => {
                        text.push(quote);
                        self.skip(2);
                    }
                    (c, _) if c == quote => {
                        self.skip(1);
                        self.tokens.push(Token::Scalar(text, Style::Quoted));
                        return Some(());
                    }
                    ('\\', next) if quote == '"' => {
                        self.skip(1);
                        joined = self.take_break().is_some();
                        if !joined {
                            self.skip(1);
                            text.push(self.escaped(next)?);
                        }
                    }
                    (c, _) => {
                        text.push(c);
                        self.skip(1);
                    }
                }
            }
            if self.peek(0) == END {
                return None;
            }
            text += &self.gap(joined, 0)?.0;
        }
    }

    /// What a letter behind a backslash stands for.
    fn escaped(&mut self, letter: char) -> Option<char> {
        Some(match letter {
            '0' => '\0',
            'a' => '\x07',
            'b' => '\x08',
            't' | '\t' => '\t',
            'n' => '\n',
            'v' => '\x0b',
            'f' => '\x0c',
            'r' => '\r',
            'e' => '\x1b',
            ' ' | '"' | '\'' | '\\' => letter,
            'N' => '\u{85}',
            '_' => '\u{a0}',
            'L' => '\u{2028}',
            'P' => '\u{2029}',
            'x' => return self.code(2),
            'u' => return self.code(4),
            'U' => return self.code(8),
            _ => return None,
        })
    }

    /// What blanks and line breaks between words stand for, and whether there are line breaks. The first one may be
    /// `joined` before. Behind a line break, no tab may stand before the column `inside`.
    fn gap(&mut self, joined: bool, inside: usize) -> Option<(String, bool)> {
        let (mut blanks, mut first, mut further, mut broken) = (String::new(), None, String::new(), joined);
        loop {
            let c = self.peek(0);
            if is_blank(c) {
                if broken && c == '\t' && self.column < inside {
                    return None;
                }
                blanks.push(c);
                self.skip(1);
            } else if !is_break(c) {
                break;
            } else if broken {
                further.extend(self.take_break());
            } else {
                (first, broken) = (self.take_break(), true);
            }
        }
        let text = match first {
            _ if !broken => blanks,
            Some('\n') if further.is_empty() => " ".to_owned(),
            Some('\n') => further,
            first => first.into_iter().chain(further.chars()).collect(),
        };
        Some((text, broken))
    }

    /// Whether a word of a plain scalar ends here.
    fn ends_plain(&self) -> bool {
        let c = self.peek(0);
        is_gap(c) || c == ':' && is_gap(self.peek(1)) || self.in_flow() && ",?[]{}".contains(c)
    }

    fn plain(&mut self) -> Option<()> {
        self.note_key()?;
        self.key_allowed = false;
        let (inside, in_flow) = (self.inside(), self.in_flow());
        let (mut text, mut gap, mut broken) = (String::new(), String::new(), false);
        while !self.at_document_mark() && self.peek(0) != '#' {
            while !self.ends_plain() {
                text += &std::mem::take(&mut gap);
                text.push(self.peek(0));
                broken = false;
                self.skip(1);
            }
            if !is_blank(self.peek(0)) && !is_break(self.peek(0)) {
                break;
            }
            (gap, broken) = self.gap(false, inside)?;
            if !in_flow && self.column < inside {
                break;
            }
        }
        // A key may begin on a new line.
        self.key_allowed |= broken;
        self.tokens.push(Token::Scalar(text, Style::Plain));
        Some(())
    }
}

/// Whether this is a name between two `!`, or nothing between them.
fn is_handle(text: &str) -> bool {
    text.len() > 1 && text.ends_with('!')
}
