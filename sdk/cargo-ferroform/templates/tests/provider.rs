//! How the provider is put together.

use @CRATE@::@CAMEL@;

#[test]
fn schemas_are_sound() {
    ferroform::testing::check::<@CAMEL@>();
}

#[test]
fn no_shape_changes_without_a_version() {
    ferroform::testing::check_shapes::<@CAMEL@>("tests/shapes");
}
