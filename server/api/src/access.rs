//! Roles and scopes: who may do what, where.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::BucketName;

/// What a principal may do within a scope. Each role includes those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Metadata and locations.
    Viewer,
    /// Rows, search, downloads and vended read credentials.
    Reader,
    /// Create, write, tag, branch, restore, rename, deregister, drop of an unprotected table, jobs.
    Editor,
    /// Of a bucket: settings, protection, cascade, grants. Of the server: people, storage, audit.
    Admin,
}

impl Role {
    pub const ALL: [Self; 4] = [Self::Viewer, Self::Reader, Self::Editor, Self::Admin];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Reader => "reader",
            Self::Editor => "editor",
            Self::Admin => "admin",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Role {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|role| role.as_str() == text)
            .ok_or_else(|| "Not a role. Use viewer, reader, editor or admin".to_owned())
    }
}

/// Where a grant holds: everywhere on this server, or in one bucket.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    Server,
    Bucket(BucketName),
}
