//! What older releases of the provider called a note. They can still be served, so that real states of theirs can be made:
//!
//! | release | state | identity |
//! |---|---|---|
//! | 0 | `path`, `content`, `permissions.mode` | `path` as a list |
//! | 1 | `path` became `name` | `path` as a text |
//! | 2 | `content` became `lines`, a list | `path` became `directory` and `name` |
//! | now | `permissions.mode` became `owner`, `group` and `others` | |
//!
//! Release 0 is so old that Terraform 0.11 has stored notes of it, in a flat form. The old releases left their number in
//! the private data, which nobody looks at any more, and which stays.

use std::collections::BTreeMap;

use ferroform::diag::{Error, Result, ResultExt as _};
use ferroform::model::{Identity, Model, Planned, Prior};
use ferroform::path;
use ferroform::resource::{
    CreateContext, DeleteContext, IdentityUpgrades, ReadContext, Resource, UpdateContext, Upgrades,
};

use super::{Folder, Found, NoteIdentity, Text, check_name, content, lines, nameless};

/// A note of release 0.
#[derive(Model)]
#[model(identity_type = NoteIdentityV0)]
pub(in super::super) struct NoteV0 {
    /// Where the note is, relative to the root, with `/` between directories.
    #[attr(replace, validate = check_name)]
    path: String,
    /// What the note says.
    content: String,
    /// Who may do what with the note.
    permissions: Mode,
}

/// A note of release 1.
#[derive(Model)]
#[model(version = 1, identity_type = NoteIdentityV1)]
pub(in super::super) struct NoteV1 {
    /// Where the note is, relative to the root, with `/` between directories.
    #[attr(replace, validate = check_name)]
    name: String,
    /// What the note says.
    content: String,
    /// Who may do what with the note.
    permissions: Mode,
}

/// A note of release 2.
#[derive(Model)]
#[model(version = 2, identity_type = NoteIdentity)]
pub(in super::super) struct NoteV2 {
    /// Where the note is, relative to the root, with `/` between directories.
    #[attr(replace, validate = check_name)]
    pub(super) name: String,
    /// What the note says.
    pub(super) lines: Vec<String>,
    /// Who may do what with the note.
    pub(super) permissions: Mode,
}

/// Who may do what.
#[derive(Model)]
#[model(nested)]
pub(in super::super) struct Mode {
    /// The permission bits: four octal digits.
    pub(super) mode: String,
}

/// What told a note from all others in release 0.
#[derive(Identity)]
pub(in super::super) struct NoteIdentityV0 {
    /// The directories and the name.
    pub(super) path: Vec<String>,
}

/// What told a note from all others in release 1.
#[derive(Identity)]
#[identity(version = 1)]
pub(in super::super) struct NoteIdentityV1 {
    /// The directories and the name, with `/` between them.
    pub(super) path: String,
}

impl NoteV0 {
    /// As release 1 stored it.
    pub(super) fn renamed(self) -> NoteV1 {
        NoteV1 { name: self.path, content: self.content, permissions: self.permissions }
    }

    /// As Terraform 0.11 stored it: a text for each value, by its place.
    pub(super) fn of_flat(mut flat: BTreeMap<String, String>) -> Result<Self> {
        let mut take = |place: &str| {
            let detail = format!("The state has no `{place}`. Remove the note from it and import it again.");
            flat.remove(place).ok_or_else(|| Error::new("Incomplete Note", detail))
        };
        let permissions = Mode { mode: take("permissions.0.mode")? };
        Ok(Self { path: take("path")?, content: take("content")?, permissions })
    }
}

/// What all releases do alike: a note is a file.
trait Released: Resource<Client = Folder> {
    fn of(name: String, text: Text) -> Self;
    fn parts(plan: Planned<Self>) -> (String, Text);
    /// The place of the note, and the mode for systems that have none.
    fn stored(prior: Prior<Self>) -> (Option<String>, Option<String>);
}

async fn create<N: Released>(cx: &mut CreateContext<'_, N>, plan: Planned<N>) -> Result<N> {
    let (name, text) = N::parts(plan);
    cx.client.create_file(&name, text.clone()).await.at(path!(name))?;
    cx.private_mut().set("release", &N::VERSION)?;
    Ok(N::of(name, text))
}

