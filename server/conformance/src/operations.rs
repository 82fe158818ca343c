//! The operations of the specification, one row each: route, status of success, shape of the answer, and
//! the errors that the specification gives it beyond those that every operation may answer with.

use serde::{Deserialize, Serialize};

use crate::shapes::{self, Shape};

/// What a request carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Carries {
    /// A JSON object, or nothing where nothing in it is required.
    Json,
    /// An Arrow IPC stream; the operation's fields are query parameters.
    Rows,
    /// Nothing: all is in the route and in query parameters.
    Nothing,
}

/// One operation as the specification has it.
#[derive(Debug)]
pub struct Details {
    pub name: &'static str,
    pub method: &'static str,
    /// Below the server's URL; `{id}` and `{index_name}` stand for identifiers.
    pub path: &'static str,
    pub carries: Carries,
    /// Statuses of success.
    pub success: &'static [u16],
    pub answer: Shape,
}

macro_rules! operations {
    ($($name:ident $method:ident $path:literal $carries:ident $($success:literal)|+ $answer:ident;)*) => {
        /// An operation of the specification.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum Operation { $($name),* }

        impl Operation {
            /// Every operation, in the order of this table.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// Its row.
            pub const fn details(self) -> Details {
                match self {
                    $(Self::$name => Details {
                        name: stringify!($name),
                        method: stringify!($method),
                        path: $path,
                        carries: Carries::$carries,
                        success: &[$($success),+],
                        answer: shapes::$answer,
                    }),*
                }
            }
        }
    };
}

