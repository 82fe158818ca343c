//! Merges flags, environment and `lakeglass.toml` into a [`Config`], and says what is wrong with it.

use std::net::{IpAddr, SocketAddr};
use std::num::{NonZeroU16, NonZeroU32};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use lakeglass_server::Config;
use serde::Deserialize;
use url::Url;

use crate::cli::ServeArgs;

/// Keys of `lakeglass.toml`, the same words as the flags.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct File {
    data: Option<PathBuf>,
    listen: Option<SocketAddr>,
    public_url: Option<String>,
    demo: Option<bool>,
    insecure_http: Option<bool>,
    assets: Option<PathBuf>,
    plugins: Option<PathBuf>,
    max_arrow_bytes: Option<u64>,
    #[serde(default)]
    storage_roots: Vec<PathBuf>,
    allow_private_addresses: Option<bool>,
    #[serde(default)]
    trusted_proxies: Vec<IpAddr>,
    open_metrics: Option<bool>,
    requests_per_second: Option<NonZeroU32>,
    concurrent_requests: Option<NonZeroU16>,
    sweep_minutes: Option<u32>,
    log_json: Option<bool>,
}

/// A [`Config`] and what only the program itself needs.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) config: Config,
    /// Folder of first-party describers.
    pub(crate) plugins: PathBuf,
    pub(crate) log_json: bool,
}

/// Flags and variables win over the file, the file over defaults. Paths in the file are relative to it.
pub(crate) fn load(args: ServeArgs) -> Result<Settings> {
    let (file, folder) = read(args.config.as_deref())?;
    let from_file = |path: PathBuf| folder.join(path);
    let data = args.data.or_else(|| file.data.map(from_file)).unwrap_or_else(|| PathBuf::from("data"));
    let mut config = Config::for_data(data);
    if let Some(listen) = args.listen.or(file.listen) {
        config.listen = listen;
    }
    let public_url =
        file.public_url.map(|text| Url::parse(&text).context("public-url is not a URL")).transpose()?;
    config.public_url = args.public_url.or(public_url);
    config.insecure_http = args.insecure_http || file.insecure_http.unwrap_or(false);
    config.demo = args.demo || file.demo.unwrap_or(false);
    config.assets = args.assets.or_else(|| file.assets.map(from_file)).unwrap_or_else(|| beside("assets"));
    if let Some(bytes) = args.max_arrow_bytes.or(file.max_arrow_bytes) {
        config.max_arrow_bytes = bytes;
    }
    config.storage_roots = if args.storage_roots.is_empty() {
        file.storage_roots.into_iter().map(from_file).collect()
    } else {
        args.storage_roots
    };
    config.allow_private_addresses = args.allow_private_addresses
        || file.allow_private_addresses.unwrap_or_else(|| config.listen.ip().is_loopback());
    config.trusted_proxies =
        if args.trusted_proxies.is_empty() { file.trusted_proxies } else { args.trusted_proxies };
    config.open_metrics = args.open_metrics || file.open_metrics.unwrap_or(false);
    if let Some(rate) = args.requests_per_second.or(file.requests_per_second.map(NonZeroU32::get)) {
        config.requests_per_second = rate;
    }
    if let Some(together) = args.concurrent_requests.or(file.concurrent_requests.map(NonZeroU16::get)) {
        config.concurrent_requests = usize::from(together);
    }
    if let Some(minutes) = args.sweep_minutes.or(file.sweep_minutes) {
        config.sweep_minutes = minutes;
    }
    let plugins = args.plugins.or_else(|| file.plugins.map(from_file)).unwrap_or_else(|| beside("plugins"));
    let settings = Settings { config, plugins, log_json: args.log_json || file.log_json.unwrap_or(false) };
    refuse(&settings.config)?;
    Ok(settings)
}

