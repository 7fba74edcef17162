//! The program that Terraform and OpenTofu start.

use std::process::ExitCode;

fn main() -> ExitCode {
    ferroform::serve::<@CRATE@::@CAMEL@>()
}
