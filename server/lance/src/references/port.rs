//! The port's methods, each carried out by a module beside this one.

use async_trait::async_trait;
use lakeglass_ports::{
    BranchRecord, NewVersion, Result, TableLocation, TableReferences, TagRecord, TransactionName,
    TransactionRecord, VersionRange, VersionRecord, VersionRecords, VersionsRequest,
};

use super::{branches, commits, tags, transactions, versions};
use crate::engine::Engine;

#[async_trait]
impl TableReferences for Engine {
    async fn list_versions(
        &self,
        location: &TableLocation,
        request: &VersionsRequest,
    ) -> Result<VersionRecords> {
        versions::list(&self.lake, location, request).await
    }

    async fn describe_version(
        &self,
        location: &TableLocation,
        branch: Option<&str>,
        version: Option<u64>,
    ) -> Result<VersionRecord> {
        versions::describe(&self.lake, location, branch, version).await
    }

    async fn check_version(&self, location: &TableLocation, new: &NewVersion) -> Result<()> {
        commits::check(&self.lake, location, new).await
    }

    async fn create_version(&self, location: &TableLocation, new: &NewVersion) -> Result<VersionRecord> {
        commits::create(&self.lake, location, new).await
    }

    async fn withdraw_version(
        &self,
        location: &TableLocation,
        branch: Option<&str>,
        version: u64,
    ) -> Result<bool> {
        commits::withdraw(&self.lake, location, branch, version).await
    }

    async fn clear_staged(&self, location: &TableLocation, new: &NewVersion) -> Result<()> {
        commits::clear(&self.lake, location, new).await
    }

    async fn delete_versions(
        &self,
        location: &TableLocation,
        branch: Option<&str>,
        ranges: &[VersionRange],
    ) -> Result<u64> {
        versions::delete(&self.lake, location, branch, ranges).await
    }

    async fn restore(&self, location: &TableLocation, branch: Option<&str>, version: u64) -> Result<u64> {
        versions::restore(&self.lake, location, branch, version).await
    }

    async fn list_tags(&self, location: &TableLocation) -> Result<Vec<TagRecord>> {
        tags::list(&self.lake, location).await
    }

    async fn tag(&self, location: &TableLocation, name: &str) -> Result<TagRecord> {
        tags::get(&self.lake, location, name).await
    }

    async fn create_tag(
        &self,
        location: &TableLocation,
        name: &str,
        branch: Option<&str>,
        version: u64,
    ) -> Result<()> {
        tags::create(&self.lake, location, name, branch, version).await
    }

    async fn update_tag(
        &self,
        location: &TableLocation,
        name: &str,
        branch: Option<&str>,
        version: u64,
    ) -> Result<()> {
        tags::update(&self.lake, location, name, branch, version).await
    }

    async fn delete_tag(&self, location: &TableLocation, name: &str) -> Result<()> {
        tags::delete(&self.lake, location, name).await
    }

    async fn list_branches(&self, location: &TableLocation) -> Result<Vec<BranchRecord>> {
        branches::list(&self.lake, location).await
    }

    async fn create_branch(
        &self,
        location: &TableLocation,
        name: &str,
        from_branch: Option<&str>,
        from_version: Option<u64>,
    ) -> Result<()> {
        branches::create(&self.lake, location, name, from_branch, from_version).await
    }

    async fn delete_branch(&self, location: &TableLocation, name: &str) -> Result<()> {
        branches::delete(&self.lake, location, name).await
    }

    async fn transaction(
        &self,
        location: &TableLocation,
        name: &TransactionName,
    ) -> Result<TransactionRecord> {
        transactions::find(&self.lake, location, name).await
    }
}
