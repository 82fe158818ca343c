//! What every handler reaches: configuration, database and the capabilities' services.

use std::sync::Arc;

use lakeglass_ports::{Describer, TableEngine};

use crate::config::Config;
use crate::db::Db;
use crate::jobs::Jobs;

/// What `bin` brings in: the native describer first, plugins after it.
#[derive(Debug, Clone)]
pub struct Engines {
    pub describers: Vec<Arc<dyn Describer>>,
    pub tables: Arc<dyn TableEngine>,
}

/// One running server.
#[derive(Debug)]
pub struct App {
    pub config: Config,
    pub db: Db,
    pub engines: Engines,
    pub jobs: Jobs,
}

impl App {
    /// Opens the data folder and its database, and makes the services. Starts no background work.
    pub async fn open(config: Config, engines: Engines) -> Result<Arc<Self>, crate::db::Error> {
        let db = Db::open(&config.data).await?;
        let jobs = Jobs::new(&db);
        Ok(Arc::new(Self { config, db, engines, jobs }))
    }

    /// Starts the background work: once, after [`App::open`], by the process that serves.
    pub fn start(self: &Arc<Self>) {
        self.jobs.run(self);
    }
}
