//! `validate`

use serde_json::json;

use super::arguments::Options;
use super::folder::Folder;
use super::screen::Screen;
use super::{Ended, Play};
use crate::diagnostic::Diagnostic;

pub(super) async fn validate(play: &Play, options: &Options, screen: &Screen) -> Ended {
    let folder = Folder::new(options);
    let found = match folder.configuration_without_values(options) {
        Ok(configuration) => {
            let mut found = configuration.diagnostics().to_vec();
            found.extend(play.core().validate(&configuration).await);
            found
        }
        Err(found) => found,
    };
    Ok(verdict(&found, screen))
}

/// Prints what is wrong, and returns what the process is to end with.
pub(super) fn verdict(messages: &[Diagnostic], screen: &Screen) -> u8 {
    let messages = screen.placed(messages);
    let errors = messages.iter().filter(|message| message.is_error()).count();
    if screen.is_json() {
        screen.line(&json!({
            "format_version": "1.0",
            "valid": errors == 0,
            "error_count": errors,
            "warning_count": messages.len() - errors,
            "diagnostics": messages.iter().map(Diagnostic::json).collect::<Vec<_>>(),
        }));
    } else {
        screen.tell(&messages);
        if errors == 0 {
            screen.out("Success! The configuration is valid.\n");
        }
    }
    u8::from(errors > 0)
}
