//! Separates "not found" from other errors of a service.

/// Separates a deleted object from a failed call.
///
/// Only the service's own "not found" means that the object was deleted, and core then plans to create it again. Any
/// other failure, such as a timeout or a rejected login, says nothing about the object: it must stay an error, which
/// keeps the state unchanged.
///
/// ```
/// use ferroform::resource::NotFoundExt;
///
/// /// An error of the client of a service.
/// #[derive(Debug, PartialEq)]
/// struct Status(u16);
///
/// /// The size of a disk, for `read`.
/// fn size(answer: Result<u32, Status>) -> Result<Option<u32>, Status> {
///     answer.none_if_not_found(|status| status.0 == 404)
/// }
///
/// assert_eq!(size(Ok(10)), Ok(Some(10)));
/// assert_eq!(size(Err(Status(404))), Ok(None));
/// assert_eq!(size(Err(Status(503))), Err(Status(503)));
/// ```
pub trait NotFoundExt<T, E> {
    /// Converts the "not found" error of the service to `None`, and keeps any other error.
    ///
    /// # Errors
    /// Every error except "not found".
    ///
    /// ```
    /// use ferroform::resource::NotFoundExt;
    ///
    /// #[derive(Debug, PartialEq)]
    /// struct Status(u16);
    ///
    /// let not_found = |status: &Status| status.0 == 404;
    /// assert_eq!(Err::<(), _>(Status(404)).none_if_not_found(not_found), Ok(None));
    /// assert_eq!(Err::<(), _>(Status(503)).none_if_not_found(not_found), Err(Status(503)));
    /// assert_eq!(Ok::<_, Status>("object").none_if_not_found(not_found), Ok(Some("object")));
    /// ```
    fn none_if_not_found(self, is_not_found: impl FnOnce(&E) -> bool) -> Result<Option<T>, E>;
}

impl<T, E> NotFoundExt<T, E> for Result<T, E> {
    fn none_if_not_found(self, is_not_found: impl FnOnce(&E) -> bool) -> Result<Option<T>, E> {
        match self {
            Ok(object) => Ok(Some(object)),
            Err(error) if is_not_found(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }
}
