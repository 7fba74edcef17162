//! The list resource `demo_file`.

use ferroform::value::Value;
use ferroform_testing::client::{IncludeObject, ListedObject, decode_config};

use crate::support::{Demo, on_both};

async fn list(demo: &Demo, prefix: &str, include: IncludeObject, limit: i64) -> Vec<ListedObject> {
    let schema = demo.provider.catalog().list_resource("demo_file").unwrap();
    let config = Value::object([("prefix", Value::string(prefix))]);
    let config = decode_config(&schema.block, &config).unwrap();
    let listing = demo.provider.list_resource("demo_file", &config, include, limit).await.unwrap();
    listing.all().await.unwrap()
}

#[test]
fn files_are_found_below_the_root_in_order() {
    on_both(async |demo| {
        for name in ["b", "a", "c"] {
            demo.write(name, "text");
        }
        std::fs::create_dir(demo.path("site")).unwrap();
        demo.write("site/page", "page");
        let names = async |prefix: &str, limit| {
            let found = list(&demo, prefix, IncludeObject::No, limit).await;
            found.into_iter().map(|it| (it.display_name, it.object.is_some())).collect::<Vec<_>>()
        };
        let all = ["a", "b", "c", "site/page"].map(|name| (name.to_owned(), false));
        assert_eq!(names("", 100).await, all);
        assert_eq!(names("", 2).await, all[..2]);
        assert_eq!(names("site/", 100).await, all[3..]);
        let found = list(&demo, "site/", IncludeObject::Yes, 100).await;
        let content = found[0].object.as_ref().unwrap().get(&ferroform::path!(content)).unwrap();
        assert_eq!(content.as_str(), Some("page"));
    });
}
