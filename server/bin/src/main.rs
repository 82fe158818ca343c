//! `lakeglass`: the command line, and the only place that knows every crate.

mod backup;
mod cli;
mod commands;
mod conformance;
mod engines;
mod folder;
mod serve;
mod settings;

use std::process::ExitCode;

use clap::Parser as _;

fn main() -> ExitCode {
    let cli = cli::Cli::parse();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("lakeglass: no threads could be started: {error}");
            return ExitCode::FAILURE;
        }
    };
    let outcome = runtime.block_on(commands::run(cli));
    // Blocking work that nobody waits for any more (a compile, a hash) must not hold the process.
    runtime.shutdown_timeout(std::time::Duration::from_secs(2));
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("lakeglass: {error:#}");
            ExitCode::FAILURE
        }
    }
}
