//! Patterns as core takes them, in the syntax of RE2 as Go reads it.
//!
//! A pattern is rewritten to one of the crate `regex` that means the same. The two crates differ in what a class such as `\w`
//! has in it, in escapes, in what may be repeated, and in which names there are, so nothing is passed on as it stands:
//! each character is written by its number, each class by its characters, and flags only around what they change. Groups
//! are numbered there and named here, because Go takes names that `regex` does not, and the same name twice.

use std::borrow::Cow;
use std::mem;
use std::sync::LazyLock;

use regex::{Captures, Match, Regex, RegexBuilder};

/// A pattern that can be matched.
#[derive(Debug)]
pub(super) struct Pattern {
    regex: Regex,
    /// The name of each group, without the match as a whole.
    names: Vec<Option<String>>,
}

/// A text is no pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Invalid;

type Result<T> = std::result::Result<T, Invalid>;

impl Pattern {
    pub(super) fn parse(text: &str) -> Result<Self> {
        let mut reader = Reader { rest: text, ..Reader::default() };
        reader.pattern()?;
        let regex = RegexBuilder::new(&reader.regex).size_limit(SIZE).build();
        Ok(Self { regex: regex.map_err(|_| Invalid)?, names: reader.names })
    }

    /// The names of the groups, in their order.
    pub(super) fn names(&self) -> &[Option<String>] {
        &self.names
    }

    /// The matches: the whole of each, and its groups.
    pub(super) fn matches<'t>(&self, text: &'t str) -> impl Iterator<Item = Captures<'t>> {
        self.regex.captures_iter(text)
    }

    /// Puts a text in the place of each match, with groups where it has `$1`, `$name` or `${name}`, and `$` for `$$`.
    pub(super) fn replace_all<'t>(&self, text: &'t str, template: &str) -> Cow<'t, str> {
        static REFERENCE: LazyLock<Option<Regex>> =
            LazyLock::new(|| Regex::new(r"\$(?:\$|([\pL\p{Nd}_]+)|\{([\pL\p{Nd}_]+)\})").ok());
        let Some(reference) = &*REFERENCE else {
            return Cow::Borrowed(text);
        };
        self.regex.replace_all(text, |captures: &Captures<'_>| {
            let expanded = reference.replace_all(template, |reference: &Captures<'_>| {
                match reference.get(1).or_else(|| reference.get(2)) {
                    Some(name) => self.group(captures, name.as_str()).map_or("", |group| group.as_str()),
                    None => "$",
                }
            });
            expanded.into_owned()
        })
    }

    /// A group by its number, or the first of a name that has matched.
    fn group<'t>(&self, captures: &Captures<'t>, name: &str) -> Option<Match<'t>> {
        if let Some((number, "")) = number(name) {
            return captures.get(usize::try_from(number).ok()?);
        }
        let mut named = self.names.iter().zip(1..).filter(|(known, _)| known.as_deref() == Some(name));
        named.find_map(|(_, number)| captures.get(number))
    }
}

/// How many bytes a pattern may take, about as many as in Go.
const SIZE: usize = 128 << 20;

/// How often something may be repeated by numbers, all numbers around it multiplied.
const COPIES: u32 = 1000;

#[derive(Clone, Copy, Default)]
struct Flags {
    /// `i`: cases do not differ.
    fold: bool,
    /// `m`: `^` and `$` are those of a line.
    lines: bool,
    /// `s`: a dot is a line break, too.
    dot_all: bool,
    /// `U`: repetitions match as little as they can, and with a `?` as much.
    lazy: bool,
}

/// What a repetition that follows would repeat.
struct Item {
    /// Where it begins in the new pattern; it always ends where that ends.
    start: usize,
    /// How many copies there are of what is repeated most in it.
    copies: u32,
    is_repeated: bool,
}

