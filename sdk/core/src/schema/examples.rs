//! Examples of configurations, out of the text that describes a schema.

use crate::schema::Text;

/// What a fence begins with whose block is an example.
const FENCES: [&str; 3] = ["```hcl", "```terraform", "```tf"];

/// Takes the examples out of a description in Markdown: the fenced blocks of the language of Terraform. Other blocks,
/// and one that does not end, stay where they are.
pub(crate) fn take(description: &mut Text) -> Vec<Text> {
    if !FENCES.iter().any(|fence| description.contains(fence)) {
        return Vec::new();
    }
    let (mut kept, mut examples) = (Vec::new(), Vec::new());
    let mut lines = description.lines();
    while let Some(line) = lines.next() {
        if !FENCES.contains(&line.trim()) {
            kept.push(line);
            continue;
        }
        let within: Vec<&str> = lines.clone().take_while(|line| line.trim() != "```").collect();
        let is_closed = lines.clone().nth(within.len()).is_some();
        if is_closed && !within.is_empty() {
            examples.push(Text::from(within.join("\n") + "\n"));
            lines.nth(within.len());
        } else {
            kept.push(line);
        }
    }
    *description = Text::from(kept.join("\n").trim_end().to_owned());
    examples
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(description: &str, expect: (&str, &[&str])) {
        let mut text = Text::from(description.to_owned());
        let examples = take(&mut text);
        let examples: Vec<&str> = examples.iter().map(|it| &**it).collect();
        assert_eq!((&*text, &*examples), expect);
    }

    #[test]
    fn fenced_blocks_of_the_language_are_examples() {
        check("A thing.", ("A thing.", &[]));
        check("A thing.\n\n```hcl\na = 1\n\nb = 2\n```\n", ("A thing.", &["a = 1\n\nb = 2\n"]));
        let two = "One.\n\n```terraform\na = 1\n```\nTwo.\n```tf\nb = 2\n```";
        check(two, ("One.\n\nTwo.", &["a = 1\n", "b = 2\n"]));
    }

    #[test]
    fn all_else_is_description() {
        let shell = "A thing.\n\n```sh\nls\n```\n\nEnd.";
        check(shell, (shell, &[]));
        check("A thing.\n```hcl\na = 1", ("A thing.\n```hcl\na = 1", &[]));
        check("A thing.\n```hcl\n```", ("A thing.\n```hcl\n```", &[]));
    }
}