/// What must not be served at all.
fn refuse(config: &Config) -> Result<()> {
    let https = config.public_url.as_ref().is_some_and(|url| url.scheme() == "https");
    config.check()?;
    let public_is_loopback = config
        .public_url
        .as_ref()
        .is_none_or(|url| matches!(url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]")));
    let local = config.listen.ip().is_loopback() && public_is_loopback;
    if !https && !local && !config.insecure_http {
        bail!(
            "plain HTTP away from this machine would send passwords and tokens in the clear. Put a TLS proxy in \
             front and pass --public-url https://…, or accept the risk with --insecure-http"
        );
    }
    if config.public_url.is_none() && !config.listen.ip().is_loopback() {
        bail!("--public-url is needed when listening on {}: links and cookies depend on it", config.listen);
    }
    Ok(())
}

fn read(named: Option<&Path>) -> Result<(File, PathBuf)> {
    let path = named.unwrap_or(Path::new("lakeglass.toml"));
    if named.is_none() && !path.exists() {
        return Ok((File::default(), PathBuf::new()));
    }
    let text = std::fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))?;
    let file = toml::from_str(&text).with_context(|| format!("{} is not right", path.display()))?;
    Ok((file, path.parent().map(Path::to_path_buf).unwrap_or_default()))
}

/// Where a folder of ours lies: beside the program when deployed, else where the build puts it.
fn beside(name: &str) -> PathBuf {
    let folder =
        std::env::current_exe().ok().and_then(|exe| exe.parent().map(Path::to_path_buf)).unwrap_or_default();
    let deployed = folder.join(name);
    if deployed.is_dir() { deployed } else { folder.join("../lakeglass").join(name) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser as _;

    fn args(line: &[&str]) -> ServeArgs {
        let words = ["lakeglass", "serve"].iter().chain(line);
        match crate::cli::Cli::parse_from(words).command {
            crate::cli::Command::Serve(args) => args,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn flags_win_over_the_file_and_its_paths_are_relative_to_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("lakeglass.toml");
        std::fs::write(&file, "data = \"kept\"\nlisten = \"127.0.0.1:9\"\ndemo = true\n").unwrap();
        let settings = load(args(&["--config", file.to_str().unwrap(), "--listen", "127.0.0.1:7"])).unwrap();
        assert_eq!(settings.config.listen.port(), 7);
        assert_eq!(settings.config.data, folder.path().join("kept"));
        assert!(settings.config.demo);
    }

    #[test]
    fn limits_come_from_flags_or_the_file_and_nought_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("lakeglass.toml");
        let keys = "trusted-proxies = [\"10.0.0.1\"]\nopen-metrics = true\nsweep-minutes = 0\n\
                    requests-per-second = 7\nconcurrent-requests = 9\n";
        std::fs::write(&file, keys).unwrap();
        let flags = ["--config", file.to_str().unwrap(), "--requests-per-second", "5"];
        let config = load(args(&flags)).unwrap().config;
        assert_eq!(config.trusted_proxies, [IpAddr::from([10, 0, 0, 1])]);
        assert!(config.open_metrics);
        assert_eq!((config.requests_per_second, config.concurrent_requests), (5, 9));
        assert_eq!(config.sweep_minutes, 0);

        std::fs::write(&file, "requests-per-second = 0\n").unwrap();
        assert!(load(args(&flags[..2])).is_err());
    }

    #[test]
    fn an_unknown_key_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("lakeglass.toml");
        std::fs::write(&file, "lisen = \"127.0.0.1:9\"\n").unwrap();
        let error = load(args(&["--config", file.to_str().unwrap()])).unwrap_err();
        assert!(format!("{error:#}").contains("lisen"), "{error:#}");
    }

    #[test]
    fn plain_http_away_from_loopback_is_refused_unless_asked_for() {
        let far = ["--listen", "0.0.0.0:80", "--public-url", "http://lake.example"];
        assert!(load(args(&far)).is_err());
        assert!(load(args(&[&far[..], &["--insecure-http"]].concat())).is_ok());
        assert!(load(args(&["--listen", "0.0.0.0:80", "--public-url", "https://lake.example"])).is_ok());
        assert!(load(args(&["--listen", "0.0.0.0:80"])).is_err());
    }
}
