//! Every command but `serve`. They work on the data folder directly, also while a server runs on it.

use std::io::{Read as _, Write as _};
use std::path::Path;

use anyhow::{Context, Result, bail};
use lakeglass_api::{BucketName, ListQuery, Role, Scope};
use lakeglass_server::audit::Audit;
use lakeglass_server::auth::{Actor, Auth, CookieRules, NewTokenRequest, NewUser};
use lakeglass_server::db::Db;
use tracing_subscriber::EnvFilter;

use crate::cli::{AuditCommand, Cli, Command, ServeArgs, TokenCommand, UserCommand};
use crate::{backup, conformance, folder, serve, settings};

pub(crate) async fn run(cli: Cli) -> Result<()> {
    match cli.command {
        Command::Serve(args) => {
            let settings = settings::load(args)?;
            log(settings.log_json);
            serve::run(settings).await
        }
        Command::Check(args) => check(args),
        Command::User(command) => user(command).await,
        Command::Token(command) => token(command).await,
        Command::SetupLink { data, public_url } => {
            let auth = auth(&data.data).await?;
            let code = auth.new_setup_code().await?;
            print(&format!("{}/setup?code={code}", public_url.as_str().trim_end_matches('/')))
        }
        Command::Audit(AuditCommand::Verify { data }) => verify(&data.data).await,
        Command::Namespace(command) => conformance::run(command).await,
        Command::Backup { file, data, include_key } => backup::run(&data.data, &file, include_key).await,
    }
}

fn log(json: bool) {
    let filter = EnvFilter::try_from_env("LAKEGLASS_LOG")
        .unwrap_or_else(|_| EnvFilter::new("info,lance=warn,sqlx=warn"));
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    if json { builder.json().init() } else { builder.with_ansi(false).init() }
}

pub(crate) fn print(line: &str) -> Result<()> {
    writeln!(std::io::stdout().lock(), "{line}").context("standard output is closed")
}

/// The actor of everything done on the host itself.
fn host() -> Actor {
    Actor::system("command line")
}

async fn open(data: &Path) -> Result<Db> {
    folder::existing(data)?;
    Ok(Db::open(data).await?)
}

async fn auth(data: &Path) -> Result<Auth> {
    let db = open(data).await?;
    Ok(Auth::new(db.clone(), Audit::new(db), CookieRules { secure: false }))
}

fn check(args: ServeArgs) -> Result<()> {
    let settings = settings::load(args)?;
    let config = &settings.config;
    print(&format!("data folder       {}", config.data.display()))?;
    print(&format!("listen            {}", config.listen))?;
    let public =
        config.public_url.as_ref().map_or("the request's own host, on loopback only", |url| url.as_str());
    print(&format!("public URL        {public}"))?;
    print(&format!("browser bundle    {}", config.assets.display()))?;
    print(&format!("describers        {}", settings.plugins.display()))?;
    print(&format!("largest Arrow     {} bytes", config.max_arrow_bytes))?;
    print(&format!("demo data         {}", if config.demo { "after the first start" } else { "no" }))?;
    let mut wrong = Vec::new();
    if !config.assets.join("assets.json").exists() {
        wrong.push(format!(
            "{} holds no browser bundle: run `cargo xtask bundle` or pass --assets",
            config.assets.display()
        ));
    }
    if config.insecure_http {
        wrong.push("plain HTTP is allowed: passwords and tokens can be read on the way".to_owned());
    }
    for root in config.storage_roots.iter().filter(|root| !root.is_dir()) {
        wrong.push(format!("the storage root {} is not a folder", root.display()));
    }
    if wrong.is_empty() {
        return print("Nothing is wrong with these settings");
    }
    for line in &wrong {
        print(&format!("wrong: {line}"))?;
    }
    bail!("{} things to mend", wrong.len())
}

/// A secret: standard input, without the end of its line.
pub(crate) fn secret() -> Result<String> {
    let mut text = String::new();
    std::io::stdin().lock().take(4096).read_to_string(&mut text).context("standard input cannot be read")?;
    let line = text.strip_suffix('\n').unwrap_or(&text);
    Ok(line.strip_suffix('\r').unwrap_or(line).to_owned())
}

async fn user(command: UserCommand) -> Result<()> {
    let actor = host();
    match command {
        UserCommand::Add { name, role, password_stdin: _, data } => {
            // A first user can be made before the first start.
            folder::make(&data.data)?;
            let db = Db::open(&data.data).await?;
            let auth = Auth::new(db.clone(), Audit::new(db), CookieRules { secure: false });
            auth.add_user(&actor, NewUser { name: &name, password: &secret()?, role }).await?;
            print(&format!("Added {name}"))
        }
        UserCommand::SetPassword { name, password_stdin: _, data } => {
            auth(&data.data).await?.set_password(&actor, &name, &secret()?).await?;
            print(&format!("Set the password of {name}; their sessions have ended"))
        }
        UserCommand::Disable { name, data } => {
            auth(&data.data).await?.disable_user(&actor, &name).await?;
            print(&format!("Disabled {name}"))
        }
        UserCommand::Enable { name, data } => {
            auth(&data.data).await?.enable_user(&actor, &name).await?;
            print(&format!("Enabled {name}"))
        }
        UserCommand::List { data } => list(&auth(&data.data).await?).await,
    }
}

async fn list(auth: &Auth) -> Result<()> {
    let mut query = ListQuery::default();
    loop {
        let page = auth.users(&host(), &query).await?;
        for user in page.items {
            let roles: Vec<String> = user
                .grants
                .iter()
                .map(|grant| match &grant.scope {
                    Scope::Server => grant.role.to_string(),
                    Scope::Bucket(bucket) => format!("{} of {bucket}", grant.role),
                })
                .collect();
            let state = if user.disabled { " (disabled)" } else { "" };
            print(&format!("{}{state}\t{}", user.name, roles.join(", ")))?;
        }
        match page.next {
            Some(next) => query.after = Some(next),
            None => return Ok(()),
        }
    }
}

async fn token(command: TokenCommand) -> Result<()> {
    let TokenCommand::Create { name, role, bucket, days, data } = command;
    let grants = vec![grant(role, bucket)];
    let made = auth(&data.data).await?.create_token(&host(), NewTokenRequest { name, grants, days }).await?;
    print(&made.secret)
}

fn grant(role: Role, bucket: Option<BucketName>) -> lakeglass_api::people::RoleGrant {
    lakeglass_api::people::RoleGrant { scope: bucket.map_or(Scope::Server, Scope::Bucket), role }
}

async fn verify(data: &Path) -> Result<()> {
    let found = Audit::new(open(data).await?).verify().await?;
    match found.broken {
        None => print(&format!("{} records, the chain holds, head {}", found.records, found.head)),
        Some((record, why)) => bail!("the chain breaks at record {record}: {why}"),
    }
}
