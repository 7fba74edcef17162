//! The resource `demo_note`, which has a history: see [`releases`].

pub(super) mod releases;

use ferroform::diag::{Error, Result, ResultExt as _};
use ferroform::model::{Identity, Model, Planned, Prior};
use ferroform::path;
use ferroform::resource::{
    CreateContext, DeleteContext, IdentityUpgrades, Import, ImportContext, Imported, Moves, RawJson,
    ReadContext, Resource, Source, UpdateContext, Upgrades,
};
use ferroform::validate::collection::each;
use ferroform::validate::text;
use serde_json::{Map, Value as Json};

use self::releases::{NoteIdentityV0, NoteIdentityV1, NoteV0, NoteV2};
use super::file::File;
use super::folder::{Folder, Found, Text, check_name};

/// A note: a text file that is written line by line.
#[derive(Model)]
#[model(version = 3, identity_type = NoteIdentity)]
pub(super) struct Note {
    /// Where the note is, relative to the root, with `/` between directories.
    #[attr(replace, validate = check_name)]
    name: String,
    /// What the note says.
    #[attr(validate = each(text::satisfies("one line", |line| !line.contains('\n'))))]
    lines: Vec<String>,
    /// Who may do what with the note.
    permissions: Permissions,
}

/// Who may do what: each time three signs, `r` to read, `w` to write, `x` to run, and `-` instead of what is forbidden.
#[derive(Model, Debug, PartialEq, Eq)]
#[model(nested)]
pub(super) struct Permissions {
    /// The owner of the file.
    #[attr(validate = check_rights)]
    owner: String,
    /// The group of the file.
    #[attr(default = "---".to_owned(), validate = check_rights)]
    group: String,
    /// Everybody else.
    #[attr(default = "---".to_owned(), validate = check_rights)]
    others: String,
}

/// What tells a note from all others.
#[derive(Identity)]
#[identity(version = 2)]
pub(super) struct NoteIdentity {
    /// The directory in which the note is; not there below the root itself.
    directory: Option<String>,
    /// The name in the directory.
    name: String,
}

impl NoteIdentity {
    fn of(name: &str) -> Self {
        match name.rsplit_once('/') {
            Some((directory, name)) => Self { directory: Some(directory.to_owned()), name: name.to_owned() },
            None => Self { directory: None, name: name.to_owned() },
        }
    }

    fn into_name(self) -> String {
        match self.directory {
            Some(directory) => format!("{directory}/{}", self.name),
            None => self.name,
        }
    }
}

impl From<&Note> for NoteIdentity {
    fn from(note: &Note) -> Self {
        Self::of(&note.name)
    }
}

impl Resource for Note {
    type Client = Folder;
    const NAME: &str = "note";

    async fn create(cx: &mut CreateContext<'_, Self>, plan: Planned<Self>) -> Result<Self> {
        let note = plan.into_model()?;
        cx.client.create_file(&note.name, note.text()?).await.at(path!(name))?;
        Ok(note)
    }

    async fn read(cx: &mut ReadContext<'_, Self>, prior: Prior<Self>) -> Result<Option<Self>> {
        let name = prior.name.ok_or_else(nameless)?;
        // A system without permission bits has none to tell.
        let stored = prior.permissions.and_then(|it| it.into_model().ok());
        let Some(found) = cx.client.read_file(&name).await? else { return Ok(None) };
        Self::found(name, found, stored).map(Some)
    }

    async fn update(
        cx: &mut UpdateContext<'_, Self>,
        _prior: Prior<Self>,
        plan: Planned<Self>,
    ) -> Result<Self> {
        let note = plan.into_model()?;
        cx.client.replace_file(&note.name, note.text()?).await.at(path!(name))?;
        Ok(note)
    }

    async fn delete(cx: &mut DeleteContext<'_, Self>, prior: Prior<Self>) -> Result {
        cx.client.remove_file(&prior.name.ok_or_else(nameless)?).await
    }

    /// Looks for the object at once, to say so if there is none.
    async fn import(cx: &mut ImportContext<'_, Self>, from: Import<Self>) -> Result<Imported<Self>> {
        let name = match from {
            Import::Id(id) => id,
            Import::Identity(identity) => identity.into_name(),
        };
        check_name(&name)?;
        let found = cx.client.read_file(&name).await?;
        Ok(Imported::all(found.map(|found| Self::found(name, found, None)).transpose()?))
    }

