//! Provider protocol messages.