async fn read<N: Released>(client: &Folder, prior: Prior<N>) -> Result<Option<N>> {
    let (name, mode) = N::stored(prior);
    let name = name.ok_or_else(nameless)?;
    let Some(Found { content, mode: found }) = client.read_file(&name).await? else { return Ok(None) };
    Ok(Some(N::of(name, Text { content, mode: found.or(mode).unwrap_or_default() })))
}

async fn update<N: Released>(client: &Folder, plan: Planned<N>) -> Result<N> {
    let (name, text) = N::parts(plan);
    client.replace_file(&name, text.clone()).await.at(path!(name))?;
    Ok(N::of(name, text))
}

async fn delete<N: Released>(client: &Folder, prior: Prior<N>) -> Result {
    client.remove_file(&N::stored(prior).0.ok_or_else(nameless)?).await
}

impl Released for NoteV0 {
    fn of(path: String, Text { content, mode }: Text) -> Self {
        Self { path, content, permissions: Mode { mode } }
    }

    fn parts(plan: Planned<Self>) -> (String, Text) {
        (plan.path, Text { content: plan.content, mode: plan.permissions.mode })
    }

    fn stored(prior: Prior<Self>) -> (Option<String>, Option<String>) {
        (prior.path, prior.permissions.and_then(|it| it.mode))
    }
}

impl Released for NoteV1 {
    fn of(name: String, Text { content, mode }: Text) -> Self {
        Self { name, content, permissions: Mode { mode } }
    }

    fn parts(plan: Planned<Self>) -> (String, Text) {
        (plan.name, Text { content: plan.content, mode: plan.permissions.mode })
    }

    fn stored(prior: Prior<Self>) -> (Option<String>, Option<String>) {
        (prior.name, prior.permissions.and_then(|it| it.mode))
    }
}

impl Released for NoteV2 {
    fn of(name: String, Text { content, mode }: Text) -> Self {
        Self { name, lines: lines(&content), permissions: Mode { mode } }
    }

    fn parts(plan: Planned<Self>) -> (String, Text) {
        (plan.name, Text { content: content(&plan.lines), mode: plan.permissions.mode })
    }

    fn stored(prior: Prior<Self>) -> (Option<String>, Option<String>) {
        (prior.name, prior.permissions.and_then(|it| it.mode))
    }
}

impl From<&NoteV0> for NoteIdentityV0 {
    fn from(note: &NoteV0) -> Self {
        Self { path: note.path.split('/').map(str::to_owned).collect() }
    }
}

impl From<&NoteV1> for NoteIdentityV1 {
    fn from(note: &NoteV1) -> Self {
        Self { path: note.name.clone() }
    }
}

impl From<&NoteV2> for NoteIdentity {
    fn from(note: &NoteV2) -> Self {
        Self::of(&note.name)
    }
}

/// The resource of a release. It knew the upgrades of its time, which nobody needs from it any more.
macro_rules! release {
    ($($note:ident)*) => {$(
        impl Resource for $note {
            type Client = Folder;
            const NAME: &str = "note";

            async fn create(cx: &mut CreateContext<'_, Self>, plan: Planned<Self>) -> Result<Self> {
                create(cx, plan).await
            }

            async fn read(cx: &mut ReadContext<'_, Self>, prior: Prior<Self>) -> Result<Option<Self>> {
                read::<Self>(&cx.client, prior).await
            }

            async fn update(cx: &mut UpdateContext<'_, Self>, _: Prior<Self>, plan: Planned<Self>) -> Result<Self> {
                update(&cx.client, plan).await
            }

            async fn delete(cx: &mut DeleteContext<'_, Self>, prior: Prior<Self>) -> Result {
                delete::<Self>(&cx.client, prior).await
            }

            fn upgrades() -> Upgrades<Self> {
                Upgrades::new().released([])
            }

            fn identity_upgrades() -> IdentityUpgrades<Self> {
                IdentityUpgrades::new().released([])
            }
        }
    )*};
}

release!(NoteV0 NoteV1 NoteV2);
