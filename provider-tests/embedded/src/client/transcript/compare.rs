//! Where two stored transcripts differ.

use std::fmt;

use super::Transcript;

/// The first difference of two transcripts.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TranscriptDifference {
    /// The number of the call in which they differ, from 1.
    pub call: usize,
    /// What is called there, as in `ReadResource demo_thing`.
    pub title: String,
    /// The line of the first transcript; `None` when it is over.
    pub one: Option<String>,
    /// The line of the other transcript; `None` when it is over.
    pub other: Option<String>,
}

impl Transcript {
    /// The first difference of two transcripts in their text form, such as one that was stored and one of today.
    ///
    /// ```
    /// use ferroform_embedded::client::Transcript;
    ///
    /// let stored = "ReadResource acme_disk\n  > current_state = {size = 1}\n  < new_state = {size = 1}\n";
    /// let today = "ReadResource acme_disk\n  > current_state = {size = 1}\n  < new_state = {size = 2}\n";
    /// let difference = Transcript::difference(stored, today).expect("they differ");
    /// assert_eq!(
    ///     difference.to_string(),
    ///     "call 1, ReadResource acme_disk: `< new_state = {size = 1}`, then `< new_state = {size = 2}`"
    /// );
    /// assert_eq!(Transcript::difference(stored, stored), None);
    /// ```
    #[must_use]
    pub fn difference(one: &str, other: &str) -> Option<TranscriptDifference> {
        let (mut one, mut other) = (Side::new(one), Side::new(other));
        loop {
            match (one.next(), other.next()) {
                (None, None) => return None,
                (of_one, of_other) if of_one == of_other => {}
                (of_one, of_other) => {
                    // A line that one of them lacks belongs to the call that is not over yet.
                    let one_is_behind = one.call <= other.call;
                    let at =
                        if of_other.is_none() || of_one.is_some() && one_is_behind { &one } else { &other };
                    let line = |line: Option<&str>| line.map(|line| line.trim().to_owned());
                    return Some(TranscriptDifference {
                        call: at.call,
                        title: at.title.to_owned(),
                        one: line(of_one),
                        other: line(of_other),
                    });
                }
            }
        }
    }
}

/// A transcript of which some lines are read.
struct Side<'a> {
    lines: std::str::Lines<'a>,
    call: usize,
    title: &'a str,
}

impl<'a> Side<'a> {
    fn new(text: &'a str) -> Self {
        Self { lines: text.lines(), call: 0, title: "" }
    }

    fn next(&mut self) -> Option<&'a str> {
        let line = self.lines.next()?;
        if !line.starts_with(' ') {
            self.call += 1;
            self.title = line;
        }
        Some(line)
    }
}

impl fmt::Display for TranscriptDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line =
            |line: &Option<String>| line.as_ref().map_or("nothing more".to_owned(), |it| format!("`{it}`"));
        write!(f, "call {}, {}: {}, then {}", self.call, self.title, line(&self.one), line(&self.other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const READ: &str = "ReadResource demo_thing\n  > a = 1\n  < b = 2\n";
    const STOP: &str = "StopProvider\n";

    #[track_caller]
    fn check(one: &[&str], other: &[&str], expect: Option<&str>) {
        let found = Transcript::difference(&one.concat(), &other.concat());
        assert_eq!(found.map(|it| it.to_string()).as_deref(), expect);
    }

    #[test]
    fn the_first_difference_is_named() {
        check(&[], &[], None);
        check(&[STOP, READ], &[STOP, READ], None);
        check(
            &[STOP, READ],
            &[READ],
            Some("call 1, StopProvider: `StopProvider`, then `ReadResource demo_thing`"),
        );
        check(&[STOP], &[STOP, STOP], Some("call 2, StopProvider: nothing more, then `StopProvider`"));
        check(&[READ, STOP], &[READ], Some("call 2, StopProvider: `StopProvider`, then nothing more"));
        let longer = format!("{READ}  < c = 3\n");
        let less = Some("call 1, ReadResource demo_thing: `StopProvider`, then `< c = 3`");
        check(&[READ, STOP], &[&longer, STOP], less);
        let more = Some("call 1, ReadResource demo_thing: `< c = 3`, then `StopProvider`");
        check(&[&longer, STOP], &[READ, STOP], more);
        let other = READ.replace('2', "3");
        let value = Some("call 2, ReadResource demo_thing: `< b = 2`, then `< b = 3`");
        check(&[STOP, READ], &[STOP, &other], value);
    }
}
