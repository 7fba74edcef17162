//! What core makes of long numbers, as the tests of the SDK's own values have it in `rounding.tsv`. `FERROFORM_RECORD=1` writes
//! what it says.

use std::path::PathBuf;

use ferroform_testing::real::Core;

use super::record::record;

pub(crate) fn file() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../sdk/core/tests/values/rounding.tsv")
}

/// Compares what the core says today with the file, or writes it.
pub(crate) fn recorded(core: &Core) -> Result<(), String> {
    let known = std::fs::read_to_string(file()).map_err(|error| error.to_string())?;
    let (head, rows): (Vec<&str>, Vec<&str>) = known.lines().partition(|line| line.starts_with('#'));
    let given: Vec<&str> =
        rows.iter().map(|row| row.split_once('\t').map_or(*row, |(given, _)| given)).collect();
    let ask = |given: &str| format!("tostring(tonumber({given:?}))");
    let answers = record(core, &given.iter().map(|given| ask(given)).collect::<Vec<_>>())?;
    let mut found: String = head.iter().map(|line| format!("{line}\n")).collect();
    for given in given {
        let row = answers
            .iter()
            .find(|row| row.expr == ask(given))
            .ok_or_else(|| format!("no answer to {given}"))?;
        let text: Option<String> = row.value.as_ref().and_then(|it| serde_json::from_str(it.get()).ok());
        let text = text.ok_or_else(|| format!("{}: {:?}", row.expr, row.error))?;
        found.push_str(&format!("{given}\t{text}\n"));
    }
    if std::env::var_os("FERROFORM_RECORD").is_some() {
        return std::fs::write(file(), found).map_err(|error| error.to_string());
    }
    let differing = known.lines().zip(found.lines()).find(|(known, found)| known != found);
    if known == found {
        Ok(())
    } else {
        Err(format!("what was recorded and what core says differ: {differing:?}"))
    }
}
