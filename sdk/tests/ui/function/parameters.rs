use ferroform::function::Parameters;

#[ferroform::function]
fn variadic_first(#[param(variadic)] names: Vec<String>, last: String) -> String {
    names.concat() + &last
}

#[ferroform::function]
fn variadic_text(#[param(variadic)] names: String) -> String {
    names
}

#[ferroform::function]
fn same_name(a: String, #[param(name = "a")] b: String) -> String {
    a + &b
}

#[ferroform::function]
fn sensitive(#[param(sensitive)] a: String) -> String {
    a
}

#[ferroform::function]
fn deprecated_parameter(#[param(deprecated = "use `b`")] a: String) -> String {
    a
}

#[derive(Parameters)]
struct Generic<T> {
    value: T,
}

#[derive(Parameters)]
enum Choice {
    One,
}

#[derive(Parameters)]
struct Tuple(String);

#[derive(Parameters)]
#[function(name = "other")]
struct Named {
    value: String,
}

fn main() {}
