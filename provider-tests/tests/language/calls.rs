//! Calls of the functions: each with good arguments, and with each argument replaced by interesting ones.

/// Name and good arguments, as `name | pool:argument | ...`. The pool says what else the argument is tried with.
const CALLS: &[&str] = &[
    "abs | n:-2.5",
    "alltrue | l:[true, \"true\"]",
    "anytrue | l:[false, \"true\"]",
    "base64decode | s:\"aMOpbGxv\"",
    "base64encode | s:\"h\u{e9}llo\"",
    "base64sha256 | s:\"hello\"",
    "base64sha512 | s:\"hello\"",
    "basename | s:\"a/b/c.txt\"",
    "can | v:tonumber(\"x\")",
    "ceil | n:1.2",
    "chomp | s:\"a\\r\\n\\n\"",
    "chunklist | l:[\"a\", \"b\", \"c\"] | n:2",
    "cidrhost | s:\"10.12.112.0/20\" | n:16",
    "cidrnetmask | s:\"172.16.0.0/12\"",
    "cidrsubnet | s:\"172.16.0.0/12\" | n:4 | n:2",
    "cidrsubnets | s:\"10.1.0.0/16\" | n:4 | n:4 | n:8",
    "coalesce | v:null | v:\"\" | v:\"b\"",
    "coalescelist | l:[] | l:[\"a\"]",
    "compact | l:[\"a\", \"\", null, \"b\"]",
    "concat | l:[\"a\"] | l:tolist([\"b\", \"c\"])",
    "contains | l:[\"a\", \"b\"] | v:\"a\"",
    "convert | v:[\"1\", 2] | t:list(number)",
    "csvdecode | s:\"a,b\\n1,2\\n3,\\\"x,y\\\"\\n\"",
    "dirname | s:\"a/b/c.txt\"",
    "distinct | l:[\"a\", \"b\", \"a\"]",
    "element | l:[\"a\", \"b\", \"c\"] | n:4",
    "endswith | s:\"hello\" | s:\"llo\"",
    "flatten | l:[[\"a\"], [], [[\"b\", 1]], \"c\"]",
    "floor | n:-1.2",
    "format | s:\"%s is %d\" | v:\"a\" | n:3",
    "formatdate | s:\"EEEE, DD-MMM-YY hh:mm:ss ZZZ 'at' H AA\" | s:\"2018-01-02T23:12:01Z\"",
    "formatlist | s:\"%s-%s\" | l:[\"a\", \"b\"] | v:\"c\"",
    "indent | n:2 | s:\"a\\nb\\n\"",
    "index | l:[\"a\", \"b\"] | v:\"b\"",
    "issensitive | v:sensitive(1)",
    "join | s:\"-\" | l:[\"a\", \"b\"]",
    "jsondecode | s:\"{\\\"a\\\": [1, null, 1e400, 0.1]}\"",
    "jsonencode | v:{ a = [1, null, \"<&>\"], b = true }",
    "keys | m:{ b = 1, a = 2 }",
    "length | v:[1, 2]",
    "log | n:16 | n:2",
    "lookup | m:{ a = \"x\" } | s:\"a\" | v:\"d\"",
    "lower | s:\"H\u{c9}LLO \u{130}\"",
    "matchkeys | l:[\"i1\", \"i2\"] | l:[\"a\", \"b\"] | l:[\"b\"]",
    "max | n:1 | n:12 | n:3",
    "md5 | s:\"hello\"",
    "merge | m:{ a = 1 } | m:{ a = \"x\", b = 2 }",
    "min | n:1 | n:12 | n:3",
    "nonsensitive | v:sensitive(\"a\")",
    "one | l:[\"a\"]",
    "parseint | s:\"ff\" | n:16",
    "pow | n:2 | n:10",
    "range | n:1 | n:4 | n:1",
    "regex | s:\"(\\\\d+)-(?:x)?(y)?\" | s:\"a 12-xy\"",
    "regexall | s:\"[a-z]+\" | s:\"ab 12 cd\"",
    "replace | s:\"hello world\" | s:\"/w.*d/\" | s:\"everybody\"",
    "reverse | l:[\"a\", 1]",
    "sensitive | v:1",
    "setintersection | l:[\"a\", \"b\"] | l:[\"b\", \"c\"]",
    "setproduct | l:[\"a\", \"b\"] | l:[1, 2]",
    "setsubtract | l:[\"a\", \"b\"] | l:[\"b\"]",
    "setunion | l:[\"a\", \"b\"] | l:[\"b\", \"c\"]",
    "sha1 | s:\"hello\"",
    "sha256 | s:\"hello\"",
    "sha512 | s:\"hello\"",
    "signum | n:-3",
    "slice | l:[\"a\", \"b\", \"c\"] | n:1 | n:2",
    "sort | l:[\"b\", \"a\", \"B\"]",
    "split | s:\",\" | s:\"a,b,\"",
    "startswith | s:\"hello\" | s:\"he\"",
    "strcontains | s:\"hello\" | s:\"ll\"",
    "strrev | s:\"h\u{e9}llo\"",
    "substr | s:\"hello world\" | n:1 | n:4",
    "sum | l:[10, \"13.5\", 6]",
    "templatestring | r:local.us | m:{ a = 1 }",
    "textdecodebase64 | s:\"aABpAA==\" | s:\"UTF-16LE\"",
    "textencodebase64 | s:\"hi\" | s:\"UTF-16LE\"",
    "timeadd | s:\"2017-11-22T00:00:00Z\" | s:\"-1h10m\"",
    "timecmp | s:\"2017-11-22T00:00:00Z\" | s:\"2017-11-22T01:00:00+01:00\"",
    "title | s:\"hello wide-world\"",
    "tobool | v:\"true\"",
    "tolist | v:[\"a\", 1]",
    "tomap | v:{ a = 1, b = \"x\" }",
    "tonumber | v:\"12.50\"",
    "toset | v:[\"b\", \"a\", \"b\"]",
    "tostring | v:12",
    "transpose | m:{ a = [\"1\", \"2\"], b = [\"2\"] }",
    "trim | s:\"?!hello?!\" | s:\"!?\"",
    "trimprefix | s:\"hello\" | s:\"he\"",
    "trimspace | s:\"  hello\\n\"",
    "trimsuffix | s:\"hello\" | s:\"lo\"",
    "try | v:tonumber(\"x\") | v:2",
    "upper | s:\"h\u{e9}llo stra\u{df}e\"",
    "urlencode | s:\"h\u{e9}llo w/orld~*\"",
    "uuid",
    "uuidv5 | s:\"dns\" | s:\"example.com\"",
    "values | m:{ b = 1, a = \"x\" }",
    "yamldecode | s:\"a: 1\\nb: [x, null, 0x10, 1.5]\"",
    "yamlencode | v:{ a = 1, b = [\"x\", { c = null }], d = {}, e = \"l1\\nl2\\n\" }",
    "zipmap | l:[\"a\", \"b\"] | l:[1, \"x\"]",
];