operations! {
    // Namespaces.
    CreateNamespace POST "/v1/namespace/{id}/create" Json 200 CREATE_NAMESPACE;
    ListNamespaces GET "/v1/namespace/{id}/list" Nothing 200 LIST_NAMESPACES;
    DescribeNamespace POST "/v1/namespace/{id}/describe" Json 200 DESCRIBE_NAMESPACE;
    DropNamespace POST "/v1/namespace/{id}/drop" Json 200|204 DROP_NAMESPACE;
    NamespaceExists POST "/v1/namespace/{id}/exists" Json 200 NOTHING;
    ListTables GET "/v1/namespace/{id}/table/list" Nothing 200 LIST_TABLES;
    // Tables.
    ListAllTables GET "/v1/table" Nothing 200 LIST_TABLES;
    RegisterTable POST "/v1/table/{id}/register" Json 200 REGISTER_TABLE;
    DescribeTable POST "/v1/table/{id}/describe" Json 200 DESCRIBE_TABLE;
    TableExists POST "/v1/table/{id}/exists" Json 200 NOTHING;
    DropTable POST "/v1/table/{id}/drop" Nothing 200 REMOVED_TABLE;
    DeregisterTable POST "/v1/table/{id}/deregister" Json 200 REMOVED_TABLE;
    DeclareTable POST "/v1/table/{id}/declare" Json 200 DECLARE_TABLE;
    RenameTable POST "/v1/table/{id}/rename" Json 200 DONE;
    // Rows.
    CreateTable POST "/v1/table/{id}/create" Rows 200 CREATE_TABLE;
    InsertIntoTable POST "/v1/table/{id}/insert" Rows 200 INSERT;
    MergeInsertIntoTable POST "/v1/table/{id}/merge_insert" Rows 200 MERGE_INSERT;
    UpdateTable POST "/v1/table/{id}/update" Json 200 UPDATE;
    DeleteFromTable POST "/v1/table/{id}/delete" Json 200 DELETE;
    // Queries.
    QueryTable POST "/v1/table/{id}/query" Json 200 ARROW_FILE;
    CountTableRows POST "/v1/table/{id}/count_rows" Json 200 COUNT;
    ExplainTableQueryPlan POST "/v1/table/{id}/explain_plan" Json 200 TEXT;
    AnalyzeTableQueryPlan POST "/v1/table/{id}/analyze_plan" Json 200 TEXT;
    // Columns and metadata.
    AlterTableAddColumns POST "/v1/table/{id}/add_columns" Json 200 VERSION;
    AlterTableAlterColumns POST "/v1/table/{id}/alter_columns" Json 200 VERSION;
    AlterTableDropColumns POST "/v1/table/{id}/drop_columns" Json 200 VERSION;
    AlterTableBackfillColumns POST "/v1/table/{id}/backfill_column" Json 202 JOB;
    UpdateTableSchemaMetadata POST "/v1/table/{id}/schema_metadata/update" Json 200 TEXT_MAP;
    UpdateFieldMetadata POST "/v1/table/{id}/update_field_metadata" Json 200 FIELD_METADATA;
    GetTableStats POST "/v1/table/{id}/stats" Json 200 STATS;
    // Versions.
    RestoreTable POST "/v1/table/{id}/restore" Json 200 DONE;
    ListTableVersions POST "/v1/table/{id}/version/list" Nothing 200 LIST_VERSIONS;
    CreateTableVersion POST "/v1/table/{id}/version/create" Json 200 CREATE_VERSION;
    DescribeTableVersion POST "/v1/table/{id}/version/describe" Json 200 DESCRIBE_VERSION;
    BatchDeleteTableVersions POST "/v1/table/{id}/version/delete" Json 200 DELETE_VERSIONS;
    BatchCreateTableVersions POST "/v1/table/version/batch-create" Json 200 BATCH_VERSIONS;
    BatchCommitTables POST "/v1/table/batch-commit" Json 200 BATCH_COMMIT;
    // Indices.
    CreateTableIndex POST "/v1/table/{id}/create_index" Json 200 DONE;
    CreateTableScalarIndex POST "/v1/table/{id}/create_scalar_index" Json 200 DONE;
    ListTableIndices POST "/v1/table/{id}/index/list" Json 200 LIST_INDICES;
    DescribeTableIndexStats POST "/v1/table/{id}/index/{index_name}/stats" Json 200 INDEX_STATS;
    DropTableIndex POST "/v1/table/{id}/index/{index_name}/drop" Nothing 200 DONE;
    // Tags and branches.
    ListTableTags POST "/v1/table/{id}/tags/list" Nothing 200 LIST_TAGS;
    GetTableTagVersion POST "/v1/table/{id}/tags/version" Json 200 TAG_VERSION;
    CreateTableTag POST "/v1/table/{id}/tags/create" Json 200 DONE;
    UpdateTableTag POST "/v1/table/{id}/tags/update" Json 200 DONE;
    DeleteTableTag POST "/v1/table/{id}/tags/delete" Json 200 DONE;
    ListTableBranches POST "/v1/table/{id}/branches/list" Nothing 200 LIST_BRANCHES;
    CreateTableBranch POST "/v1/table/{id}/branches/create" Json 200 DONE;
    DeleteTableBranch POST "/v1/table/{id}/branches/delete" Json 200 DONE;
    // Views and transactions.
    CreateMaterializedView POST "/v1/materialized_view/{id}/create" Json 201 CREATE_VIEW;
    RefreshMaterializedView POST "/v1/materialized_view/{id}/refresh" Json 202 JOB;
    DescribeTransaction POST "/v1/transaction/{id}/describe" Json 200 TRANSACTION;
    AlterTransaction POST "/v1/transaction/{id}/alter" Json 200 TRANSACTION;
}

impl Operation {
    pub const fn name(self) -> &'static str {
        self.details().name
    }

    /// Whether its route names one object.
    pub fn has_id(self) -> bool {
        self.details().path.contains("{id}")
    }

    /// Whether it acts on one table that must exist.
    pub fn needs_table(self) -> bool {
        self.details().path.starts_with("/v1/table/{id}/")
            && !matches!(self, Self::CreateTable | Self::DeclareTable | Self::RegisterTable)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_table_has_the_operations_of_the_specification_once_each() {
        let routes: BTreeSet<_> = Operation::ALL.iter().map(|one| one.details().path).collect();
        let names: BTreeSet<_> = Operation::ALL.iter().map(|one| one.name()).collect();
        assert_eq!((routes.len(), names.len(), Operation::ALL.len()), (54, 54, 54));
    }
}
