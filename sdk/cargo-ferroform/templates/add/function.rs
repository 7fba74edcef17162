//! `provider::@NAME@::@ITEM@`: a function.

/// Describe here what it makes of its arguments.
#[ferroform::function]
pub fn @ITEM@(
    /// The text.
    text: String,
) -> String {
    text.trim().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::@ITEM@;

    #[test]
    fn @ITEM@_is_computed() {
        assert_eq!(@ITEM@(" Hello ".to_owned()), "hello");
    }
}
