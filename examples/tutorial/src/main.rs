//! Serves the provider to Terraform or OpenTofu.

fn main() -> std::process::ExitCode {
    ferroform::serve::<shelf::Shelf>()
}
