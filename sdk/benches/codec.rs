//! Decoding and encoding a value of 1 MB, against a generic msgpack reader on the same bytes.
//!
//! `cargo bench -p ferroform --bench codec`; `docs/contributing/benchmarks.md` says what each measure means. The value is a list of
//! objects, each with two strings, two numbers, two bools and a map of three strings.
#![allow(clippy::print_stdout, reason = "a bench reports on standard output")]

mod report;

use std::error::Error;
use std::hint::black_box;
use std::time::Instant;

use ferroform::ty::Type;
use ferroform::value::Value;
use ferroform_core::codec::json::UnknownAttributes;
use ferroform_core::codec::{json, msgpack};
use report::{Report, median};

const RUNS: usize = 50;

/// How many times as long as the generic reader our codec may take.
const BOUND: f64 = 2.0;

fn main() -> Result<(), Box<dyn Error>> {
    let mut report = Report::default();
    report.part(measure)?;
    Ok(report.finish()?)
}

fn measure(report: &mut Report) -> Result<(), Box<dyn Error>> {
    let (ty, value) = sample()?;
    let bytes = msgpack::encode(&value, &ty)?;
    let text = json::encode(&value, &ty)?;
    let generic = rmpv::decode::read_value(&mut bytes.as_slice())?;

    let decode = time(|| msgpack::decode(black_box(&bytes), &ty));
    let encode = time(|| msgpack::encode(black_box(&value), &ty));
    let generic_decode = time(|| rmpv::decode::read_value(&mut black_box(bytes.as_slice())));
    let generic_encode = time(|| {
        let mut out = Vec::new();
        rmpv::encode::write_value(&mut out, black_box(&generic)).map(|()| out)
    });
    let json_decode = time(|| json::decode(black_box(&text), &ty, UnknownAttributes::Refuse));
    let json_encode = time(|| json::encode(black_box(&value), &ty));

    println!("value: {} bytes of msgpack, {} bytes of JSON; median of {RUNS}", bytes.len(), text.len());
    report.add("msgpack_decode_to_rmpv", decode / generic_decode, "x").at_most(BOUND);
    report.add("msgpack_encode_to_rmpv", encode / generic_encode, "x").at_most(BOUND);
    report.add("msgpack_decode", decode, "ms");
    report.add("msgpack_decode_rmpv", generic_decode, "ms");
    report.add("msgpack_encode", encode, "ms");
    report.add("msgpack_encode_rmpv", generic_encode, "ms");
    report.add("json_decode", json_decode, "ms");
    report.add("json_encode", json_encode, "ms");
    Ok(())
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

/// The median time of a piece of work in milliseconds, without the time that dropping its result takes.
fn time<T, E>(work: impl Fn() -> Result<T, E>) -> f64 {
    let times = (0..RUNS).map(|_| {
        let start = Instant::now();
        let result = work();
        let time = start.elapsed();
        assert!(result.is_ok(), "the sample is valid");
        time.as_secs_f64() * 1e3
    });
    median(times.collect())
}
