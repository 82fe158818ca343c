//! The command line. Every flag of `serve` has a `LAKEGLASS_` variable and a key in `lakeglass.toml`.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use lakeglass_api::{BucketName, Role};
use url::Url;

/// The console for buckets of tables, with a Lance Namespace server over them.
#[derive(Debug, Parser)]
#[command(name = "lakeglass", version, disable_help_subcommand = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run the server
    Serve(ServeArgs),
    /// Say what `serve` would run with, and what is wrong with it
    Check(ServeArgs),
    /// Manage people; works while a server runs and while none does
    #[command(subcommand)]
    User(UserCommand),
    /// Manage API tokens
    #[command(subcommand)]
    Token(TokenCommand),
    /// Print a new one-time link to create the first administrator
    SetupLink {
        #[command(flatten)]
        data: DataArg,
        /// What people type to reach the server
        #[arg(long, env = "LAKEGLASS_PUBLIC_URL", default_value = "http://127.0.0.1:8080")]
        public_url: Url,
    },
    /// Read the audit log
    #[command(subcommand)]
    Audit(AuditCommand),
    /// Judge servers of the Lance Namespace specification
    #[command(subcommand)]
    Namespace(NamespaceCommand),
    /// Copy the database, and on request the secrets' key, into one tar file
    Backup {
        /// The file to make; it must not exist
        file: PathBuf,
        #[command(flatten)]
        data: DataArg,
        /// Include the key that opens stored secrets; whoever has the file can then read them
        #[arg(long)]
        include_key: bool,
    },
}

#[derive(Debug, Clone, Args)]
pub(crate) struct DataArg {
    /// The server's data folder
    #[arg(long, env = "LAKEGLASS_DATA", default_value = "data")]
    pub(crate) data: PathBuf,
}

