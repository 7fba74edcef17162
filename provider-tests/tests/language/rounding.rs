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
    let given: Vec<&str> = known.lines().filter_map(|line| Some(line.split_once('\t')?.0)).collect();
    let asked: Vec<String> = given.iter().map(|given| format!("tostring(tonumber({given:?}))")).collect();
    let mut found: String =
        known.lines().filter(|line| line.starts_with('#')).map(|line| format!("{line}\n")).collect();
    for (given, row) in given.iter().zip(record(core, &asked)?) {
        let text: Option<String> = row.value.as_ref().and_then(|it| serde_json::from_str(it.get()).ok());
        let text = text.ok_or_else(|| format!("{}: {:?}", row.expr, row.error))?;
        found.push_str(&format!("{given}\t{text}\n"));
    }
    if std::env::var_os("FERROFORM_RECORD").is_some() {
        return std::fs::write(file(), found).map_err(|error| error.to_string());
    }
    match known.lines().zip(found.lines()).find(|(known, found)| known != found) {
        Some((known, found)) => Err(format!("{known:?} was recorded, and core says {found:?}")),
        None => Ok(()),
    }
}
