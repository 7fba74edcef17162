//! Expressions out of a number: of a type by construction, but for a few parts that have another one.

use crate::generated::{Expr, Piece, Random};

/// The type that an expression is meant to have. An object stands for all objects, and so does a tuple.
#[derive(Debug, Clone, PartialEq)]
enum Ty {
    Number,
    String,
    Bool,
    List(Box<Self>),
    Set(Box<Self>),
    Map(Box<Self>),
    Object,
    Tuple,
    /// In a template, the type that is the same wherever it stands.
    Same,
    /// In a template, any type.
    Any,
}

/// What makes a value of a type. The parts between backticks are expressions of these types.
const TEMPLATES: &[(&str, &[&str])] = &[
    (
        "number",
        &[
            "`number` + `number`",
            "(`number` - `number`)",
            "`number` * `number`",
            "(`number` / `number`)",
            "(`number` % `number`)",
            "-(`number`)",
            "abs(`number`)",
            "ceil(`number`)",
            "floor(`number`)",
            "signum(`number`)",
            "max(`number`, `number`)",
            "min(`number`, `number`)",
            "max(`list(number)`...)",
            "pow(`number`, 2)",
            "log(`number`, 10)",
            "parseint(`string`, 16)",
            "length(`list(any)`)",
            "length(`set(any)`)",
            "length(`map(any)`)",
            "length(`string`)",
            "length(`any`)",
            "sum(`list(number)`)",
            "sum(`set(number)`)",
            "index(`list(number)`, `number`)",
            "tonumber(`string`)",
            "timecmp(`string`, \"2020-01-01T00:00:00Z\")",
            "`object`.a",
            "`tuple`[0]",
        ],
    ),
    (
        "string",
        &[
            "\"${`any`}\"",
            "\"${`string`}-${`number`}\"",
            "\"x${`string`}\"",
            "\"%{ if `bool` }${`string`}%{ else }n%{ endif }\"",
            "\"%{ for it in `list(any)` }${it},%{ endfor }\"",
            "\"%{ for k, v in `map(string)` ~} ${k}=${v} %{~ endfor }\"",
            "upper(`string`)",
            "lower(`string`)",
            "title(`string`)",
            "trim(`string`, `string`)",
            "trimprefix(`string`, `string`)",
            "trimsuffix(`string`, `string`)",
            "trimspace(`string`)",
            "chomp(`string`)",
            "indent(2, `string`)",
            "strrev(`string`)",
            "substr(`string`, `number`, `number`)",
            "replace(`string`, `string`, `string`)",
            "replace(`string`, \"/[a-m]+/\", `string`)",
            "join(`string`, `list(string)`)",
            "join(\"-\", `set(string)`, `list(string)`)",
            "format(\"%s|%v\", `string`, `any`)",
            "format(\"%05d/%q\", `number`, `string`)",
            "format(\"%#v %T\", `any`, 1)",
            "format(`string`, `any`)",
            "jsonencode(`any`)",
            "yamlencode(`any`)",
            "base64encode(`string`)",
            "base64decode(`string`)",
            "textencodebase64(`string`, \"UTF-8\")",
            "urlencode(`string`)",
            "md5(`string`)",
            "sha1(`string`)",
            "base64sha256(`string`)",
            "sha512(`string`)",
            "uuidv5(\"dns\", `string`)",
            "regex(\"[a-z]+\", `string`)",
            "tostring(`number`)",
            "tostring(`bool`)",
            "cidrhost(\"10.0.0.0/8\", `number`)",
            "cidrsubnet(\"10.0.0.0/8\", 8, `number`)",
            "cidrnetmask(\"172.16.0.0/12\")",
            "timeadd(\"2020-01-01T00:00:00Z\", \"${`number`}h\")",
            "formatdate(\"YYYY-MM-DD\", \"2020-01-01T00:00:00Z\")",
            "basename(`string`)",
            "dirname(`string`)",
            "provider::terraform::encode_expr(`any`)",
            "templatestring(local.us, { a = `any` })",
            "`object`.b",
            "`tuple`[1]",
        ],
    ),
    (
        "bool",
        &[
            "`same` == `same`",
            "(`same` != `same`)",
            "`any` == `any`",
            "`any` == null",
            "(`any` != null)",
            "`number` > `number`",
            "(`number` <= `number`)",
            "!(`bool`)",
            "(`bool` && `bool`)",
            "(`bool` || `bool`)",
            "contains(`list(same)`, `same`)",
            "contains(`set(same)`, `same`)",
            "contains(`list(any)`, `any`)",
            "alltrue(`list(bool)`)",
            "anytrue(`list(bool)`)",
            "can(`any`)",
            "issensitive(`any`)",
            "startswith(`string`, `string`)",
            "endswith(`string`, `string`)",
            "strcontains(`string`, `string`)",
            "tobool(`string`)",
            "`object`.c",
        ],
    ),
    (
        "list(same)",
        &[
            "[`same`, `same`]",
            "[`same`]",
            "tolist([`same`, `same`])",
            "tolist(`set(same)`)",
            "concat(`list(same)`, `list(same)`)",
            "reverse(`list(same)`)",
            "slice(`list(same)`, 0, 1)",
            "slice(`list(same)`, `number`, `number`)",
            "distinct(`list(same)`)",
            "values(`map(same)`)",
            "flatten([`list(same)`, `same`])",
            "flatten(`any`)",
            "coalescelist(`list(same)`, `list(same)`)",
            "element(`list(list(same))`, `number`)",
            "matchkeys(`list(same)`, `list(string)`, `list(string)`)",
            "`list(same)`[*]",
            "`same`[*]",
            "[for it in `list(same)` : it]",
            "[for it in `set(same)` : it if it != `same`]",
            "[for i, it in `list(same)` : it if i < `number`]",
            "[for k, v in `map(same)` : v]",
            "[{ a = `same` }, { a = `same` }][*].a",
            "tolist([{ a = `same` }])[*][\"a\"]",
            "setproduct(`list(same)`, `list(same)`)",
            "convert(`list(same)`, list(any))",
        ],
    ),
    (
        "list(string)",
        &[
            "split(`string`, `string`)",
            "sort(`list(string)`)",
            "sort(`set(string)`)",
            "compact(`list(string)`)",
            "keys(`map(any)`)",
            "keys(`object`)",
            "formatlist(\"%s-%s\", `list(string)`, `string`)",
            "regexall(\"[a-z]\", `string`)",
            "convert(`list(any)`, list(string))",
            "cidrsubnets(\"10.0.0.0/8\", 4, `number`)",
        ],
    ),
    ("list(number)", &["range(`number`)", "range(`number`, `number`)", "range(0, `number`, 2)"]),
    ("list(list(same))", &["chunklist(`list(same)`, 2)", "chunklist(`list(same)`, `number`)"]),
    (
        "set(same)",
        &[
            "toset(`list(same)`)",
            "setunion(`set(same)`, `set(same)`)",
            "setintersection(`set(same)`, `set(same)`)",
            "setsubtract(`set(same)`, `set(same)`)",
            "setproduct(`set(same)`, `set(any)`)",
            "convert(`list(same)`, set(any))",
        ],
    ),
    ("set(string)", &["convert(`list(any)`, set(string))", "toset(keys(`map(any)`))"]),
    (
        "map(same)",
        &[
            "{ a = `same`, b = `same` }",
            "tomap({ a = `same` })",
            "tomap({ (`string`) = `same`, c = `same` })",
            "merge(`map(same)`, `map(same)`)",
            "merge(`map(same)`, { a = `same` }, null)",
            "zipmap(`list(string)`, `list(same)`)",
            "zipmap([\"a\", \"b\"], `list(same)`)",
            "{ for k, v in `map(same)` : k => v }",
            "{ for k, v in `map(same)` : v => k... }",
            "{ for it in `set(string)` : it => `same` }",
            "{ for i, it in `list(same)` : \"k${i}\" => it }",
            "convert(`map(same)`, map(any))",
        ],
    ),
    (
        "map(list(string))",
        &["transpose(`map(list(string))`)", "{ for it in `list(string)` : \"k\" => it... }"],
    ),
    (
        "object",
        &[
            "{ a = `number`, b = `string`, c = `bool` }",
            "{ a = `any`, b = `any`, c = `any` }",
            "{ a = `number`, b = `string`, c = `list(any)` }",
            "merge(`object`, { b = `string` })",
            "merge(`object`, `object`)",
            "merge(`object`, `map(any)`)",
            "convert(`object`, object({ a = number, b = string, c = optional(bool, true) }))",
            "convert({ a = `any` }, object({ a = string, b = optional(string, \"d\"), c = optional(bool) }))",
            "jsondecode(jsonencode(`object`))",
            "yamldecode(yamlencode(`object`))",
            "zipmap([\"a\", \"b\", \"c\"], `tuple`)",
        ],
    ),
    (
        "tuple",
        &[
            "[`number`, `string`, `bool`]",
            "[`any`, `any`, `any`]",
            "concat([`number`], [`any`, `bool`])",
            "reverse(`tuple`)",
            "convert(`tuple`, tuple([number, string, any]))",
            "jsondecode(jsonencode(`tuple`))",
            "[for it in `tuple` : it]",
            "values(`object`)",
            "flatten(`tuple`)",
            "slice(`tuple`, 0, 2)",
            "setproduct(`tuple`, `tuple`)",
        ],
    ),
    (
        "same",
        &[
            "(`bool` ? `same` : `same`)",
            "(`bool` ? `same` : null)",
            "(`bool` ? `same` : `any`)",
            "try(`same`, `same`)",
            "try(`any`.a, `same`)",
            "coalesce(`same`, `same`)",
            "one([`same`])",
            "one(`set(same)`)",
            "one(`same`[*])",
            "`list(same)`[0]",
            "`list(same)`[`number`]",
            "`map(same)`[\"a\"]",
            "`map(same)`[`string`]",
            "`map(same)`.a",
            "lookup(`map(same)`, \"a\", `same`)",
            "lookup(`map(same)`, `string`, `same`)",
            "lookup(`object`, \"a\", `same`)",
            "element(`list(same)`, `number`)",
            "element([`same`, `any`], `number`)",
            "[`same`][0]",
            "{ a = `same` }.a",
            "[for it in [`same`] : it][0]",
            "jsondecode(jsonencode(`same`))",
            "yamldecode(yamlencode(`same`))",
            "sensitive(`same`)",
            "nonsensitive(sensitive(`same`))",
            "nonsensitive(`same`)",
            "ephemeralasnull(`same`)",
            "convert(`same`, any)",
            "(`same`)",
        ],
    ),
];