/// What is between parentheses, or the pattern as a whole.
#[derive(Default)]
struct Sequence {
    start: usize,
    /// The flags before it, which hold again after it.
    flags: Flags,
    /// As in an item: what came before the last one.
    copies: u32,
    last: Option<Item>,
}

#[derive(Default)]
struct Reader<'a> {
    rest: &'a str,
    regex: String,
    names: Vec<Option<String>>,
    flags: Flags,
    sequence: Sequence,
    outer: Vec<Sequence>,
}

impl Reader<'_> {
    fn next(&mut self) -> Result<char> {
        let mut rest = self.rest.chars();
        let next = rest.next().ok_or(Invalid)?;
        self.rest = rest.as_str();
        Ok(next)
    }

    fn eat(&mut self, text: &str) -> bool {
        self.rest.strip_prefix(text).map(|rest| self.rest = rest).is_some()
    }

    /// What comes before a text, with which it ends.
    fn until(&mut self, end: &str) -> Result<&str> {
        let (before, rest) = self.rest.split_once(end).ok_or(Invalid)?;
        self.rest = rest;
        Ok(before)
    }

    fn pattern(&mut self) -> Result<()> {
        let mut repeated = false;
        while let Ok(c) = self.next() {
            let counts = self.counts(c);
            match (c, counts) {
                // What is nothing by itself, such as `(?i)`, may stand between two repetitions of the same.
                (_, Some(_)) if repeated => return Err(Invalid),
                (_, Some((least, most))) => self.repeat(least, most)?,
                ('(', _) => self.open()?,
                (')', _) => self.close()?,
                ('|', _) => {
                    self.regex.push('|');
                    self.put(None);
                }
                ('^', _) => self.item(if self.flags.lines { "(?m:^)" } else { "^" }),
                ('$', _) => self.item(if self.flags.lines { "(?m:$)" } else { "$" }),
                ('.', _) => self.item(if self.flags.dot_all { "(?s:.)" } else { "." }),
                ('[', _) => self.class()?,
                ('\\', _) => self.escape()?,
                (c, _) => self.characters(&character(c)),
            }
            repeated = counts.is_some();
        }
        if self.outer.is_empty() { Ok(()) } else { Err(Invalid) }
    }

    /// Makes something the last item of the sequence, or nothing.
    fn put(&mut self, item: Option<Item>) {
        if let Some(before) = mem::replace(&mut self.sequence.last, item) {
            self.sequence.copies = self.sequence.copies.max(before.copies);
        }
    }

    fn item(&mut self, regex: &str) {
        self.put(Some(Item { start: self.regex.len(), copies: 1, is_repeated: false }));
        self.regex.push_str(regex);
    }

    /// An item that is one character.
    fn characters(&mut self, class: &str) {
        if self.flags.fold { self.item(&format!("(?i:{class})")) } else { self.item(class) }
    }

    /// How often what is before a character is repeated by it at least and at most. A brace without such counts is a
    /// brace.
    fn counts(&mut self, c: char) -> Option<(u32, Option<u32>)> {
        match c {
            '*' => Some((0, None)),
            '+' => Some((1, None)),
            '?' => Some((0, Some(1))),
            '{' => {
                let (least, rest) = number(self.rest)?;
                let (most, rest) = match rest.strip_prefix(',') {
                    None => (Some(least), rest),
                    Some(rest) if rest.starts_with('}') => (None, rest),
                    Some(rest) => number(rest).map(|(most, rest)| (Some(most), rest))?,
                };
                self.rest = rest.strip_prefix('}')?;
                Some((least, most))
            }
            _ => None,
        }
    }

    fn repeat(&mut self, least: u32, most: Option<u32>) -> Result<()> {
        let lazy = self.eat("?") != self.flags.lazy;
        let item = self.sequence.last.as_mut().ok_or(Invalid)?;
        let count = most.unwrap_or(least);
        if least > COPIES || count > COPIES || count < least {
            return Err(Invalid);
        }
        item.copies = if most == Some(0) { 1 } else { item.copies * count.max(1) };
        if item.copies > COPIES {
            return Err(Invalid);
        }
        if mem::replace(&mut item.is_repeated, true) {
            self.regex.insert_str(item.start, "(?:");
            self.regex.push(')');
        }
        let most = most.map(|most| most.to_string()).unwrap_or_default();
        self.regex.push_str(&format!("{{{least},{most}}}{}", if lazy { "?" } else { "" }));
        Ok(())
    }

    /// What follows the parenthesis that opens a group, or flags.
    fn open(&mut self) -> Result<()> {
        let (outer, start) = (self.flags, self.regex.len());
        if !self.eat("?") {
            self.names.push(None);
            self.regex.push('(');
        } else if self.eat("P<") || self.eat("<") {
            let name = self.until(">")?.to_owned();
            if name.is_empty() || name.contains(|c: char| !c.is_ascii_alphanumeric() && c != '_') {
                return Err(Invalid);
            }
            self.names.push(Some(name));
            self.regex.push('(');
        } else if self.flags()? {
            self.regex.push_str("(?:");
        } else {
            return Ok(());
        }
        let inner = Sequence { start, flags: outer, copies: 1, last: None };
        self.outer.push(mem::replace(&mut self.sequence, inner));
        Ok(())
    }

    /// Sets flags; whether a group follows to which they belong.
    fn flags(&mut self) -> Result<bool> {
        let (mut flags, mut on, mut is_complete) = (self.flags, true, true);
        loop {
            match self.next()? {
                'i' => flags.fold = on,
                'm' => flags.lines = on,
                's' => flags.dot_all = on,
                'U' => flags.lazy = on,
                '-' if on => {
                    (on, is_complete) = (false, false);
                    continue;
                }
                end @ (':' | ')') if is_complete => {
                    self.flags = flags;
                    return Ok(end == ':');
                }
                _ => return Err(Invalid),
            }
            is_complete = true;
        }
    }

    fn close(&mut self) -> Result<()> {
        let outer = self.outer.pop().ok_or(Invalid)?;
        self.put(None);
        let Sequence { start, flags, copies, .. } = mem::replace(&mut self.sequence, outer);
        self.flags = flags;
        self.put(Some(Item { start, copies, is_repeated: false }));
        self.regex.push(')');
        Ok(())
    }

    /// What follows a backslash.
    fn escape(&mut self) -> Result<()> {
        if self.eat("A") {
            self.item("^");
        } else if self.eat("z") {
            self.item("$");
        } else if self.eat("b") {
            self.item(r"(?-u:\b)");
        } else if self.eat("B") {
            self.item(r"(?-u:\B)");
        } else if self.eat("Q") {
            let (quoted, rest) = self.rest.split_once(r"\E").unwrap_or((self.rest, ""));
            self.rest = rest;
            quoted.chars().for_each(|c| self.characters(&character(c)));
        } else if let Some(set) = self.set()? {
            self.characters(&set);
        } else {
            let code = self.escaped()?;
            self.characters(&range(code, code));
        }
        Ok(())
    }

    /// What follows the bracket that opens a class. A bracket at its beginning is one of its characters.
    fn class(&mut self) -> Result<()> {
        let mut class = if self.eat("^") { "[^".to_owned() } else { "[".to_owned() };
        let mut is_first = true;
        while is_first || !self.eat("]") {
            is_first = false;
            class.push_str(&self.member()?);
        }
        class.push(']');
        self.characters(&class);
        Ok(())
    }

    /// A set or a range in a class.
    fn member(&mut self) -> Result<String> {
        if let Some((name, rest)) = self.rest.strip_prefix("[:").and_then(|rest| rest.split_once(":]")) {
            self.rest = rest;
            let is_known = ASCII_CLASSES.contains(&name.strip_prefix('^').unwrap_or(name));
            return if is_known { Ok(format!("[:{name}:]")) } else { Err(Invalid) };
        }
        if self.eat("\\") {
            if let Some(set) = self.set()? {
                return Ok(set);
            }
            let low = self.escaped()?;
            return self.range_from(low);
        }
        let low = self.next()?;
        self.range_from(low.into())
    }

    fn range_from(&mut self, low: u32) -> Result<String> {
        if self.rest.starts_with("-]") || !self.eat("-") {
            return Ok(range(low, low));
        }
        let high = if self.eat("\\") { self.escaped()? } else { self.next()?.into() };
        if low <= high { Ok(range(low, high)) } else { Err(Invalid) }
    }

    /// A set of characters that has a name, after a backslash.
    fn set(&mut self) -> Result<Option<String>> {
        let Some(c @ ('d' | 'D' | 's' | 'S' | 'w' | 'W' | 'p' | 'P')) = self.rest.chars().next() else {
            return Ok(None);
        };
        self.next()?;
        let not = if c.is_ascii_uppercase() { "^" } else { "" };
        let characters = match c {
            'd' | 'D' => "0-9",
            's' | 'S' => r"\t\n\f\r\x20",
            'w' | 'W' => "0-9A-Za-z_",
            _ => return self.property(c == 'P').map(Some),
        };
        Ok(Some(format!("[{not}{characters}]")))
    }

    /// A category or a script. Case and what is between words do not count in a name, but Go looks for scripts by a name
    /// of one word, so that it does not find the others.
    fn property(&mut self, is_negated: bool) -> Result<String> {
        let name = if self.eat("{") { self.until("}")?.to_owned() } else { self.next()?.to_string() };
        let (name, is_negated) = match name.strip_prefix('^') {
            Some(name) => (name, !is_negated),
            None => (name.as_str(), is_negated),
        };
        let name = name.replace(['_', '-', ' '], "").to_ascii_lowercase();
        let p = if is_negated { 'P' } else { 'p' };
        if SCRIPTS.split(' ').any(|script| script == name) {
            return Ok(format!(r"\{p}{{sc={name}}}"));
        }
        if ["cs", "surrogate"].contains(&name.as_str()) {
            let none = range(0xd800, 0xdfff);
            return Ok(if is_negated { format!("[^{none}]") } else { none });
        }
        // Other names for categories are looked for by `regex`, which takes them with an `is` before them, too.
        if name.starts_with("is") || name.contains(|c: char| !c.is_ascii_lowercase()) {
            return Err(Invalid);
        }
        Ok(format!(r"\{p}{{gc={name}}}"))
    }

    /// The number of a character after a backslash.
    fn escaped(&mut self) -> Result<u32> {
        let (digits, radix) = match self.next()? {
            'a' => return Ok(0x07),
            'f' => return Ok(0x0c),
            'n' => return Ok(0x0a),
            'r' => return Ok(0x0d),
            't' => return Ok(0x09),
            'v' => return Ok(0x0b),
            'x' if self.eat("{") => (self.until("}")?.to_owned(), 16),
            'x' => (format!("{}{}", self.next()?, self.next()?), 16),
            first @ '0'..='7' => {
                let more = self.rest.bytes().take(2).take_while(|byte| (b'0'..=b'7').contains(byte)).count();
                let (more, rest) = self.rest.split_at_checked(more).ok_or(Invalid)?;
                if first != '0' && more.is_empty() {
                    // A group that has matched cannot be referred to.
                    return Err(Invalid);
                }
                self.rest = rest;
                (format!("{first}{more}"), 8)
            }
            c if c.is_ascii() && !c.is_ascii_alphanumeric() => return Ok(c.into()),
            _ => return Err(Invalid),
        };
        let code = u32::from_str_radix(&digits, radix).ok().filter(|_| !digits.starts_with('+'));
        code.filter(|code| *code <= u32::from(char::MAX)).ok_or(Invalid)
    }
}

