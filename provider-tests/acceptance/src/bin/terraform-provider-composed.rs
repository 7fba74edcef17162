//! Notes of its own and the cards of the program that `COMPOSED_PROGRAM` names, served as one provider. With
//! `COMPOSED_ALONE` that program is all of it; with `COMPOSED_LISTS` the list of its cards is here.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use ferroform::compose::{Command, Composition, Part};
use ferroform::schema::Kind;
use ferroform::{Serve, provider};
use ferroform_acceptance::small::{CardList, Notes};

fn main() -> ExitCode {
    let program = std::env::var_os("COMPOSED_PROGRAM").unwrap_or_else(|| "terraform-provider-small".into());
    let limit = std::env::var("COMPOSED_START").ok().and_then(|limit| limit.parse().ok()).unwrap_or(20_000);
    let program = Command::new(program).start_timeout(Duration::from_millis(limit));
    let (mut program, mut composition) = (Part::foreign(program), Composition::new("acme/small"));
    if std::env::var_os("COMPOSED_LISTS").is_some() {
        program = program.without(Kind::ListResource, "small_card");
        composition = composition.with(Part::of(Serve::new(Arc::new(CardList::default()))));
    }
    let composition = match std::env::var_os("COMPOSED_ALONE") {
        Some(_) => composition.with(program),
        None => composition
            .with(Part::of(Serve::new(provider::assemble::<Notes>())))
            .with(program.without(Kind::Resource, "small_note")),
    };
    composition.run()
}
