//! The life of a book, on the embedded core and on every real core that is there.

mod library;

use std::process::ExitCode;

use ferroform_testing::config::{ResourceBlock, list, object as members};
use ferroform_testing::prelude::*;
use ferroform_testing::secrets::Secrets;

use library::Library;
use shelf::Shelf;

fn case(name: &str) -> Case<Library> {
    Case::with_backend(name, |_| Library::start())
        .provider(Provider::of::<Shelf>("example/shelf"))
        .provider_config(|library| provider("shelf").set("endpoint", library.endpoint()).set("token", "t0p"))
        .expect_no_leftovers(|library| library.books().keys().cloned().collect::<Vec<_>>())
}

fn book(title: &str) -> ResourceBlock {
    resource("shelf_book", "it").set("title", title).set("authors", list([members([("name", "Ada")])]))
}

fn with(book: ResourceBlock) -> Config {
    Config::new().resource(book)
}

fn lifecycle() -> Case<Library> {
    case("lifecycle")
        .step(
            Step::apply(with(book("Notes")))
                .named("create")
                .plan(change("shelf_book.it").action(Action::Create).after(path!(id), is::unknown()))
                .state(object("shelf_book.it").has(path!(authors[0].role), "author"))
                .state(object("shelf_book.it").has(path!(room), "reading room")),
        )
        .step(
            Step::apply(with(book("More notes")))
                .named("change the title")
                .plan(change("shelf_book.it").action(Action::Update).before(path!(title), "Notes")),
        )
}

fn deleted_elsewhere() -> Case<Library> {
    case("deleted elsewhere")
        .step(Step::apply(with(book("Notes"))))
        .step(Step::change_outside(|library: &Library| library.books().clear()))
        .step(Step::apply(with(book("Notes"))).plan(change("shelf_book.it").action(Action::Create)))
}

fn imported() -> Case<Library> {
    let import = Step::import_id(with(book("Notes")), "shelf_book.it", "b-1");
    case("imported").step(Step::apply(with(book("Notes")))).step(import)
}

fn secret() -> Case<Library> {
    let secrets = Secrets::new().write_only("c0de-canary");
    let lent = book("Notes").set("access_code", "c0de-canary").set("access_code_version", 1);
    case("secret").step(Step::apply(with(lent)).check(move |outcome: &StepOutcome<'_, Library>| {
        secrets.check(outcome);
        assert_eq!(outcome.run.backend.books()["b-1"]["access_code"], "c0de-canary");
    }))
}

fn data_source() -> Case<Library> {
    let tagged = book("Notes").set("tags", list(["maths"]));
    let found = data("shelf_books", "maths").set("tag", "maths").depends_on("shelf_book.it");
    let config = with(tagged).data(found).output("title", reference("data.shelf_books.maths.books[0].title"));
    case("data source").step(Step::apply(config).state(value("title", "Notes")))
}

fn mistakes() -> Case<Library> {
    let nobody = resource("shelf_book", "it").set("title", "Notes").set("authors", list::<String>([]));
    case("mistakes")
        .step(Step::apply(with(nobody)).expect(error("Invalid Attribute Value").at(path!(authors))))
        .step(
            Step::apply(with(book("Notes").set("access_code", "c0de")))
                .expect(error("Invalid Attribute Combination").about("shelf_book.it")),
        )
}

fn main() -> ExitCode {
    [lifecycle(), deleted_elsewhere(), imported(), secret(), data_source(), mistakes()]
        .into_iter()
        .fold(Suite::new(), Suite::case)
        .main()
}