/// A number without zeros before it; one that is too large is as good as the greatest.
fn number(text: &str) -> Option<(u32, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at_checked(end)?;
    let is_number = digits == "0" || !digits.is_empty() && !digits.starts_with('0');
    is_number.then(|| (digits.parse().unwrap_or(u32::MAX), rest))
}

fn character(c: char) -> String {
    range(c.into(), c.into())
}

/// The characters of a range. Surrogates are in it for Go, but in no text.
fn range(low: u32, high: u32) -> String {
    const SURROGATES: std::ops::RangeInclusive<u32> = 0xd800..=0xdfff;
    let low = if SURROGATES.contains(&low) { SURROGATES.end() + 1 } else { low };
    let high = if SURROGATES.contains(&high) { SURROGATES.start() - 1 } else { high };
    if low > high {
        r"[^\x{0}-\x{10ffff}]".to_owned()
    } else if low == high {
        format!(r"\x{{{low:x}}}")
    } else {
        format!(r"\x{{{low:x}}}-\x{{{high:x}}}")
    }
}

const ASCII_CLASSES: [&str; 14] = [
    "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space",
    "upper", "word", "xdigit",
];

/// The scripts of Unicode 15 whose names are one word.
const SCRIPTS: &str = "\
    adlam ahom arabic armenian avestan balinese bamum batak bengali bhaiksuki bopomofo brahmi braille \
    buginese buhid carian chakma cham cherokee chorasmian common coptic cuneiform cypriot cyrillic deseret \
    devanagari dogra duployan elbasan elymaic ethiopic georgian glagolitic gothic grantha greek gujarati \
    gurmukhi han hangul hanunoo hatran hebrew hiragana inherited javanese kaithi kannada katakana kawi \
    kharoshthi khmer khojki khudawadi lao latin lepcha limbu lisu lycian lydian mahajani makasar malayalam \
    mandaic manichaean marchen medefaidrin miao modi mongolian mro multani myanmar nabataean nandinagari \
    newa nko nushu ogham oriya osage osmanya palmyrene phoenician rejang runic samaritan saurashtra sharada \
    shavian siddham sinhala sogdian soyombo sundanese syriac tagalog tagbanwa takri tamil tangsa tangut \
    telugu thaana thai tibetan tifinagh tirhuta toto ugaritic vai vithkuqi wancho yezidi yi";

