//! Differences to a real core that stay, in files that have them exactly.

use std::fs;
use std::path::Path;

use libtest_mimic::Failed;

/// Compares what differs with the file that lists it. `FERROFORM_RECORD` stores it instead.
pub(crate) fn compare(file: &Path, found: &str) -> Result<(), Failed> {
    let listed = if file.exists() { fs::read_to_string(file)? } else { String::new() };
    if listed == found {
        return Ok(());
    }
    if std::env::var_os("FERROFORM_RECORD").is_none() {
        let file = file.display();
        let text = format!(
            "the embedded core differs in another way than {file} says. FERROFORM_RECORD=1 records it again. Found:\n{found}"
        );
        return Err(text.into());
    }
    if found.is_empty() { Ok(fs::remove_file(file)?) } else { Ok(fs::write(file, found)?) }
}
