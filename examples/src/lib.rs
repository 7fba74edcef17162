//! Example providers written with ferroform.
