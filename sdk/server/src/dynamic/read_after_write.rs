//! Whether an object is read after it was written.

use std::time::Duration;

/// Whether `create` and `update` are followed by a `read` of the same object.
///
/// ```
/// use std::time::Duration;
///
/// use ferroform::resource::ReadAfterWrite;
///
/// // In an `impl Resource`, for a service that shows a write within seconds:
/// const READ_AFTER_WRITE: ReadAfterWrite = ReadAfterWrite::Within(Duration::from_secs(60));
/// # let _ = READ_AFTER_WRITE;
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReadAfterWrite {
    /// One read, without waiting. The state keeps what `create` or `update` returned if the service does not show the
    /// object yet, or if the read hangs for a minute; the log reports that.
    Once,
    /// Reads with growing pauses, for at most this time, for a service that shows a write late. Reading goes on only
    /// while the object is not visible, a planned change still shows its prior value, or values change from one read to
    /// the next; the log reports which. When the time is up and the object is not visible, the call fails and the object
    /// stays in the state. A read that hangs ends some seconds later, or after the user has asked to stop.
    Within(Duration),
    /// No read: `create` and `update` return what the service has.
    Off,
}
