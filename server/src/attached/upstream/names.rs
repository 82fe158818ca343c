//! [`Names`] over the REST specification.

use std::collections::BTreeMap;

use async_trait::async_trait;
use http::Method;
use lakeglass_api::catalog::Properties;
use lakeglass_ports::{NameMode, NamePage, Names, NamesError, NamesResult, Placed};
use serde::Deserialize;
use serde_json::{Value, json};

use super::client::Upstream;

/// Names asked for at once.
const STEP: &str = "500";

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Listed {
    namespaces: Option<Vec<String>>,
    tables: Option<Vec<String>>,
    page_token: Option<String>,
}

/// What is read of a described, declared or registered table.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Described {
    location: Option<String>,
    table_uri: Option<String>,
    storage_options: Option<BTreeMap<String, String>>,
    properties: Option<BTreeMap<String, Option<String>>>,
    is_only_declared: Option<bool>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Kept {
    properties: Option<BTreeMap<String, Option<String>>>,
}

fn shaped<T: Default + for<'de> Deserialize<'de>>(answer: Value) -> NamesResult<T> {
    if answer.is_null() {
        return Ok(T::default());
    }
    // The message names a position and a type, never the text around it.
    serde_json::from_value(answer).map_err(|error| NamesError::Invalid(error.to_string()))
}

fn texts(properties: Option<BTreeMap<String, Option<String>>>) -> Properties {
    let sent = properties.unwrap_or_default();
    sent.into_iter().filter_map(|(key, value)| Some((key, value?))).collect()
}

fn placed(answer: Value) -> NamesResult<Placed> {
    let Described { location, table_uri, storage_options, properties, is_only_declared } = shaped(answer)?;
    let said = |text: &String| !text.trim().is_empty();
    Ok(Placed {
        location: location.filter(said).or(table_uri.filter(said)),
        options: storage_options.unwrap_or_default(),
        properties: texts(properties),
        declared: is_only_declared,
    })
}

impl Upstream {
    async fn list(&self, operation: &str, parent: &[String], after: Option<&str>) -> NamesResult<Listed> {
        let mut query = vec![("limit".to_owned(), STEP.to_owned())];
        query.extend(after.map(|token| ("page_token".to_owned(), token.to_owned())));
        shaped(self.ask(Method::GET, operation, parent, query, None).await?)
    }

    fn page(
        &self,
        parent: &[String],
        names: Option<Vec<String>>,
        next: Option<String>,
        after: Option<&str>,
    ) -> NamePage {
        let listed = names.unwrap_or_default();
        // Some repeat the token of the last page, or send an empty one.
        let next =
            next.filter(|token| !token.is_empty() && Some(token.as_str()) != after && !listed.is_empty());
        NamePage { names: listed.iter().filter_map(|name| self.leaf(parent, name)).collect(), next }
    }

    async fn post(&self, operation: &str, below: &[String], mut body: Value) -> NamesResult<Value> {
        body["id"] = json!(self.parts(below));
        self.ask(Method::POST, operation, below, Vec::new(), Some(body)).await
    }
}

/// A table's parts below the bucket.
fn table(parent: &[String], name: &str) -> Vec<String> {
    parent.iter().cloned().chain([name.to_owned()]).collect()
}

#[async_trait]
impl Names for Upstream {
    async fn namespaces(&self, parent: &[String], after: Option<&str>) -> NamesResult<NamePage> {
        let listed = self.list("namespace/list", parent, after).await?;
        Ok(self.page(parent, listed.namespaces, listed.page_token, after))
    }

    async fn tables(&self, parent: &[String], after: Option<&str>) -> NamesResult<NamePage> {
        let listed = self.list("namespace/table/list", parent, after).await?;
        Ok(self.page(parent, listed.tables, listed.page_token, after))
    }

    async fn namespace(&self, path: &[String]) -> NamesResult<Properties> {
        let kept: Kept = shaped(self.post("namespace/describe", path, json!({})).await?)?;
        Ok(texts(kept.properties))
    }

    async fn table(&self, parent: &[String], name: &str) -> NamesResult<Placed> {
        let body = json!({ "vend_credentials": true, "check_declared": true });
        placed(self.post("table/describe", &table(parent, name), body).await?)
    }

    async fn create_namespace(
        &self,
        path: &[String],
        properties: &Properties,
        mode: NameMode,
    ) -> NamesResult<Properties> {
        let mode = match mode {
            NameMode::Create => "Create",
            NameMode::ExistOk => "ExistOk",
            NameMode::Overwrite => "Overwrite",
        };
        let body = json!({ "mode": mode, "properties": properties });
        let kept: Kept = shaped(self.post("namespace/create", path, body).await?)?;
        Ok(texts(kept.properties))
    }

    async fn drop_namespace(&self, path: &[String], cascade: bool) -> NamesResult<()> {
        let behavior = if cascade { "Cascade" } else { "Restrict" };
        self.post("namespace/drop", path, json!({ "behavior": behavior })).await.map(drop)
    }

    async fn declare(
        &self,
        parent: &[String],
        name: &str,
        location: Option<&str>,
        properties: &Properties,
    ) -> NamesResult<Placed> {
        let mut body = json!({ "vend_credentials": true });
        if let Some(location) = location {
            body["location"] = json!(location);
        }
        if !properties.is_empty() {
            body["properties"] = json!(properties);
        }
        let mut made = placed(self.post("table/declare", &table(parent, name), body).await?)?;
        made.declared = Some(true);
        Ok(made)
    }

    async fn register(
        &self,
        parent: &[String],
        name: &str,
        location: &str,
        overwrite: bool,
        properties: &Properties,
    ) -> NamesResult<Placed> {
        let mode = if overwrite { "Overwrite" } else { "Create" };
        let body = json!({ "location": location, "mode": mode, "properties": properties });
        placed(self.post("table/register", &table(parent, name), body).await?)
    }

    async fn deregister(&self, parent: &[String], name: &str) -> NamesResult<()> {
        self.post("table/deregister", &table(parent, name), json!({})).await.map(drop)
    }

    async fn drop_table(&self, parent: &[String], name: &str) -> NamesResult<()> {
        self.post("table/drop", &table(parent, name), json!({})).await.map(drop)
    }

    async fn rename(
        &self,
        parent: &[String],
        name: &str,
        new_parent: &[String],
        new_name: &str,
    ) -> NamesResult<()> {
        let body = json!({ "new_table_name": new_name, "new_namespace_id": self.parts(new_parent) });
        self.post("table/rename", &table(parent, name), body).await.map(drop)
    }
}
