//! Finding where a server lets namespaces hold tables, and making a place there for the suite.

use serde_json::json;

use crate::case::Need;
use crate::request::{Request, Who};
use crate::scope::Scope;
use crate::server::{Answer, Server};
use crate::{Error, Operation, Options};

/// Where everything is built, and what the server can do there.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    /// Parts below which cases make their namespaces.
    pub(crate) base: Vec<String>,
    /// Whether the base was made here and goes at the end.
    made: bool,
    /// Whether namespaces that hold tables may hold namespaces too.
    nesting: bool,
    /// Whether namespaces may be made directly below the root.
    top: bool,
}

impl Place {
    /// Finds the place. Servers differ: tables live in namespaces of one part on some, and of two or more on
    /// others, whose first part then has rules of its own.
    pub(crate) async fn find(server: &Server, options: &Options, run: &str) -> Result<Self, Error> {
        if let Some(root) = &options.root {
            let base: Vec<String> =
                root.split('$').filter(|part| !part.is_empty()).map(str::to_owned).collect();
            let mut place = Self { base, made: false, nesting: false, top: false };
            place.probe(server, run).await.map_err(Error::NoPlace)?;
            return Ok(place);
        }
        let mut flat = Self { base: Vec::new(), made: false, nesting: false, top: true };
        let Err(shallow) = flat.probe(server, run).await else { return Ok(flat) };
        // A first part is often a bucket's name, which has no underscores.
        let bucket = vec![format!("conformance-{run}")];
        let made = create(server, &bucket).await;
        if !made.as_ref().is_ok_and(Answer::succeeded) {
            let said = made.map_or_else(|said| said, |answer| answer.summary());
            return Err(Error::NoPlace(format!(
                "in a namespace of one part: {shallow}; making one for more parts: {said}. Name one with --root"
            )));
        }
        let mut deep = Self { base: bucket, made: true, nesting: false, top: true };
        match deep.probe(server, run).await {
            Ok(()) => Ok(deep),
            Err(said) => {
                deep.remove(server).await;
                Err(Error::NoPlace(format!("in a namespace of one part: {shallow}; of two: {said}")))
            }
        }
    }

    /// The parts of a namespace of the suite's own.
    pub(crate) fn home(&self, name: &str) -> Vec<String> {
        self.base.iter().cloned().chain([name.to_owned()]).collect()
    }

    /// Makes a namespace, declares a table in it and a namespace below it, and removes all again.
    async fn probe(&mut self, server: &Server, run: &str) -> Result<(), String> {
        let home = self.home(&format!("conformance_{run}_probe"));
        let made = create(server, &home).await?;
        if !made.succeeded() {
            return Err(made.summary());
        }
        let scope = Scope::new(home.clone());
        let declared = server.ask(&Operation::DeclareTable.on("probe").json(json!({})), &scope).await;
        let nested = [home.clone(), vec!["child".to_owned()]].concat();
        self.nesting = create(server, &nested).await.is_ok_and(|answer| answer.succeeded());
        clean(server, &scope).await;
        match declared {
            Ok(answer) if answer.succeeded() => Ok(()),
            Ok(answer) => Err(answer.summary()),
            Err(said) => Err(said),
        }
    }

    /// Why a case with this need means nothing here; none when it does.
    pub(crate) fn lacks(&self, need: Need, server: &Server, options: &Options) -> Option<&'static str> {
        let (met, why) = match need {
            Need::Nesting => (self.nesting, "namespaces that hold tables hold no namespaces here"),
            Need::Top => (self.top, "everything is built below --root"),
            Need::Own => (options.own, "a rule of Lakeglass's own"),
            Need::Credentials => (server.has_credentials(), "no credentials were given to leave out"),
            Need::Reader => (server.knows(Who::Reader), "no credentials of a reader were given"),
            Need::Stranger => (server.knows(Who::Stranger), "no credentials of a stranger were given"),
            Need::ArrowLimit => (options.max_arrow_bytes.is_some(), "the largest Arrow body is not known"),
        };
        (!met).then_some(why)
    }

    /// Takes away what finding the place made.
    pub(crate) async fn remove(&self, server: &Server) {
        if self.made {
            clean(server, &Scope::new(self.base.clone())).await;
        }
    }
}

async fn create(server: &Server, parts: &[String]) -> Result<Answer, String> {
    let request = Operation::CreateNamespace.on("").json(json!({}));
    server.ask(&request, &Scope::new(parts.to_vec())).await
}

/// Removes a case's own namespace and all in it; best effort, because the server may be what is broken.
pub(crate) async fn clean(server: &Server, scope: &Scope) {
    let cascade = Operation::DropNamespace.on("").json(json!({"behavior": "Cascade"}));
    if succeeded(server, &cascade, scope).await {
        return;
    }
    // Servers without Cascade: what is inside first.
    for table in names(server, &Operation::ListTables.on(""), "/tables", scope).await {
        let leaf = table.rsplit('$').next().unwrap_or(&table).to_owned();
        let dropped = succeeded(server, &Operation::DropTable.on(leaf.clone()), scope).await;
        if !dropped {
            succeeded(server, &Operation::DeregisterTable.on(leaf).json(json!({})), scope).await;
        }
    }
    for child in names(server, &Operation::ListNamespaces.on(""), "/namespaces", scope).await {
        let inner = Scope::new([scope.home.clone(), vec![child]].concat());
        Box::pin(clean(server, &inner)).await;
    }
    succeeded(server, &Operation::DropNamespace.on("").json(json!({})), scope).await;
}

async fn succeeded(server: &Server, request: &Request, scope: &Scope) -> bool {
    server.ask(request, scope).await.is_ok_and(|answer| answer.succeeded())
}

async fn names(server: &Server, request: &Request, pointer: &str, scope: &Scope) -> Vec<String> {
    let answer = server.ask(request, scope).await.ok().and_then(|answer| answer.json);
    let list = answer.as_ref().and_then(|json| json.pointer(pointer)?.as_array());
    list.into_iter().flatten().filter_map(|name| name.as_str().map(str::to_owned)).collect()
}
