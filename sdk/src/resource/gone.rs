//! Objects that are gone.

/// Tells an object that is gone from a call that failed.
///
/// Only the service's own "not found" means gone, and then core plans to create the object anew. Any other failure, a
/// timeout or a refused login, says nothing about the object: it must stay an error, which leaves the state as it is.
pub trait OrGone<T, E> {
    /// `None` for the error by which the service says that there is no such object; any other error stays one.
    ///
    /// # Errors
    /// Those that do not mean gone.
    ///
    /// ```
    /// use ferroform::resource::OrGone;
    ///
    /// #[derive(Debug, PartialEq)]
    /// struct Status(u16);
    ///
    /// let not_found = |status: &Status| status.0 == 404;
    /// assert_eq!(Err::<(), _>(Status(404)).or_gone(not_found), Ok(None));
    /// assert_eq!(Err::<(), _>(Status(503)).or_gone(not_found), Err(Status(503)));
    /// assert_eq!(Ok::<_, Status>("object").or_gone(not_found), Ok(Some("object")));
    /// ```
    fn or_gone(self, is_not_found: impl FnOnce(&E) -> bool) -> Result<Option<T>, E>;
}

impl<T, E> OrGone<T, E> for Result<T, E> {
    fn or_gone(self, is_not_found: impl FnOnce(&E) -> bool) -> Result<Option<T>, E> {
        match self {
            Ok(object) => Ok(Some(object)),
            Err(error) if is_not_found(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }
}
