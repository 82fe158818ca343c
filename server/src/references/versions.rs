//! Versions: listed, described, deleted, restored.

use lakeglass_api::{Role, TableRef};
use lakeglass_ports::{Error as EngineError, VersionRange, VersionRecord, VersionRecords, VersionsRequest};

use super::{References, Result};
use crate::auth::Actor;

impl References {
    pub async fn versions(
        &self,
        actor: &Actor,
        table: &TableRef,
        request: &VersionsRequest,
    ) -> Result<VersionRecords> {
        match (self.written(actor, table).await?, &request.branch) {
            (Some(location), _) => Ok(self.engine().list_versions(&location, request).await?),
            (None, Some(branch)) => Err(EngineError::NoSuchBranch(branch.clone()).into()),
            (None, None) => Ok(VersionRecords { versions: Vec::new(), next: None }),
        }
    }

    /// One version; none given: the newest.
    pub async fn version(
        &self,
        actor: &Actor,
        table: &TableRef,
        branch: Option<&str>,
        version: Option<u64>,
    ) -> Result<VersionRecord> {
        match self.written(actor, table).await? {
            Some(location) => Ok(self.engine().describe_version(&location, branch, version).await?),
            None => Err(match (branch, version) {
                (Some(branch), _) => EngineError::NoSuchBranch(branch.to_owned()).into(),
                (None, Some(version)) => EngineError::NoSuchVersion(version.to_string()).into(),
                (None, None) => crate::catalog::Error::OnlyDeclared.into(),
            }),
        }
    }

    /// Removes the records of versions, and no data: a clean-up removes what nothing names any more.
    /// The newest version, tagged ones and those that a branch was made from stay. Needs the admin role in
    /// the bucket: what goes cannot be brought back.
    pub async fn delete_versions(
        &self,
        actor: &Actor,
        table: &TableRef,
        branch: Option<&str>,
        ranges: &[VersionRange],
    ) -> Result<u64> {
        let (tables, ranges) = (self.engines.tables.clone(), ranges.to_vec());
        let (shown, named) = (branch.map(str::to_owned), branch.map(str::to_owned));
        let work = async move |location| tables.delete_versions(&location, named.as_deref(), &ranges).await;
        let deleted = self.catalog.change(actor, table, Role::Admin, work).await?;
        let detail = serde_json::json!({ "branch": shown, "deleted": deleted });
        self.record(actor, "version.delete", table, detail).await;
        Ok(deleted)
    }

    /// Makes an earlier version the newest: a new version with its rows and schema, whose number it
    /// gives. Nothing is lost.
    pub async fn restore(
        &self,
        actor: &Actor,
        table: &TableRef,
        branch: Option<&str>,
        version: u64,
    ) -> Result<u64> {
        let (tables, named) = (self.engines.tables.clone(), branch.map(str::to_owned));
        let work = async move |location| tables.restore(&location, named.as_deref(), version).await;
        let made = self.catalog.change(actor, table, Role::Editor, work).await?;
        let detail = serde_json::json!({
            "branch": branch, "restored": version.to_string(), "version": made.to_string(),
        });
        self.record(actor, "version.restore", table, detail).await;
        Ok(made)
    }
}
