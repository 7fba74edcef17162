//! Records in private data, each with its version.

use crate::diag::{Error, Result};
use crate::ephemeral_resource::EphemeralResource;
use crate::private::Private;
use crate::resource::RawJson;

const RECORD: &str = ".record";
const VERSION: &str = ".record_version";

/// The private data that holds a record.
///
/// # Errors
/// The record has no JSON form.
pub(super) fn write<E: EphemeralResource>(recorded: &E::Private) -> Result<Private> {
    let json = serde_json::to_string(recorded).map_err(|error| {
        Error::new(
            "Private Data Not Storable",
            format!(
                "The record of the ephemeral resource `{}` has no JSON form: {error}. This is a bug in the provider.",
                E::NAME
            ),
        )
    })?;
    let mut private = Private::default();
    private.reserve(RECORD, json);
    private.reserve(VERSION, E::PRIVATE_VERSION.to_string());
    Ok(private)
}

/// The record in private data.
///
/// # Errors
/// There is none, a newer release wrote it, or it has another form.
pub(super) fn read<E: EphemeralResource>(mut private: Private) -> Result<E::Private> {
    let version = private.take_reserved(VERSION).and_then(|version| version.parse::<i64>().ok());
    let (Some(version), Some(json)) = (version, private.take_reserved(RECORD)) else {
        return Err(Error::new(
            "Missing Private Data",
            format!(
                "The private data of the ephemeral resource `{}` holds no record that this release of the provider can \
                 read, so its object stays as it is. Look for it in the service.",
                E::NAME
            ),
        ));
    };
    let recorded = RawJson::new(json);
    match version {
        version if version == E::PRIVATE_VERSION => recorded.parse().map_err(|_| unreadable(version)),
        version if version < E::PRIVATE_VERSION => E::upgrade_private(version, recorded),
        version => Err(Error::new(
            "Private Data Of A Newer Release",
            format!(
                "The record of the ephemeral resource `{}` has the version {version}, and this release of the provider \
                 reads versions up to {}. Use the release that opened the object.",
                E::NAME,
                E::PRIVATE_VERSION
            ),
        )),
    }
}

/// The error of a record that has another form than its version says.
pub(super) fn unreadable(version: i64) -> Error {
    Error::new(
        "Unreadable Private Data",
        format!(
            "The record of an ephemeral resource has another form than version {version} of it. This is a bug in the \
             provider: raise `PRIVATE_VERSION` with each change of the form, and read the older ones in \
             `upgrade_private`."
        ),
    )
}
