//! What the embedded core says of a text.

use std::path::Path;

use ferroform::diag::Severity;
use ferroform_testing::embedded::Core;
use ferroform_testing::language::module::{Inputs, load};

/// The modules that the texts may call, beside the text.
pub(crate) fn write(directory: &Path, text: &str) {
    let module = |name: &str, text: &str| {
        std::fs::create_dir_all(directory.join(name)).unwrap();
        std::fs::write(directory.join(name).join("main.tf"), text).unwrap();
    };
    module("m", "output \"out\" {\n  value = 1\n}\n");
    module("needs", "variable \"x\" {}\n");
    std::fs::write(directory.join("main.tf"), text).unwrap();
}

/// The summaries in order, those of warnings with `W:` before them.
pub(crate) async fn verdict(directory: &Path) -> Vec<String> {
    let told = |severity: Severity, summary: &str| match severity {
        Severity::Error => summary.to_owned(),
        Severity::Warning => format!("W:{summary}"),
    };
    let mut all: Vec<String> = match load(directory).and_then(|tree| tree.prepare(&Inputs::new())) {
        Ok(prepared) => {
            let found = Core::new().validate(&prepared.config).await;
            let found = found.iter().map(|it| told(it.severity, &it.summary));
            prepared.warnings.iter().map(|it| told(it.severity, &it.summary)).chain(found).collect()
        }
        Err(problems) => problems.iter().map(|it| told(it.severity, &it.summary)).collect(),
    };
    all.sort();
    all
}
