//! Decoding and encoding a value of 1 MB, against a generic msgpack reader on the same bytes.
//!
//! `cargo bench --bench codec` prints a table and appends a line of JSON for each measure to
//! `target/bench/results.jsonl`. The value is a list of objects, each with two strings, two numbers, two bools and a
//! map of three strings.
#![allow(clippy::print_stdout, reason = "a bench reports on standard output")]

use std::error::Error;
use std::hint::black_box;
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};
use std::{env, fs};

use ferroform::codec::json::UnknownAttributes;
use ferroform::codec::{json, msgpack};
use ferroform::ty::Type;
use ferroform::value::Value;

const RUNS: usize = 50;

/// How many times as long as the generic reader our codec may take.
const BOUND: f64 = 2.0;

fn main() -> Result<(), Box<dyn Error>> {
    let (ty, value) = sample()?;
    let bytes = msgpack::encode(&value, &ty)?;
    let text = json::encode(&value, &ty)?;
    let generic = rmpv::decode::read_value(&mut bytes.as_slice())?;

    let decode = median(|| msgpack::decode(black_box(&bytes), &ty));
    let encode = median(|| msgpack::encode(black_box(&value), &ty));
    let generic_decode = median(|| rmpv::decode::read_value(&mut black_box(bytes.as_slice())));
    let generic_encode = median(|| {
        let mut out = Vec::new();
        rmpv::encode::write_value(&mut out, black_box(&generic)).map(|()| out)
    });
    let json_decode = median(|| json::decode(black_box(&text), &ty, UnknownAttributes::Refuse));
    let json_encode = median(|| json::encode(black_box(&value), &ty));

    println!("value: {} bytes of msgpack, {} bytes of JSON; median of {RUNS}", bytes.len(), text.len());
    for (measure, time) in [
        ("msgpack decode", decode),
        ("msgpack decode, rmpv", generic_decode),
        ("msgpack encode", encode),
        ("msgpack encode, rmpv", generic_encode),
        ("json decode", json_decode),
        ("json encode", json_encode),
    ] {
        println!("{measure:24} {:9.3} ms", time.as_secs_f64() * 1e3);
    }
    let decode = decode.as_secs_f64() / generic_decode.as_secs_f64();
    let encode = encode.as_secs_f64() / generic_encode.as_secs_f64();
    record(&[("msgpack_decode_to_rmpv", decode), ("msgpack_encode_to_rmpv", encode)])
}

/// The type and the value that are measured.
fn sample() -> Result<(Type, Value), Box<dyn Error>> {
    let attributes = [
        ("enabled", Type::Bool),
        ("id", Type::String),
        ("labels", Type::map(Type::String)),
        ("name", Type::String),
        ("port", Type::Number),
        ("protected", Type::Bool),
        ("weight", Type::Number),
    ];
    let rule = |number: i32| -> Result<Value, Box<dyn Error>> {
        let labels = [("environment", "production"), ("owner", "platform-team"), ("tier", "backend")];
        Ok(Value::object([
            ("enabled", (number % 2 == 0).into()),
            ("id", format!("rule-{number:08}").into()),
            (
                "labels",
                Value::map(labels.map(|(key, label)| (key, format!("{label}-{}", number % 7).into()))),
            ),
            ("name", format!("allow traffic of service {number}").into()),
            ("port", (1024 + number % 60_000).into()),
            ("protected", (number % 3 == 0).into()),
            ("weight", Value::Number(ferroform::value::Number::from_f64(f64::from(number) / 8.0)?)),
        ]))
    };
    let rules = (0..5_650).map(rule).collect::<Result<Vec<_>, _>>()?;
    Ok((Type::list(Type::object(attributes)), Value::list(rules)))
}

/// The median time of a piece of work, without the time that dropping its result takes.
fn median<T, E>(work: impl Fn() -> Result<T, E>) -> Duration {
    let mut times: Vec<Duration> = (0..RUNS)
        .map(|_| {
            let start = Instant::now();
            let result = work();
            let time = start.elapsed();
            assert!(result.is_ok(), "the sample is valid");
            time
        })
        .collect();
    times.sort();
    times.get(RUNS / 2).copied().unwrap_or_default()
}

/// Prints each ratio with its bound and appends it to the results.
fn record(ratios: &[(&str, f64)]) -> Result<(), Box<dyn Error>> {
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../target"),
        |directory| Path::new(&directory).to_path_buf(),
    );
    fs::create_dir_all(target.join("bench"))?;
    let mut file = fs::File::options().create(true).append(true).open(target.join("bench/results.jsonl"))?;
    for (measure, value) in ratios {
        let holds = *value <= BOUND;
        println!("{measure:24} {value:9.3} x   at most {BOUND} x: {}", if holds { "holds" } else { "FAILS" });
        writeln!(
            file,
            r#"{{"measure":"{measure}","value":{value:.3},"unit":"x","bound":{BOUND},"holds":{holds}}}"#
        )?;
    }
    Ok(())
}