/// What a template makes of a type.
enum Made {
    /// The type, where the types of some arguments are that one.
    With(Ty),
    /// The type, whatever the arguments share.
    WithAny,
    /// Another type.
    No,
}

impl Ty {
    /// Reads `list(string)` and the like.
    fn read(text: &str) -> Self {
        match text.strip_suffix(')').and_then(|text| text.split_once('(')) {
            Some(("list", inner)) => Self::List(Box::new(Self::read(inner))),
            Some(("set", inner)) => Self::Set(Box::new(Self::read(inner))),
            Some((_, inner)) => Self::Map(Box::new(Self::read(inner))),
            None => match text {
                "number" => Self::Number,
                "string" => Self::String,
                "bool" => Self::Bool,
                "object" => Self::Object,
                "tuple" => Self::Tuple,
                "same" => Self::Same,
                _ => Self::Any,
            },
        }
    }

    /// Whether a template of this type makes the given one, and what `same` is then, if the type says it.
    fn makes(&self, ty: &Self) -> Made {
        match (self, ty) {
            (Self::Same, ty) => Made::With(ty.clone()),
            (Self::List(own), Self::List(ty))
            | (Self::Set(own), Self::Set(ty))
            | (Self::Map(own), Self::Map(ty)) => own.makes(ty),
            (own, ty) if own == ty => Made::WithAny,
            _ => Made::No,
        }
    }

