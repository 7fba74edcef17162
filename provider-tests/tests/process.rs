//! A provider in a process of its own: this binary, which serves when it is started as a plugin.

fn main() {}
