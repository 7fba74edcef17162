//! The errors of upgrades of stored states and identities.

use crate::codec::CodecError;
use crate::diag::Error;

/// Makes the errors for a stored state or identity of some version.
#[derive(Clone, Copy)]
pub(super) struct UpgradeErrors<'a> {
    pub(super) what: StoredKind,
    pub(super) type_name: &'a str,
    pub(super) found: i64,
    pub(super) current: i64,
}

/// A state or an identity, which have versions of their own.
#[derive(Clone, Copy)]
pub(super) enum StoredKind {
    State,
    Identity,
}

impl StoredKind {
    /// The name in a sentence, and in a title.
    const fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::State => ("state", "State"),
            Self::Identity => ("identity", "Identity"),
        }
    }
}

impl UpgradeErrors<'_> {
    /// The stored value has the current version and does not fit the schema.
    pub(super) fn unreadable(self, error: CodecError) -> Error {
        let (what, title) = self.what.names();
        let detail = format!(
            "The stored {what} of this object of type `{}` (schema version {}) does not fit the schema. The state was \
             damaged, or another build of the provider with the same version number wrote it. Restore the state from a \
             backup, or remove the object from the state and import it again.",
            self.type_name, self.current
        );
        error.explained(&format!("Unreadable {title}"), &detail)
    }

    /// The upgrader failed with this error.
    pub(super) fn failed(self, error: Error) -> Error {
        let (what, _) = self.what.names();
        error.detail(format!(
            "The upgrade of the stored {what} of this object of type `{}` from version {} to version {} failed. The \
             stored {what} was not changed. Use an older release of the provider until this is resolved, or remove the \
             object from the state and import it again.",
            self.type_name, self.found, self.current
        ))
    }

    /// The result of the upgrader cannot be stored.
    pub(super) fn wrong(self, error: Error) -> Error {
        let (what, title) = self.what.names();
        error.summary(format!("Invalid {title} Upgrade")).detail(format!(
            "The upgrade of the stored {what} of this object of type `{}` from version {} made something that is no \
             {what} of version {}. This is a bug in the provider; please report it to its author. The stored {what} \
             was not changed.",
            self.type_name, self.found, self.current
        ))
    }

    /// Whether the version has an upgrade.
    pub(super) fn has_upgrade(self, paths: Paths<'_>) -> bool {
        paths.iter().any(|(version, _)| *version == self.found)
    }

    /// The version has no upgrade; those in `paths` have one.
    pub(super) fn no_upgrade(self, paths: Paths<'_>) -> Error {
        let (what, title) = self.what.names();
        let known = match versions(paths).as_slice() {
            [] => format!("version {} only", self.current),
            older => format!("the versions {} and {}", older.join(", "), self.current),
        };
        let advice = if self.found > self.current {
            "A newer release of the provider wrote it: use that release or a later one."
        } else {
            "This release cannot read it: use an older release of the provider, or remove the object from the state \
             and import it again. The provider's author can add an upgrade for this version."
        };
        Error::new(
            format!("No {title} Upgrade"),
            format!(
                "The stored {what} of this object of type `{}` has schema version {}; this release of the provider \
                 knows {known}. {advice}",
                self.type_name, self.found
            ),
        )
    }

    /// The state is a flatmap of Terraform 0.11; the versions in `paths` can be read as flatmaps.
    pub(super) fn too_old(self, paths: Paths<'_>) -> Error {
        let known = match versions(paths).as_slice() {
            [] => "of no version".to_owned(),
            [only] => format!("of version {only} only"),
            known => format!("of the versions {} only", known.join(", ")),
        };
        Error::new(
            "State Too Old",
            format!(
                "The stored state of this object of type `{}` has schema version {} and the form of Terraform 0.11, \
                 which this release of the provider reads {known}. Refresh it once with Terraform 0.12 and a release \
                 of the provider that supports it, or remove the object from the state and import it again.",
                self.type_name, self.found
            ),
        )
    }
}

/// Versions with an upgrade, each with its way.
type Paths<'a> = &'a [(i64, Vec<i64>)];

fn versions(paths: Paths<'_>) -> Vec<String> {
    paths.iter().map(|(version, _)| version.to_string()).collect()
}
