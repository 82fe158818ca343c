//! `lakeglass serve`: opens everything, says where it is, and drains when told to stop.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use lakeglass_server::{App, Config};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

use crate::settings::Settings;
use crate::{engines, folder};

/// File in the data folder that holds the one-time set-up link.
const SETUP_FILE: &str = "setup-link";

pub(crate) async fn run(settings: Settings) -> Result<()> {
    lakeglass_server::edge::install_metrics().context("metrics cannot be recorded")?;
    let config = settings.config;
    folder::make(&config.data)?;
    let _lock = folder::lock(&config.data)?;
    let listener = TcpListener::bind(config.listen)
        .await
        .with_context(|| format!("{} cannot be listened on", config.listen))?;
    let address = listener.local_addr()?;
    let engines = engines::open(&config.data, &settings.plugins)?;
    let origin = origin(&config, address.port());
    let data = config.data.clone();
    let app = App::open(config, engines).await?;
    app.start();
    setup_link(&app, &data, &origin).await?;
    println_line(&format!("Lakeglass is ready at {origin}"));
    lakeglass_server::serve(&app, listener, stop_signal()).await?;
    Ok(())
}

/// What people type: the public URL, else the address listened on.
fn origin(config: &Config, port: u16) -> String {
    match &config.public_url {
        Some(url) => url.as_str().trim_end_matches('/').to_owned(),
        None if config.listen.is_ipv6() => format!("http://[::1]:{port}"),
        None => format!("http://{}:{port}", config.listen.ip()),
    }
}

/// Prints the link that makes the first administrator, as long as there is none.
async fn setup_link(app: &Arc<App>, data: &Path, origin: &str) -> Result<()> {
    let file = data.join(SETUP_FILE);
    if !app.auth.needs_set_up().await? {
        let _ = std::fs::remove_file(file);
        return Ok(());
    }
    let link = format!("{origin}/setup?code={}", app.auth.new_setup_code().await?);
    folder::write_private(&file, &format!("{link}\n"))?;
    println_line("Create the first administrator here, within an hour (the link works once):");
    println_line(&format!("  {link}"));
    Ok(())
}

/// For people who start it by hand; the log is on standard error.
fn println_line(text: &str) {
    use std::io::Write as _;
    // A closed standard output is no reason to stop serving.
    let _ = writeln!(std::io::stdout().lock(), "{text}");
}

/// Ends at SIGTERM or Ctrl-C.
async fn stop_signal() {
    let Ok(mut terminate) = signal(SignalKind::terminate()) else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = terminate.recv() => {}
        _ = tokio::signal::ctrl_c() => {}
    }
}
