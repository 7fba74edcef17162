//! The objects, in a SQLite file.

use std::path::Path;

use rusqlite::{Connection, OptionalExtension as _, Row, named_params, params};
use serde_json::Value as Json;

use super::refusal::{Refusal, Result};

/// The database.
pub(super) struct Store(Connection);

/// What is stored of an object.
pub(super) struct Object {
    pub(super) number: i64,
    /// Unique among the objects of a collection.
    pub(super) name: String,
    /// The object that this one belongs to, which cannot be deleted before it.
    pub(super) parent: Option<i64>,
    pub(super) body: Json,
}

/// How long it takes until a write shows.
#[derive(Clone, Copy, Default)]
pub(super) struct Delay {
    /// The number of reads that show what was before.
    pub(super) lag: u32,
    /// The number of reads after them that show the object as starting.
    pub(super) starting: u32,
}

/// Which objects a list shows.
pub(super) struct Selection<'s> {
    pub(super) collection: &'s str,
    pub(super) prefix: &'s str,
    /// The number of the last object that was shown already.
    pub(super) after: i64,
    pub(super) limit: u32,
}

const SCHEMA: &str = "
    PRAGMA foreign_keys = ON;
    CREATE TABLE IF NOT EXISTS object (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        collection TEXT NOT NULL,
        name TEXT NOT NULL,
        parent INTEGER REFERENCES object (number),
        body TEXT NOT NULL,
        before TEXT,
        lag INTEGER NOT NULL,
        starting INTEGER NOT NULL,
        UNIQUE (collection, name)
    );
";

impl Store {
    /// Opens the database, which is made if it is not there.
    pub(super) fn open(file: &Path) -> rusqlite::Result<Self> {
        let connection = Connection::open(file)?;
        connection.execute_batch(SCHEMA)?;
        Ok(Self(connection))
    }

    /// The number of the next object; none is used twice.
    pub(super) fn next_number(&self) -> Result<i64> {
        let last = "SELECT seq FROM sqlite_sequence WHERE name = 'object'";
        let last: Option<i64> = self.0.query_row(last, [], |row| row.get(0)).optional()?;
        Ok(last.unwrap_or(0) + 1)
    }

    pub(super) fn insert(&self, collection: &str, object: &Object, delay: Delay) -> Result {
        let insert = "INSERT INTO object (number, collection, name, parent, body, lag, starting)
                      VALUES (:number, :collection, :name, :parent, :body, :lag, :starting)";
        self.0.execute(
            insert,
            named_params! {
                ":number": object.number, ":collection": collection, ":name": object.name, ":parent": object.parent,
                ":body": object.body.to_string(), ":lag": delay.lag, ":starting": delay.starting,
            },
        )?;
        Ok(())
    }

    /// Replaces the body, and the name with it. What shows now shows on for some reads.
    pub(super) fn update(&self, collection: &str, object: &Object, delay: Delay) -> Result {
        let update = "UPDATE object SET name = ?3, before = CASE WHEN lag > 0 THEN before ELSE body END, body = ?4, lag = ?5
                      WHERE collection = ?1 AND number = ?2";
        let body = object.body.to_string();
        let changed =
            self.0.execute(update, params![collection, object.number, object.name, body, delay.lag])?;
        if changed == 0 { Err(Refusal::not_found()) } else { Ok(()) }
    }

    pub(super) fn delete(&self, collection: &str, number: i64) -> Result {
        let delete = "DELETE FROM object WHERE collection = ?1 AND number = ?2";
        if self.0.execute(delete, params![collection, number])? == 0 {
            Err(Refusal::not_found())
        } else {
            Ok(())
        }
    }

    /// The object as it was last written.
    pub(super) fn get(&self, collection: &str, number: i64) -> Result<Object> {
        let select = "SELECT number, name, parent, body FROM object WHERE collection = ?1 AND number = ?2";
        object(self.0.query_row(select, params![collection, number], columns)?)
    }

    /// The object as it shows, and whether it is still starting. Each look brings the time nearer when it shows as it is.
    pub(super) fn look(&self, collection: &str, number: i64) -> Result<(Json, bool)> {
        let select = "SELECT body, before, lag, starting FROM object WHERE collection = ?1 AND number = ?2";
        let shown = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?));
        let (body, before, lag, starting): (String, Option<String>, u32, u32) =
            self.0.query_row(select, params![collection, number], shown)?;
        let spend = "UPDATE object SET starting = max(starting - (lag = 0), 0), lag = max(lag - 1, 0) WHERE number = ?1";
        self.0.execute(spend, [number])?;
        let body = if lag > 0 { before.ok_or_else(Refusal::not_found)? } else { body };
        Ok((serde_json::from_str(&body)?, starting > 0))
    }

    /// Objects in the order in which they were made.
    pub(super) fn list(&self, wanted: &Selection<'_>) -> Result<Vec<Object>> {
        let mut select = self.0.prepare(
            "SELECT number, name, parent, body FROM object
             WHERE collection = ?1 AND substr(name, 1, length(?2)) = ?2 AND number > ?3 ORDER BY number LIMIT ?4",
        )?;
        let wanted = params![wanted.collection, wanted.prefix, wanted.after, wanted.limit];
        let rows = select.query_map(wanted, columns)?;
        rows.map(|row| object(row?)).collect()
    }
}

type Columns = (i64, String, Option<i64>, String);

fn columns(row: &Row<'_>) -> rusqlite::Result<Columns> {
    Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
}

fn object((number, name, parent, body): Columns) -> Result<Object> {
    Ok(Object { number, name, parent, body: serde_json::from_str(&body)? })
}