    /// Version 0 goes through all versions between; the shape of version 1 is declared for its release only.
    fn upgrades() -> Upgrades<Self> {
        Upgrades::new()
            .from_flatmap(0, NoteV0::of_flat)
            .from(|old: NoteV0| Ok(old.renamed()))
            .from_json(1, |stored: RawJson| {
                let mut note: Map<String, Json> = stored.parse()?;
                if let Some(Json::String(content)) = note.remove("content") {
                    note.insert("lines".to_owned(), lines(&content).into());
                }
                RawJson::from_value(&note)?.prior::<NoteV2>()
            })
            .from(|old: NoteV2| {
                let permissions = Permissions::of(&old.permissions.mode)?;
                Ok(Note { name: old.name, lines: old.lines, permissions })
            })
    }

    fn identity_upgrades() -> IdentityUpgrades<Self> {
        IdentityUpgrades::new()
            .from(|old: NoteIdentityV0| Ok(NoteIdentityV1 { path: old.path.join("/") }))
            .from(|old: NoteIdentityV1| Ok(NoteIdentity::of(&old.path)))
    }

    /// A file is a note already, and so is one that another provider looked after.
    fn moves() -> Moves<Self> {
        Moves::new()
            .from(Source::resource("demo_file"), |_cx, old: Prior<File>| {
                let mode = old.mode.as_deref().unwrap_or(MODE);
                Self::of(old.name, &old.content.unwrap_or_default(), mode)
            })
            .from_json(Source::of("ferroform/plain", "plain_file"), |_cx, stored| {
                let file: Json = stored.parse()?;
                let text = |name| file.get(name).and_then(Json::as_str);
                let note = |(name, content): (&str, _)| Self::of(name.to_owned(), content, MODE);
                text("name").zip(text("content")).map(note).transpose()
            })
    }
}

/// The permission bits of files that do not tell theirs.
const MODE: &str = "0644";

impl Note {
    fn of(name: String, content: &str, mode: &str) -> Result<Self> {
        Ok(Self { name, lines: lines(content), permissions: Permissions::of(mode)? })
    }

    fn found(name: String, found: Found, stored: Option<Permissions>) -> Result<Self> {
        match (found.mode, stored) {
            (None, Some(permissions)) => Ok(Self { name, lines: lines(&found.content), permissions }),
            (mode, _) => Self::of(name, &found.content, mode.as_deref().unwrap_or(MODE)),
        }
    }

    fn text(&self) -> Result<Text> {
        Ok(Text { content: content(&self.lines), mode: self.permissions.mode()? })
    }
}

impl Permissions {
    /// Those that permission bits mean.
    fn of(mode: &str) -> Result<Self> {
        let bits = u32::from_str_radix(mode, 8).map_err(|_| {
            let detail = format!("{mode:?} is no set of permission bits, such as `0644`.");
            Error::new("Invalid Mode", detail)
        })?;
        Ok(Self { owner: rights(bits >> 6), group: rights(bits >> 3), others: rights(bits) })
    }

    fn mode(&self) -> Result<String> {
        Ok(format!("0{}{}{}", digit(&self.owner)?, digit(&self.group)?, digit(&self.others)?))
    }
}

/// The rights and their bits.
const RIGHTS: [(char, u32); 3] = [('r', 4), ('w', 2), ('x', 1)];

fn rights(bits: u32) -> String {
    RIGHTS.iter().map(|(sign, bit)| if bits & bit == 0 { '-' } else { *sign }).collect()
}

fn digit(rights: &str) -> Result<u32> {
    let mut digit = 0;
    let mut signs = rights.chars();
    for (sign, bit) in RIGHTS {
        match signs.next() {
            Some('-') => {}
            Some(found) if found == sign => digit |= bit,
            _ => return Err(no_rights(rights)),
        }
    }
    if signs.next().is_some() { Err(no_rights(rights)) } else { Ok(digit) }
}

fn check_rights(rights: &str) -> Result {
    digit(rights).map(drop)
}

fn no_rights(rights: &str) -> Error {
    let detail =
        format!("{rights:?} says of no right whether it is given. Write three signs, such as `rw-`.");
    Error::new("Invalid Permissions", detail)
}

/// The lines of a file, the last of which need not end.
fn lines(content: &str) -> Vec<String> {
    match content.strip_suffix('\n').unwrap_or(content) {
        "" if content.is_empty() => Vec::new(),
        lines => lines.split('\n').map(str::to_owned).collect(),
    }
}

fn content(lines: &[String]) -> String {
    lines.iter().flat_map(|line| [line, "\n"]).collect()
}

fn nameless() -> Error {
    Error::new(
        "Incomplete Note",
        "The state of the note has no name, so it cannot be found. Remove it from the state and import it again.",
    )
}
