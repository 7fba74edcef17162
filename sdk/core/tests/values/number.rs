use std::collections::HashSet;

use ferroform::value::{Number, NumberError, Value};

fn number(text: &str) -> Number {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn float(number: f64) -> Number {
    Number::from_f64(number).expect("finite")
}

#[test]
fn text_is_plain_decimal() {
    for (text, plain) in [
        ("0", "0"),
        ("-0", "0"),
        ("-0.0e5", "0"),
        ("+5", "5"),
        ("007", "7"),
        ("1.50", "1.5"),
        (".5", "0.5"),
        ("5.", "5"),
        ("1e3", "1000"),
        ("1E-5", "0.00001"),
        ("12.5e1", "125"),
        ("-123456789012345678901234567890", "-123456789012345678901234567890"),
        ("9223372036854775808", "9223372036854775808"),
        ("0.1", "0.1"),
        ("100.001e-2", "1.00001"),
    ] {
        assert_eq!(number(text).to_string(), plain, "{text}");
        assert_eq!(number(plain), number(text), "{text}");
    }
    assert_eq!(float(1e21).to_string(), "1000000000000000000000");
    assert_eq!(float(-0.0).to_string(), "0");
}

#[test]
fn what_is_no_number_is_refused() {
    for text in [
        "", " ", "-", ".", "e5", "1e", "1e+", "0x10", "1_000", "Inf", "NaN", "1,5", "1.2.3", "--1", "1 ", "١",
    ] {
        assert_eq!(text.parse::<Number>(), Err(NumberError::Syntax), "{text:?}");
    }
    let too_long = ["1e999999999", "-1e99999999999999999999", "1e-999999999", "1e-9223372036854775808"];
    for text in too_long.into_iter().chain([&*"1".repeat(1025)]) {
        assert_eq!(text.parse::<Number>(), Err(NumberError::TooLong), "{text:.20}");
    }
    assert_eq!(number("0e999999999").to_string(), "0");
    for not_finite in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert_eq!(Number::from_f64(not_finite), Err(NumberError::NotFinite));
    }
    for finite in [f64::MAX, f64::MIN_POSITIVE, 5e-324] {
        assert_eq!(number(&float(finite).to_string()).to_f64(), finite, "every float is within the limit");
    }
}

#[test]
fn long_numbers_round_as_in_core() {
    let vectors = include_str!("rounding.tsv").lines().filter(|line| !line.starts_with('#'));
    let mut count = 0;
    for (text, rounded) in vectors.filter_map(|line| line.split_once('\t')) {
        assert_eq!(number(text).to_string(), rounded, "{text}");
        count += 1;
    }
    assert_eq!(count, 36);
}

#[test]
fn comparison_is_that_of_core() {
    let equal = [
        (float(0.1), number("0.1")),
        (float(5.0), number("5")),
        (float(2_f64.powi(63)), number("9223372036854775808")),
        (float(1e22), number("1e22")),
        (Number::from(u64::MAX), number("18446744073709551615")),
        (Number::from(i128::MIN), number("-170141183460469231731687303715884105728")),
        (float(-0.0), Number::from(0)),
    ];
    for (a, b) in equal {
        assert_eq!(a, b);
        assert_eq!(HashSet::from([a, b]).len(), 1, "equal numbers hash alike");
    }
    assert_ne!(float(1e23), number("1e23"), "an integer compares by its exact value");
    assert_ne!(float(0.1), number("0.10000000000000000001"));
    let ascending = [
        number("-1e300"),
        float(-1e23),
        Number::from(i64::MIN),
        number("-0.2"),
        float(-0.1),
        Number::from(0),
        number("1e-300"),
        float(0.1),
        number("0.10000000000000000001"),
        Number::from(1),
        number("1.5"),
        number("12"),
        number("123"),
        Number::from(i64::MAX),
        Number::from(u64::MAX),
        number("18446744073709551616"),
        float(1e23),
        number("1e23"),
        float(f64::MAX),
    ];
    for (at, a) in ascending.iter().enumerate() {
        for (bt, b) in ascending.iter().enumerate() {
            assert_eq!(a.cmp(b), at.cmp(&bt), "{a} {b}");
        }
    }
}

#[test]
fn accessors_are_exact_or_none() {
    assert_eq!(number("9223372036854775808").to_i64(), None);
    assert_eq!(number("9223372036854775808").to_u64(), Some(1 << 63));
    assert_eq!(number("-1").to_u64(), None);
    assert_eq!(float(3.0).to_i64(), Some(3));
    assert_eq!(float(3.5).to_i128(), None);
    assert_eq!(float(1e300).to_i128(), None);
    assert_eq!(number("1e38").to_i128(), Some(10_i128.pow(38)));
    assert_eq!(number("1e39").to_i128(), None);
    assert!(number("1e39").is_integer() && !number("1e-1").is_integer());
    assert_eq!(number("0.1").to_f64_exact(), Some(0.1));
    assert_eq!(number("1e23").to_f64_exact(), None);
    assert_eq!(number("1e23").to_f64().to_bits(), 1e23_f64.to_bits());
    assert_eq!(number("1e1000").to_f64_exact(), None);
}

#[test]
fn integers_of_all_sizes_are_numbers() {
    for (number, expect) in [
        (Value::from(i8::MIN), "-128"),
        (Value::from(i16::MIN), "-32768"),
        (Value::from(i32::MIN), "-2147483648"),
        (Value::from(i64::MIN), "-9223372036854775808"),
        (Value::from(u8::MAX), "255"),
        (Value::from(u16::MAX), "65535"),
        (Value::from(u32::MAX), "4294967295"),
        (Value::from(u64::MAX), "18446744073709551615"),
    ] {
        let Value::Number(number) = number else { panic!("{expect} is a number") };
        assert_eq!(number.to_string(), expect);
    }
}
