//! What every handler reaches: configuration, database and the capabilities' services.

use std::sync::Arc;

use lakeglass_ports::{Describer, TableEngine};

use crate::config::Config;
use crate::db::Db;

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
}

impl App {
    /// Opens the data folder and its database, and makes the services. Starts no background work.
    pub async fn open(config: Config, engines: Engines) -> Result<Arc<Self>, crate::db::Error> {
        let db = Db::open(&config.data).await?;
        Ok(Arc::new(Self { config, db, engines }))
    }
}
