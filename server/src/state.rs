//! What every handler reaches: configuration, database and the capabilities' services.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::attached::Attached;
use crate::audit::Audit;
use crate::auth::{Auth, CookieRules};
use crate::catalog::Catalog;
use crate::changes::Changes;
use crate::config::Config;
use crate::db::Db;
use crate::edge::Edge;
use crate::engines::Engines;
use crate::formats::Formats;
use crate::imports::Imports;
use crate::indices::Indices;
use crate::jobs::Jobs;
use crate::observations::Observations;
use crate::previews::Previews;
use crate::references::References;
use crate::secrets::Secrets;
use crate::storage::Storages;
use crate::views::Views;

/// One running server.
#[derive(Debug)]
pub struct App {
    pub config: Config,
    pub db: Db,
    pub engines: Engines,
    /// Cancelled when the server was told to stop: background work and open event streams end.
    pub shutdown: CancellationToken,
    pub secrets: Secrets,
    pub audit: Audit,
    pub auth: Auth,
    pub edge: Edge,
    pub storages: Storages,
    pub attached: Attached,
    pub catalog: Catalog,
    pub changes: Changes,
    pub previews: Previews,
    pub jobs: Jobs,
    pub formats: Formats,
    pub observations: Observations,
    pub imports: Imports,
    pub references: References,
    pub indices: Indices,
    pub views: Views,
}

/// Why a server could not be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    #[error(transparent)]
    Database(#[from] crate::db::Error),
    #[error(transparent)]
    Secrets(#[from] crate::secrets::Error),
    #[error(transparent)]
    Edge(#[from] crate::edge::OpenError),
    #[error(transparent)]
    Storage(#[from] crate::storage::Error),
    #[error(transparent)]
    Attached(#[from] crate::attached::Error),
}

impl App {
    /// Opens the data folder and its database, and makes the services. Starts no background work.
    pub async fn open(config: Config, engines: Engines) -> Result<Arc<Self>, OpenError> {
        let db = Db::open(&config.data).await?;
        let secrets = Secrets::load(&config.data)?;
        let audit = Audit::new(db.clone());
        let auth = Auth::new(db.clone(), audit.clone(), CookieRules { secure: config.is_https() });
        let edge = Edge::new(&config)?;
        let storages = Storages::open(db.clone(), &config, secrets.clone(), audit.clone()).await?;
        let attached = Attached::open(db.clone(), storages.clone(), secrets.clone()).await?;
        let catalog = Catalog::new(
            db.clone(),
            storages.clone(),
            attached.clone(),
            engines.clone(),
            audit.clone(),
            auth.clone(),
        );
        let previews = Previews::new(catalog.clone(), engines.clone(), audit.clone());
        let jobs = Jobs::new(&db);
        let changes = Changes::new(catalog.clone(), engines.clone(), audit.clone(), jobs.clone());
        let formats = Formats::new(engines.describers.clone(), catalog.clone(), jobs.clone());
        let observations = Observations::new(&db, catalog.clone(), formats.clone(), audit.clone(), &jobs);
        let imports = Imports::new(&config, catalog.clone(), jobs.clone());
        let references = References::new(catalog.clone(), engines.clone(), audit.clone(), jobs.clone());
        let indices = Indices::new(catalog.clone(), engines.clone(), audit.clone(), jobs.clone());
        let views = Views::new(catalog.clone(), engines.clone(), jobs.clone());
        jobs.register(Arc::new(crate::demo::LoadDemo));
        Ok(Arc::new(Self {
            config,
            db,
            engines,
            shutdown: CancellationToken::new(),
            secrets,
            audit,
            auth,
            edge,
            storages,
            attached,
            catalog,
            changes,
            previews,
            jobs,
            formats,
            observations,
            imports,
            references,
            indices,
            views,
        }))
    }

    /// Starts the background work: once, after [`App::open`], by the process that serves.
    pub fn start(self: &Arc<Self>) {
        tokio::spawn(self.audit.clone().run());
        self.catalog.keep_mending();
        self.jobs.run(self);
        let shutdown = self.shutdown.clone();
        tokio::spawn(shutdown.clone().run_until_cancelled_owned(self.observations.clone().follow()));
        tokio::spawn(shutdown.clone().run_until_cancelled_owned(self.imports.clone().keep_clean()));
        let sweeping = Observations::keep_sweeping(Arc::downgrade(self), self.config.sweep_minutes);
        tokio::spawn(shutdown.run_until_cancelled_owned(sweeping));
        if self.config.demo {
            let app = Arc::clone(self);
            tokio::spawn(async move { crate::demo::start_once(&app).await });
        }
    }

    /// The server was told to stop; requests in flight still run.
    pub fn stopping(&self) {
        self.shutdown.cancel();
    }

    /// Nothing runs any more: what is still in memory and must not be lost is written.
    pub async fn stopped(&self) {
        self.jobs.close().await;
        self.audit.flush(true).await;
    }
}
