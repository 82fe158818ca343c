//! `lakeglass namespace`: the conformance suite, run against any server.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use lakeglass_conformance::{Options, Report, compare};

use crate::cli::{ConformanceArgs, NamespaceCommand};
use crate::commands::{print, secret};

pub(crate) async fn run(command: NamespaceCommand) -> Result<()> {
    match command {
        NamespaceCommand::Conformance(args) => conformance(args).await,
        NamespaceCommand::Compare { reports, markdown } => {
            let reports = reports.iter().map(|path| read(path)).collect::<Result<Vec<_>>>()?;
            let document = compare(&reports);
            match markdown {
                Some(path) => write(&path, &document),
                None => print(document.trim_end()),
            }
        }
    }
}

async fn conformance(args: ConformanceArgs) -> Result<()> {
    let mut headers = args.headers;
    if args.token_stdin {
        headers.push(format!("x-api-key: {}", secret()?));
    }
    let options = Options {
        name: args.name.unwrap_or_else(|| host(&args.url)),
        url: args.url,
        headers,
        reader: args.reader_header,
        stranger: args.stranger_header,
        root: args.root,
        max_arrow_bytes: args.max_arrow_bytes,
        own: args.own_rules,
        only: args.only,
        jobs: args.jobs,
    };
    let report = lakeglass_conformance::run(&options).await?;
    if let Some(path) = args.json {
        write(&path, &serde_json::to_string_pretty(&report)?)?;
    }
    if let Some(path) = args.markdown {
        write(&path, &compare(std::slice::from_ref(&report)))?;
    }
    print(report.text().trim_end())?;
    match report.failures().count() {
        0 => Ok(()),
        failed => bail!("{failed} cases failed"),
    }
}

fn host(url: &str) -> String {
    let parsed = url::Url::parse(url).ok();
    parsed.and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_else(|| url.to_owned())
}

fn read(path: &Path) -> Result<Report> {
    let text = fs::read(path).with_context(|| format!("{} cannot be read", path.display()))?;
    serde_json::from_slice(&text).with_context(|| format!("{} is no report", path.display()))
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).with_context(|| format!("{} cannot be written", path.display()))
}