    /// Literals and unknowns.
    fn leaves(&self) -> &'static [&'static str] {
        match self {
            Self::Number => &["0", "1", "2", "-1", "1.5", "3", "10", "\"4\"", "1e3", "local.un"],
            Self::String => &[
                "\"\"",
                "\"a\"",
                "\"b\"",
                "\"a b\"",
                "\"true\"",
                "\"7\"",
                "\"A\u{e9}\"",
                "\"x\\ny\"",
                "\"\\\"<&>\"",
                "local.us",
            ],
            Self::Bool => &["true", "false", "\"true\"", "local.ub"],
            Self::List(_) => &["[]", "tolist([])", "[null]", "local.ul"],
            Self::Set(_) => &["toset([])", "toset([null])", "local.uset"],
            Self::Map(_) => &["{}", "tomap({})", "{ a = null }", "local.um"],
            Self::Object => {
                &["{ a = 1, b = \"x\", c = true }", "{ a = null, b = \"y\", c = [] }", "local.uo"]
            }
            Self::Tuple => &["[1, \"x\", true]", "[null, \"y\", {}]", "[1, local.us, [2]]"],
            Self::Same | Self::Any => &["null", "local.ud"],
        }
    }
}

/// The expression of a number.
pub(crate) fn expression(seed: u64) -> Expr {
    let mut random = Random(seed);
    random.next();
    let ty = any(&mut random, 2);
    expr(&mut random, &ty, 4)
}

