//! The tour of the demo.

use std::io::{self, Write};

use ferroform::Protocol;
use ferroform_examples::Colour;
use ferroform_examples::demo::tour;

fn shown(protocol: Protocol, colour: Colour) -> String {
    let mut out = Vec::new();
    tour(protocol, colour, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn is_green_over_both_protocols() {
    for protocol in [Protocol::V5, Protocol::V6] {
        let text = shown(protocol, Colour::None);
        let steps: Vec<_> =
            text.lines().filter(|it| it.starts_with(|it: char| it.is_ascii_digit())).collect();
        let mut expect = vec![
            "1. Create",
            "2. Drift",
            "3. Read",
            "4. Functions",
            "5. Lend",
            "6. Act",
            "7. Query",
            "8. Update",
            "9. Replace",
            "10. Vanish",
            "11. Refuse",
            "12. Import",
            "13. Upgrade",
            "14. Move",
        ];
        // Protocol 5 has no state stores.
        expect.extend(match protocol {
            Protocol::V5 => &["15. Destroy"][..],
            Protocol::V6 => &["15. Store", "16. Destroy"],
        });
        assert_eq!(steps, expect);
    }
}

/// Written anew when the environment has `UPDATE_TRANSCRIPT`.
#[test]
fn is_what_the_transcript_shows() {
    let text = shown(Protocol::V6, Colour::None);
    let root = text.lines().next().and_then(|it| it.split_once("below ")).unwrap().1;
    let text =
        text.replace(root, "/tmp/demo/objects").replace(root.trim_end_matches("/objects"), "/tmp/demo");
    let text: String = text.lines().map(|line| timeless(line) + "\n").collect();
    let transcript = concat!(env!("CARGO_MANIFEST_DIR"), "/demo/tour.txt");
    if std::env::var_os("UPDATE_TRANSCRIPT").is_some() {
        std::fs::write(transcript, &text).unwrap();
    }
    assert_eq!(text, std::fs::read_to_string(transcript).unwrap());
}

/// A line as it is on a fast machine.
fn timeless(line: &str) -> String {
    match line.split_once(" after ").and_then(|(what, rest)| Some((what, rest.split_once('s')?.1))) {
        Some((what, rest)) if line.contains(": ") => format!("{what} after 0s{rest}"),
        _ => line.to_owned(),
    }
}

#[test]
fn has_colours_when_asked() {
    let text = shown(Protocol::V6, Colour::Ansi);
    for part in ["\x1b[32m+\x1b[0m name = \"site\"", "\x1b[33m~\x1b[0m content", "\x1b[31m-\x1b[0m name"] {
        assert!(text.contains(part), "{part:?} in {text}");
    }
}

/// Takes part of the tour and then deletes the file that it is about.
struct Saboteur {
    seen: Vec<u8>,
}

impl Write for Saboteur {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.seen.extend_from_slice(bytes);
        let text = String::from_utf8_lossy(&self.seen);
        if text.contains("8. Update")
            && let Some(root) = text.lines().next().and_then(|it| it.split_once("below "))
        {
            // Absent already when the tour writes on.
            let _ = std::fs::remove_file(format!("{}/web.service.json", root.1));
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn fails_when_something_is_wrong() {
    let error = tour(Protocol::V6, Colour::None, &mut Saboteur { seen: Vec::new() }).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`demo apply -auto-approve -parallelism=1` should print \"# demo_service.web will be updated in-place\", but it does not"
    );
}
