//! The service: receiving a file, looking at it, starting its import.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::Stream;
use lakeglass_api::description::Field;
use lakeglass_api::imports::ReceivedFile;
use lakeglass_api::jobs::Job;
use lakeglass_api::{BucketName, Role, TableRef};
use lakeglass_ports::type_words;
use serde_json::json;

use super::error::{Error, Result};
use super::job::{self, ImportFile};
use super::reader::{self, Choices};
use super::spool::{About, Spool};
use crate::auth::{Actor, Principal};
use crate::catalog::{Catalog, Error as Refusal};
use crate::config::Config;
use crate::jobs::Jobs;

/// How often old files are looked for.
const CLEANING: Duration = Duration::from_mins(10);
const MAX_NAME: usize = 200;

/// The imports of this server. Clones share everything.
#[derive(Debug, Clone)]
pub struct Imports {
    pub(super) spool: Spool,
    catalog: Catalog,
    jobs: Jobs,
}

impl Imports {
    /// Registers the kind of job that imports.
    pub fn new(config: &Config, catalog: Catalog, jobs: Jobs) -> Self {
        jobs.register(Arc::new(ImportFile));
        Self { spool: Spool::new(&config.data, config.max_arrow_bytes), catalog, jobs }
    }

    /// Takes in a file for a bucket's table, and says what it holds. Needs the editor role there. A file
    /// that cannot be read is not kept.
    pub async fn receive<E>(
        &self,
        actor: &Actor,
        bucket: &BucketName,
        name: &str,
        content: impl Stream<Item = std::result::Result<Bytes, E>> + Send + Unpin,
    ) -> Result<ReceivedFile> {
        actor.require(bucket, Role::Editor)?;
        self.catalog.bucket(actor, bucket).await?;
        let about = About {
            owner: owner(actor),
            bucket: bucket.to_string(),
            name: name.chars().filter(|c| !c.is_control()).take(MAX_NAME).collect(),
        };
        let (id, bytes) = self.spool.receive(&about, content).await?;
        match self.look(actor, &id, Choices::default()).await {
            Ok(file) => Ok(ReceivedFile { bytes, ..file }),
            Err(error) => {
                self.spool.remove(&id).await;
                Err(error)
            }
        }
    }

    /// What a received file holds, read with other choices than the guessed ones.
    pub async fn look(&self, actor: &Actor, id: &str, choices: Choices) -> Result<ReceivedFile> {
        let (path, about) = self.spool.find(id, &owner(actor)).await?;
        let bytes = tokio::fs::metadata(&path).await?.len();
        let opened = blocking(move || reader::open(&path, choices)).await?;
        let mut columns = Vec::new();
        for field in opened.schema.fields() {
            push(field, None, &mut columns);
        }
        Ok(ReceivedFile {
            id: id.to_owned(),
            name: about.name,
            bytes,
            kind: opened.kind,
            columns,
            rows: opened.rows,
            guesses: opened.guesses,
        })
    }

    /// Starts the job that makes a table of a received file. The table must not exist yet.
    pub async fn start(&self, actor: &Actor, table: &TableRef, id: &str, choices: Choices) -> Result<Job> {
        actor.require(&table.bucket, Role::Editor)?;
        let (_, about) = self.spool.find(id, &owner(actor)).await?;
        if about.bucket != table.bucket.as_str() {
            return Err(Error::NoSuchFile);
        }
        self.catalog.namespace(actor, &table.bucket, &table.namespace).await?;
        match self.catalog.table(actor, table).await {
            Err(Refusal::NoSuchTable(_)) => {}
            Ok(_) => {
                return Err(Refusal::TableExists { what: "A table", name: table.to_string() }.into());
            }
            Err(error) => return Err(error.into()),
        }
        let parameters = json!({
            job::FILE: id,
            job::OWNER: about.owner,
            job::DELIMITER: delimiter_word(choices.delimiter),
            job::HEADER: match choices.header { None => "detect", Some(true) => "yes", Some(false) => "no" },
        });
        Ok(self.jobs.start(actor, job::NAME, &table.to_string(), parameters).await?)
    }

    /// Forgets a received file.
    pub async fn discard(&self, actor: &Actor, id: &str) -> Result<()> {
        self.spool.find(id, &owner(actor)).await?;
        self.spool.remove(id).await;
        Ok(())
    }

    /// Removes files that waited too long, now and from now on.
    pub(crate) async fn keep_clean(self) {
        loop {
            if let Err(error) = self.spool.clean().await {
                tracing::warn!(%error, "Old files of the spool cannot be removed");
            }
            tokio::time::sleep(CLEANING).await;
        }
    }
}

/// Runs blocking work off the async threads.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    tokio::task::spawn_blocking(work).await.map_err(std::io::Error::other)?
}

/// Choices from the words of a form or request.
impl Choices {
    /// `delimiter`: detect, comma, semicolon, tab or bar; `header`: detect, yes or no.
    pub fn from_words(delimiter: &str, header: &str) -> Result<Self> {
        let delimiter = match delimiter {
            "" | "detect" => None,
            "comma" => Some(b','),
            "semicolon" => Some(b';'),
            "tab" => Some(b'\t'),
            "bar" => Some(b'|'),
            _ => return Err(wrong("delimiter", "Use detect, comma, semicolon, tab or bar")),
        };
        let header = match header {
            "" | "detect" => None,
            "yes" => Some(true),
            "no" => Some(false),
            _ => return Err(wrong("header", "Use detect, yes or no")),
        };
        Ok(Self { delimiter, header })
    }
}

fn wrong(field: &'static str, rule: &str) -> Error {
    Error::Invalid { field, rule: rule.to_owned() }
}

fn delimiter_word(delimiter: Option<u8>) -> &'static str {
    match delimiter {
        None => "detect",
        Some(b';') => "semicolon",
        Some(b'\t') => "tab",
        Some(b'|') => "bar",
        Some(_) => "comma",
    }
}

/// Whose file it is.
fn owner(actor: &Actor) -> String {
    match &actor.principal {
        Principal::User(id) => format!("user {id}"),
        Principal::Token(id) => format!("token {id}"),
        Principal::System(name) => format!("system {name}"),
        Principal::Anonymous => "nobody".to_owned(),
    }
}

fn push(field: &arrow_schema::Field, parent: Option<u32>, list: &mut Vec<Field>) {
    let own = u32::try_from(list.len()).ok();
    list.push(Field {
        parent,
        name: field.name().clone(),
        id: None,
        type_name: type_words(field),
        nullable: field.is_nullable(),
        doc: None,
        properties: Vec::new(),
    });
    if let arrow_schema::DataType::Struct(children) = field.data_type() {
        for child in children {
            push(child, own, list);
        }
    }
}