/// Flags of `serve`; what is not given comes from the environment, then `lakeglass.toml`, then defaults.
#[derive(Debug, Clone, Args)]
#[expect(clippy::struct_excessive_bools, reason = "independent switches")]
pub(crate) struct ServeArgs {
    /// Settings file [default: lakeglass.toml, when there is one]
    #[arg(long, env = "LAKEGLASS_CONFIG")]
    pub(crate) config: Option<PathBuf>,
    /// Folder for the database, secrets' key, spools and the default storage [default: data]
    #[arg(long, env = "LAKEGLASS_DATA")]
    pub(crate) data: Option<PathBuf>,
    /// Address to serve on [default: 127.0.0.1:8080]
    #[arg(long, env = "LAKEGLASS_LISTEN")]
    pub(crate) listen: Option<SocketAddr>,
    /// What people and clients type to reach the server
    #[arg(long, env = "LAKEGLASS_PUBLIC_URL")]
    pub(crate) public_url: Option<Url>,
    /// Load the demo data after the first start
    #[arg(long, env = "LAKEGLASS_DEMO")]
    pub(crate) demo: bool,
    /// Allow plain HTTP away from loopback; every page then shows a warning
    #[arg(long, env = "LAKEGLASS_INSECURE_HTTP")]
    pub(crate) insecure_http: bool,
    /// Folder of the browser bundle [default: found beside the program]
    #[arg(long, env = "LAKEGLASS_ASSETS")]
    pub(crate) assets: Option<PathBuf>,
    /// Folder of first-party describers, *.wasm [default: found beside the program]
    #[arg(long, env = "LAKEGLASS_PLUGINS")]
    pub(crate) plugins: Option<PathBuf>,
    /// Largest Arrow body accepted, in bytes [default: 1 GiB]
    #[arg(long, env = "LAKEGLASS_MAX_ARROW_BYTES")]
    pub(crate) max_arrow_bytes: Option<u64>,
    /// A local folder under which storages may be made; may be repeated
    #[arg(long = "storage-root", env = "LAKEGLASS_STORAGE_ROOTS", value_delimiter = ':')]
    pub(crate) storage_roots: Vec<PathBuf>,
    /// Let storages and upstreams use loopback and private addresses
    #[arg(long, env = "LAKEGLASS_ALLOW_PRIVATE_ADDRESSES")]
    pub(crate) allow_private_addresses: bool,
    /// A proxy in front whose `X-Forwarded-For` is believed; may be repeated
    #[arg(long = "trusted-proxy", env = "LAKEGLASS_TRUSTED_PROXIES", value_delimiter = ',')]
    pub(crate) trusted_proxies: Vec<IpAddr>,
    /// Serve `/metrics` without a session or token
    #[arg(long, env = "LAKEGLASS_OPEN_METRICS")]
    pub(crate) open_metrics: bool,
    /// Requests that one person, token or address may make each second, on average [default: 200]
    #[arg(long, env = "LAKEGLASS_REQUESTS_PER_SECOND", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) requests_per_second: Option<u32>,
    /// Requests of one person, token or address at a time [default: 64]
    #[arg(long, env = "LAKEGLASS_CONCURRENT_REQUESTS", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) concurrent_requests: Option<u16>,
    /// Minutes between two rounds of looking at tables in the background; 0 for none [default: 15]
    #[arg(long, env = "LAKEGLASS_SWEEP_MINUTES")]
    pub(crate) sweep_minutes: Option<u32>,
    /// Log lines as JSON
    #[arg(long, env = "LAKEGLASS_LOG_JSON")]
    pub(crate) log_json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum UserCommand {
    /// Add a person
    Add {
        name: String,
        /// Role on the server: viewer, reader, editor or admin; none: sees only what buckets grant
        #[arg(long)]
        role: Option<Role>,
        /// Read the password from standard input
        #[arg(long, required = true)]
        password_stdin: bool,
        #[command(flatten)]
        data: DataArg,
    },
    /// Set a person's password; their sessions end
    SetPassword {
        name: String,
        #[arg(long, required = true)]
        password_stdin: bool,
        #[command(flatten)]
        data: DataArg,
    },
    /// Keep a person out; their sessions and tokens end at once
    Disable {
        name: String,
        #[command(flatten)]
        data: DataArg,
    },
    /// Let a person back in
    Enable {
        name: String,
        #[command(flatten)]
        data: DataArg,
    },
    /// List people and their roles
    List {
        #[command(flatten)]
        data: DataArg,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum TokenCommand {
    /// Make a token and print it, once, alone on standard output
    Create {
        #[arg(long)]
        name: String,
        #[arg(long)]
        role: Role,
        /// Limit it to this bucket
        #[arg(long)]
        bucket: Option<BucketName>,
        /// Days until it expires
        #[arg(long)]
        days: u32,
        #[command(flatten)]
        data: DataArg,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum AuditCommand {
    /// Check the chain of records, and print its head
    Verify {
        #[command(flatten)]
        data: DataArg,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum NamespaceCommand {
    /// Run the conformance suite against a server, this one or any other
    Conformance(ConformanceArgs),
    /// Put reports of several servers side by side
    Compare {
        /// Reports that `conformance --json` wrote
        #[arg(required = true)]
        reports: Vec<PathBuf>,
        /// Write the document to this file [default: standard output]
        #[arg(long)]
        markdown: Option<PathBuf>,
    },
}

#[derive(Args)]
pub(crate) struct ConformanceArgs {
    /// What stands before /v1/ in the server's URLs: for Lakeglass, http://…/lance
    pub(crate) url: String,
    /// A header to send, as 'name: value'; may be repeated
    #[arg(long = "header")]
    pub(crate) headers: Vec<String>,
    /// Read an API key from standard input and send it as x-api-key, so that no command line shows it
    #[arg(long)]
    pub(crate) token_stdin: bool,
    /// Headers of somebody who may read what the suite makes, and not write
    #[arg(long)]
    pub(crate) reader_header: Vec<String>,
    /// Headers of somebody who may see nothing of what the suite makes
    #[arg(long)]
    pub(crate) stranger_header: Vec<String>,
    /// An existing namespace to build everything in, as bucket$namespace [default: found by probing]
    #[arg(long)]
    pub(crate) root: Option<String>,
    /// The server's largest Arrow body in bytes; without it, nothing is sent to be too large
    #[arg(long)]
    pub(crate) max_arrow_bytes: Option<u64>,
    /// Ask for how Lakeglass names and bounds things too
    #[arg(long)]
    pub(crate) own_rules: bool,
    /// Run only cases whose operation, group or title holds this
    #[arg(long)]
    pub(crate) only: Option<String>,
    /// How many cases run side by side
    #[arg(long, default_value_t = 4)]
    pub(crate) jobs: usize,
    /// What to call the server in reports [default: the URL's host]
    #[arg(long)]
    pub(crate) name: Option<String>,
    /// Write every case and how it went to this file
    #[arg(long)]
    pub(crate) json: Option<PathBuf>,
    /// Write the matrix as a document to this file
    #[arg(long)]
    pub(crate) markdown: Option<PathBuf>,
}

// Headers hold credentials.
impl std::fmt::Debug for ConformanceArgs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ConformanceArgs").field("url", &self.url).finish_non_exhaustive()
    }
}
