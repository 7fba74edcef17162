//! Test harness for Terraform and OpenTofu providers.
