//! The layout of `terraform fmt`, where the library that writes the language has another.

use unicode_segmentation::UnicodeSegmentation;

/// Puts the equals signs of consecutive one-line assignments below each other, and closes empty blocks at once.
pub(super) fn align(text: &str) -> String {
    let mut aligned = String::with_capacity(text.len());
    let mut run: Vec<(&str, &str)> = Vec::new();
    for line in text.lines() {
        match assignment(line) {
            Some(parts) => run.push(parts),
            None => {
                write_run(&mut aligned, &mut run);
                match line.strip_suffix('}').map(|open| (open, open.trim_end())) {
                    // Several spaces: the indent of the brace, on the line of the block.
                    Some((open, start)) if open != start && start.ends_with('{') => {
                        aligned.extend([start, "}"]);
                    }
                    _ => aligned.push_str(line),
                }
                aligned.push('\n');
            }
        }
    }
    write_run(&mut aligned, &mut run);
    aligned
}

/// The two sides of an assignment that ends on its line. What opens a bracket there goes on below.
fn assignment(line: &str) -> Option<(&str, &str)> {
    let start = line.len() - line.trim_start().len();
    let end = start + target(line.get(start..)?)?;
    let value = line.get(end..)?.strip_prefix(" = ")?;
    let opens = value.ends_with(['{', '[', '(']);
    (!opens).then(|| (line.get(..end).unwrap_or_default(), value))
}

/// The length of a name or quoted key at the start of a text.
fn target(text: &str) -> Option<usize> {
    if !text.starts_with('"') {
        return text.find(' ');
    }
    let mut skipped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '"' if !skipped => return Some(at + 1),
            c => skipped = c == '\\' && !skipped,
        }
    }
    None
}

fn write_run(into: &mut String, run: &mut Vec<(&str, &str)>) {
    let widest = run.iter().map(|(target, _)| columns(target)).max().unwrap_or_default();
    for (target, value) in run.drain(..) {
        into.push_str(target);
        into.extend(std::iter::repeat_n(' ', widest - columns(target)));
        into.extend([" = ", value, "\n"]);
    }
}

/// How wide `fmt` takes the left side for: it counts the clusters of each token, the quotes are tokens, and a text ends
/// one where a template might begin.
fn columns(target: &str) -> usize {
    if target.is_ascii() {
        return target.len();
    }
    let quoted = target.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let parts = quoted.unwrap_or(target).split_inclusive(['$', '%']);
    let inner: usize = parts.map(|part| part.graphemes(true).count()).sum();
    inner + if quoted.is_some() { 2 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::align;

    fn check(text: &str, expect: &str) {
        assert_eq!(align(text), expect);
    }

    #[test]
    fn equals_signs_stand_below_each_other() {
        check("  a = 1\n  long = \"x = y\"\n", "  a    = 1\n  long = \"x = y\"\n");
        check("a = 1\n\nlong = 2\n", "a = 1\n\nlong = 2\n");
        check("\"a \\\" = \" = 1\nb = 2\n", "\"a \\\" = \" = 1\nb         = 2\n");
    }

    #[test]
    fn an_assignment_over_several_lines_ends_a_run() {
        check(
            "a = 1\nlong = {\n  b = 1\n}\nc = 1\nlonger = [\n",
            "a = 1\nlong = {\n  b = 1\n}\nc = 1\nlonger = [\n",
        );
    }

    #[test]
    fn letters_count_as_they_are_seen() {
        check("\"e\u{301}\" = 1\nab = 2\n", "\"e\u{301}\" = 1\nab  = 2\n");
    }

    #[test]
    fn empty_blocks_are_closed_at_once() {
        check("a {\n  rule {  }\n  \"{  }\",\n}\n", "a {\n  rule {}\n  \"{  }\",\n}\n");
    }
}
