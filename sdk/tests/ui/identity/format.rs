use ferroform::model::*;

#[derive(Identity)]
#[identity(format = "{first}{second}/{fourth}{first}")]
struct Thing {
    first: String,
    second: Option<String>,
    third: String,
}

#[derive(Identity)]
#[identity(format = "{first")]
struct Open {
    first: String,
}

#[derive(Identity)]
#[identity(format = "first")]
struct Plain {
    first: String,
}

fn main() {}