fn any(random: &mut Random, depth: usize) -> Ty {
    let kinds = if depth == 0 { 3 } else { 8 };
    let inner = |random: &mut Random| Box::new(any(random, depth.saturating_sub(1)));
    match random.below(kinds) {
        0 => Ty::Number,
        1 => Ty::String,
        2 => Ty::Bool,
        3 => Ty::List(inner(random)),
        4 => Ty::Set(inner(random)),
        5 => Ty::Map(inner(random)),
        6 => Ty::Object,
        _ => Ty::Tuple,
    }
}

fn expr(random: &mut Random, ty: &Ty, depth: usize) -> Expr {
    let other = random.one_in(30).then(|| any(random, 1));
    let ty = other.as_ref().unwrap_or(ty);
    if random.one_in(30) {
        return Expr::text("null");
    }
    if depth == 0 || random.one_in(3) {
        return leaf(random, ty);
    }
    let mut fitting = Vec::new();
    for (result, templates) in TEMPLATES {
        let same = match Ty::read(result).makes(ty) {
            Made::With(same) => Some(same),
            Made::WithAny => None,
            Made::No => continue,
        };
        fitting.extend(templates.iter().map(|template| (*template, same.clone())));
    }
    let (template, same) = random.pick(&fitting).clone();
    // A type that only the arguments share is any.
    let same = same.unwrap_or_else(|| any(random, 1));
    fill(random, template, &same, depth - 1)
}

fn fill(random: &mut Random, template: &str, same: &Ty, depth: usize) -> Expr {
    let mut pieces = Vec::new();
    for (at, part) in template.split('`').enumerate() {
        if at % 2 == 0 {
            pieces.push(Piece::Text(part.to_owned()));
            continue;
        }
        let ty = bound(random, &Ty::read(part), same);
        pieces.push(Piece::Inner(expr(random, &ty, depth)));
    }
    Expr(pieces)
}

fn bound(random: &mut Random, ty: &Ty, same: &Ty) -> Ty {
    match ty {
        Ty::Same => same.clone(),
        Ty::Any => any(random, 1),
        Ty::List(inner) => Ty::List(Box::new(bound(random, inner, same))),
        Ty::Set(inner) => Ty::Set(Box::new(bound(random, inner, same))),
        Ty::Map(inner) => Ty::Map(Box::new(bound(random, inner, same))),
        ty => ty.clone(),
    }
}

fn leaf(random: &mut Random, ty: &Ty) -> Expr {
    let template = match ty {
        Ty::List(_) if !random.one_in(4) => *random.pick(&["[`same`, `same`]", "tolist([`same`])"]),
        Ty::Set(_) if !random.one_in(4) => "toset([`same`, `same`])",
        Ty::Map(_) if !random.one_in(4) => {
            *random.pick(&["{ a = `same`, b = `same` }", "tomap({ a = `same` })"])
        }
        ty => return Expr::text(*random.pick(ty.leaves())),
    };
    let (Ty::List(inner) | Ty::Set(inner) | Ty::Map(inner)) = ty else { return Expr::text("null") };
    fill(random, template, inner, 0)
}
