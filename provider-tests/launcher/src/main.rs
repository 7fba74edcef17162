//! Runs a Terraform core that comes as a shared library.

fn main() {}
