//! The provider `wide`, as large as `WIDE_TYPES` and `WIDE_ATTRIBUTES` say.

use std::process::ExitCode;
use std::sync::Arc;

use ferroform::Serve;
use ferroform_acceptance::wide::Wide;

fn main() -> ExitCode {
    let number = |name, usual| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual);
    let wide = Wide { types: number("WIDE_TYPES", 1), attributes: number("WIDE_ATTRIBUTES", 3) };
    Serve::new(Arc::new(wide)).run()
}
