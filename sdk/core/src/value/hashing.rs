//! How values are hashed.

use std::hash::{BuildHasher, Hash};
use std::sync::OnceLock;

/// Values are long, and the hash of std is made for short keys: of large sets it took a sixth of a plan. The seeds are
/// random, so that nobody can prepare values that collide.
type Seeds = foldhash::quality::RandomState;

/// A table of values.
pub(crate) type HashMap<K, V> = std::collections::HashMap<K, V, Seeds>;

/// A set for look-ups, unlike [`Set`](super::Set), which is a value.
pub(crate) type HashSet<T> = std::collections::HashSet<T, Seeds>;

/// The hash of something, the same all over this process.
pub(crate) fn hash(value: impl Hash) -> u64 {
    static SEEDS: OnceLock<Seeds> = OnceLock::new();
    SEEDS.get_or_init(Seeds::default).hash_one(value)
}
