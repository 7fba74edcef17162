//! The fuzz targets' invariants on the committed seeds, and on every shortening of them.

use std::fs;
use std::path::Path;

#[path = "../../fuzz/bodies.rs"]
mod bodies;

fn check(target: &str, body: fn(&[u8])) {
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds").join(target);
    let mut count = 0;
    for seed in fs::read_dir(&seeds).expect("the seeds are committed") {
        let data = fs::read(seed.expect("a seed").path()).expect("a seed");
        (0..=data.len()).filter_map(|end| data.get(..end)).for_each(body);
        count += 1;
    }
    assert!(count >= 8, "{count} seeds of {target}");
}

#[test]
fn msgpack() {
    check("msgpack", bodies::msgpack);
}

#[test]
fn json() {
    check("json", bodies::json);
}

#[test]
fn type_json() {
    check("type_json", bodies::type_json);
}
