//! Bodies about namespaces and tables as a whole.

use lakeglass_api::catalog::Properties;
use serde::Deserialize;

use super::version;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::namespace) struct CreateNamespace {
    pub(in crate::namespace) mode: Option<String>,
    pub(in crate::namespace) properties: Option<Properties>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::namespace) struct DropNamespace {
    pub(in crate::namespace) mode: Option<String>,
    pub(in crate::namespace) behavior: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::namespace) struct DeclareTable {
    pub(in crate::namespace) location: Option<String>,
    pub(in crate::namespace) properties: Option<Properties>,
    pub(in crate::namespace) vend_credentials: Option<bool>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::namespace) struct RegisterTable {
    pub(in crate::namespace) location: Option<String>,
    pub(in crate::namespace) mode: Option<String>,
    pub(in crate::namespace) properties: Option<Properties>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::namespace) struct RenameTable {
    pub(in crate::namespace) new_table_name: Option<String>,
    pub(in crate::namespace) new_namespace_id: Option<Vec<String>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::namespace) struct TableExists {
    #[serde(deserialize_with = "version")]
    pub(in crate::namespace) version: Option<u64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::namespace) struct DescribeTable {
    #[serde(deserialize_with = "version")]
    pub(in crate::namespace) version: Option<u64>,
    pub(in crate::namespace) tag: Option<String>,
    pub(in crate::namespace) branch: Option<String>,
    pub(in crate::namespace) with_table_uri: Option<bool>,
    pub(in crate::namespace) load_detailed_metadata: Option<bool>,
    pub(in crate::namespace) check_declared: Option<bool>,
    pub(in crate::namespace) vend_credentials: Option<bool>,
}
