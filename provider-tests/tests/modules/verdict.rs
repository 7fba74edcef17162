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
    module("takes", "variable \"x\" {}\noutput \"out\" {\n  value = var.x\n}\n");
    module(
        "hides",
        "variable \"x\" {\n  ephemeral = true\n}\noutput \"out\" {\n  value     = var.x\n  ephemeral = true\n}\n",
    );
    module("leaks", "variable \"x\" {\n  ephemeral = true\n}\noutput \"out\" {\n  value = var.x\n}\n");
    module(
        "secret",
        "variable \"x\" {\n  default   = 1\n  sensitive = true\n}\noutput \"out\" {\n  value = var.x\n}\n",
    );
    module(
        "checked",
        "variable \"x\" {\n  validation {\n    condition     = var.x != \"bad\"\n    error_message = \"Not this.\"\n  }\n}\noutput \"out\" {\n  value = var.x\n  precondition {\n    condition     = var.x != \"worse\"\n    error_message = \"Nor this.\"\n  }\n}\n",
    );
    let state = "{\"version\":4,\"terraform_version\":\"1.15.5\",\"serial\":1,\"lineage\":\"a\",\"outputs\":{\"x\":{\"value\":1,\"type\":\"number\"},\"s\":{\"value\":\"t\",\"type\":\"string\",\"sensitive\":true}},\"resources\":[]}";
    std::fs::write(directory.join("other.tfstate"), state).unwrap();
    module("needs", "variable \"x\" {}\n");
    module(
        "keeps",
        "resource \"terraform_data\" \"a\" {\n  input = \"x\"\n}\noutput \"out\" {\n  value = terraform_data.a.output\n}\n",
    );
    let (native, json) = if text.starts_with('{') { ("", text) } else { (text, "{}") };
    std::fs::write(directory.join("main.tf"), native).unwrap();
    std::fs::write(directory.join("main.tf.json"), json).unwrap();
}

/// A summary as the rows have it.
pub(crate) fn told(severity: Severity, summary: &str) -> String {
    match severity {
        Severity::Error => summary.to_owned(),
        Severity::Warning => format!("W:{summary}"),
    }
}

/// The summaries in order, those of warnings with `W:` before them.
pub(crate) async fn verdict(directory: &Path) -> Vec<String> {
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