const STRINGS: &[&str] = &[
    "\"\"",
    "\"\u{e9}a\u{1F468}\u{200D}\u{1F469}\"",
    "12",
    "true",
    "null",
    "local.us",
    "[]",
    "\"(\"",
    "local.ud",
];
const NUMBERS: &[&str] =
    &["0", "-1", "2.5", "\"7\"", "\"x\"", "100000000000000000000", "null", "local.un", "local.ud", "[]"];
const LISTS: &[&str] = &[
    "[]",
    "[1, \"a\", true]",
    "[\"a\", null]",
    "tolist([])",
    "toset([\"b\", \"a\"])",
    "null",
    "{ a = 1 }",
    "\"a\"",
    "local.ul",
    "local.uset",
    "local.ud",
    "[local.us, \"a\"]",
    "[[1], {}]",
];
const MAPS: &[&str] = &[
    "{}",
    "{ a = 1, b = true }",
    "tomap({ a = \"x\" })",
    "tomap({})",
    "null",
    "[]",
    "\"a\"",
    "local.um",
    "local.uo",
    "local.ud",
    "{ a = local.us }",
];
const VALUES: &[&str] = &[
    "null",
    "\"\"",
    "\"a\"",
    "1",
    "true",
    "[]",
    "{}",
    "[1, \"a\"]",
    "tolist([1])",
    "toset([\"a\"])",
    "{ a = null }",
    "local.us",
    "local.un",
    "local.ul",
    "local.ud",
    "local.uo",
    "[local.us]",
    "[{}, []]",
];

/// The calls, and some with too few and too many arguments.
pub(crate) fn all() -> impl Iterator<Item = String> {
    CALLS.iter().flat_map(|call| of(call))
}

fn of(call: &str) -> Vec<String> {
    let mut parts = call.split(" | ");
    let name = parts.next().unwrap_or_default();
    let arguments: Vec<(&str, &str)> = parts.filter_map(|part| part.split_once(':')).collect();
    let written = |arguments: &[&str]| format!("{name}({})", arguments.join(", "));
    let good: Vec<&str> = arguments.iter().map(|(_, argument)| *argument).collect();
    let mut calls = vec![written(&good)];
    for (at, (pool, _)) in arguments.iter().enumerate() {
        let pool: &[&str] = match *pool {
            "s" => STRINGS,
            "n" => NUMBERS,
            "l" => LISTS,
            "m" => MAPS,
            "v" => VALUES,
            _ => &[],
        };
        for other in pool {
            let mut replaced = good.clone();
            replaced[at] = other;
            calls.push(written(&replaced));
        }
        calls.push(format!("issensitive({})", {
            let mut marked: Vec<String> = good.iter().map(ToString::to_string).collect();
            marked[at] = format!("sensitive({})", marked[at]);
            format!("{name}({})", marked.join(", "))
        }));
    }
    if let Some((_, fewer)) = good.split_last() {
        calls.push(written(fewer));
    }
    calls.push(written(&[good.as_slice(), &["null"]].concat()));
    // The second argument of one function is a type, and that of another a name: neither can be marked.
    calls.retain(|call| {
        !call.contains("sensitive(list(number))") && !call.contains("sensitive(local.us), { a = 1 }")
    });
    calls
}
