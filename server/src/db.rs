//! SQLite: one connection that writes, a pool that reads, embedded migrations.

use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::time::Duration;

use sqlx::SqlitePool;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};

static MIGRATIONS: sqlx::migrate::Migrator = sqlx::migrate!("./migrations");

/// Both pools over one file. Never hold a connection of one while acquiring from the same.
#[derive(Debug, Clone)]
pub struct Db {
    /// One connection: every write and every transaction that writes.
    pub write: SqlitePool,
    pub read: SqlitePool,
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("The database cannot be opened")]
    Open(#[source] sqlx::Error),
    /// A newer version of this program made it, or its migrations were changed.
    #[error("The database was made by a newer version of Lakeglass, or its migrations differ")]
    Version(#[source] sqlx::migrate::MigrateError),
}

impl Db {
    /// Opens or creates the database in a data folder and brings it to this version's shape.
    pub async fn open(data: &Path) -> Result<Self, Error> {
        let file = data.join("lakeglass.db");
        make_private(&file).map_err(|error| Error::Open(sqlx::Error::Io(error)))?;
        let options = SqliteConnectOptions::new()
            .filename(file)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Normal)
            .foreign_keys(true)
            .busy_timeout(Duration::from_secs(10));
        let write = SqlitePoolOptions::new()
            .max_connections(1)
            .connect_with(options.clone())
            .await
            .map_err(Error::Open)?;
        MIGRATIONS.run(&write).await.map_err(Error::Version)?;
        let read = SqlitePoolOptions::new()
            .max_connections(8)
            .connect_with(options.read_only(true))
            .await
            .map_err(Error::Open)?;
        Ok(Self { write, read })
    }

    /// Writes a consistent copy to a file that must not exist, while others read and write.
    pub async fn copy_to(&self, file: &Path) -> Result<(), Error> {
        sqlx::query("VACUUM INTO ?")
            .bind(file.to_string_lossy())
            .execute(&self.write)
            .await
            .map_err(Error::Open)?;
        Ok(())
    }
}

/// Makes the file, for its owner only, when it is missing. SQLite gives its other files the same mode.
fn make_private(file: &Path) -> std::io::Result<()> {
    match OpenOptions::new().write(true).create_new(true).mode(0o600).open(file) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::Db;

    #[tokio::test]
    async fn only_the_owner_can_read_the_database() {
        let folder = tempfile::tempdir().unwrap();
        for _start in 0..2 {
            let _open = Db::open(folder.path()).await.unwrap();
            for file in std::fs::read_dir(folder.path()).unwrap() {
                let mode = file.unwrap().metadata().unwrap().permissions().mode();
                assert_eq!(mode & 0o077, 0);
            }
        }
    }
}
