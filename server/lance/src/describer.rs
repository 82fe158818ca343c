//! The describer port over native Lance.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use lakeglass_api::FormatId;
use lakeglass_api::description::Description;
use lakeglass_ports::{
    Candidate, Capabilities, Claim, Costed, Describer, Detection, Error, FormatInfo, Preview, PreviewRequest,
    Result, Subject, VersionPage,
};
use lance_table::format::WriterVersion;

use crate::cost::Meter;
use crate::open::Lake;
use crate::{describe, history, preview};

/// The folder that every Lance table has.
const VERSIONS: &str = "_versions";
/// Seconds that a description, or a page of history, may take.
const TIME: u64 = 60;
/// Versions on a page at most; each costs a manifest.
const MOST_VERSIONS: u32 = 200;

/// Reads Lance tables with the Lance library in this process.
#[derive(Debug)]
pub struct NativeLance {
    lake: Arc<Lake>,
}

impl NativeLance {
    pub(crate) fn new(lake: Arc<Lake>) -> Self {
        Self { lake }
    }
}

#[async_trait]
impl Describer for NativeLance {
    fn observer(&self) -> String {
        // What Lance signs its manifests with.
        let writer = WriterVersion::default();
        match writer.prerelease {
            Some(prerelease) => format!("native {} {}-{prerelease}", writer.library, writer.version),
            None => format!("native {} {}", writer.library, writer.version),
        }
    }

    fn formats(&self) -> Vec<FormatInfo> {
        vec![FormatInfo {
            id: FormatId::lance(),
            title: "Lance".to_owned(),
            single_object: false,
            claims: vec![Claim::Folder(VERSIONS.to_owned())],
            capabilities: Capabilities {
                preview: true,
                filter: true,
                history: true,
                time_travel: true,
                references: true,
                indices: true,
            },
            options: Vec::new(),
        }]
    }

    async fn detect(&self, candidate: &Candidate) -> Result<Vec<Detection>> {
        let has = |name: &str| candidate.folders.iter().any(|folder| folder.trim_end_matches('/') == name);
        if !has(VERSIONS) {
            return Ok(Vec::new());
        }
        let (confidence, reason) = if has("data") {
            (95, "It has the folders _versions and data")
        } else {
            (80, "It has the folder _versions")
        };
        Ok(vec![Detection { format: FormatId::lance(), confidence, reason: reason.to_owned() }])
    }

    async fn describe(&self, subject: &Subject) -> Result<Costed<Description>> {
        within(async {
            let mut meter = Meter::start();
            let dataset = self.lake.open(&subject.location, &subject.version, Some(&mut meter)).await?;
            let answer = describe::describe(&dataset).await?;
            Ok(Costed { answer, cost: meter.cost() })
        })
        .await
    }

    async fn history(
        &self,
        subject: &Subject,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Costed<VersionPage>> {
        within(async {
            let mut meter = Meter::start();
            let dataset = self.lake.open(&subject.location, &subject.version, Some(&mut meter)).await?;
            let answer = history::page(&dataset, after, limit.clamp(1, MOST_VERSIONS)).await?;
            Ok(Costed { answer, cost: meter.cost() })
        })
        .await
    }

    async fn preview(&self, subject: &Subject, request: &PreviewRequest) -> Result<Preview> {
        preview::preview(&self.lake, subject, request).await
    }
}

async fn within<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    tokio::time::timeout(Duration::from_secs(TIME), work).await.unwrap_or(Err(Error::TimedOut(TIME)))
}