#[cfg(test)]
mod tests {
    use super::*;

    /// The first match and its groups, with `-` for those that have not matched; nothing where the pattern is wrong.
    fn found(pattern: &str, text: &str) -> Option<String> {
        let pattern = Pattern::parse(pattern).ok()?;
        let Some(captures) = pattern.matches(text).next() else { return Some("no match".to_owned()) };
        let group = |at: usize| captures.get(at).map_or("-", |group| group.as_str());
        Some((0..=pattern.names().len()).map(group).collect::<Vec<_>>().join(","))
    }

    #[test]
    fn patterns_match_as_in_go() {
        let cases = [
            // Sets of characters are those of ASCII, but for case.
            (r"\w+", "h\u{e9}llo", "h"),
            (r"\d+", "1\u{662}", "1"),
            (r"\s+", "\u{b}\u{a0} ", " "),
            (r"\b.\B", "\u{e9}ab", "a"),
            (r"(?i)\w", "\u{17f}", "\u{17f}"),
            (r"(?i)[^\W]", "\u{212a}", "\u{212a}"),
            // Escapes.
            (r"\Qa.b\E*", "a.bb", "a.bb"),
            (r"\Qa\", "a\\", "a\\"),
            (r"\123\0", "S\0", "S\0"),
            (r"\x{000041}\x42\a", "AB\u{7}", "AB\u{7}"),
            (r"\x{d800}", "a", "no match"),
            (r"\<\_", "<_", "<_"),
            // What cannot be a repetition.
            ("a{,2}", "a{,2}", "a{,2}"),
            ("a{01}b{ 1}", "a{01}b{ 1}", "a{01}b{ 1}"),
            ("{", "{", "{"),
            // Repetitions.
            ("a{2}(?i)*", "aaaaaa", "aaaaaa"),
            ("(?U)a+a+?", "aaa", "aaa"),
            ("(a){0}(b)", "b", "b,-,b"),
            ("(a{100}){10}", "b", "no match"),
            ("((a{500}){0}){500}", "", ",,-"),
            ("^*", "a", ""),
            // Groups and flags.
            ("(?P<9>a)(?<n>b)", "ab", "ab,a,b"),
            ("(?P<n>a)|(?P<n>b)", "b", "b,-,b"),
            ("(?ii)a", "A", "A"),
            ("(?i-i)a", "A", "no match"),
            ("(?)a", "a", "a"),
            ("((?i)a|b)c", "BCBc", "Bc,B"),
            ("(?ms:^.$)", "a\n", "a"),
            // Classes.
            ("[[a]]", "[]", "[]"),
            ("[a&&b]+", "&b", "&b"),
            ("[+--]", ",", ","),
            (r"[\d-z]+", "-z1", "-z1"),
            ("[]a]+", "]a", "]a"),
            ("[^]a]", "]b", "b"),
            ("[[:^alpha:]x]+", "a1x", "1x"),
            (r"[\x{d700}-\x{dfff}]", "\u{e000}\u{d701}", "\u{d701}"),
            // Categories and scripts.
            (r"\p{^Greek}\PN", "\u{3b1}1a", "1a"),
            (r"\p{upper case-letter}\p{ll}", "aBc", "Bc"),
            (r"\p{Any}\p{ASCII}[^\p{Cs}]", "\u{3b1}bc", "\u{3b1}bc"),
        ];
        for (pattern, text, expected) in cases {
            assert_eq!(found(pattern, text).as_deref(), Some(expected), "{pattern} {text}");
        }
    }

    #[test]
    fn what_go_refuses_is_refused() {
        let patterns = [
            "(",
            ")",
            "a)",
            "[",
            "[]",
            "[a",
            "*",
            "|*",
            "(*a)",
            "a**",
            "a{2}{3}",
            "a*?*",
            "a{1001}",
            "a{2,1}",
            "a{1,99999999999}",
            "(a{32}){32}",
            r"\",
            r"\8",
            r"\1",
            r"\Z",
            r"\C",
            r"\E",
            r"\u0061",
            r"\x",
            r"\x{}",
            r"\x{110000}",
            r"\x+1",
            "\\\u{e9}",
            r"[\b]",
            "[b-a]",
            "[a--b]",
            r"[a-\d]",
            "[[:ALPHA:]]",
            "[[:foo:]]",
            "(?x)a",
            "(?u)a",
            "(?-)a",
            "(?i-)a",
            "(?i--s)a",
            "(?=a)",
            "(?<!a)",
            "(?P<n.m>a)",
            "(?P<\u{e9}>a)",
            "(?<>a)",
            "(?P=n)",
            r"\p",
            r"\p{",
            r"\pX",
            r"\p{}",
            r"\p{^}",
            r"\p{Latn}",
            r"\p{Old_Turkic}",
            r"\p{Alphabetic}",
            r"\p{Script=Greek}",
            r"\p{IsL}",
            r"\p{Garay}",
        ];
        for pattern in patterns {
            assert_eq!(found(pattern, ""), None, "{pattern}");
        }
    }

    #[test]
    fn templates_are_filled_in_as_in_go() {
        let cases = [
            ("$1-${1}-$n-${n}-$0", "a-a-b-b-ab"),
            ("$1x$1\u{e9}$2", "b"),
            ("$01$9${10}", ""),
            ("$$1 $ ${} ${a-b} ${1", "$1 $ ${} ${a-b} ${1"),
        ];
        let pattern = Pattern::parse("(a)(?P<n>b)").expect("a pattern");
        for (template, expected) in cases {
            assert_eq!(pattern.replace_all("ab", template), expected, "{template}");
        }
    }
}
