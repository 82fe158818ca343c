//! The OpenAPI document of `/api/v1`, built from the table of routes.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use axum::Json;
use http::Method;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, Http, HttpAuthScheme, SecurityScheme};
use utoipa::openapi::{
    ComponentsBuilder, InfoBuilder, OpenApi, OpenApiBuilder, PathItem, PathsBuilder, SecurityRequirement,
};

use crate::router::{Route, Surface, Who};

pub fn routes() -> Vec<Route> {
    vec![Route::api(Method::GET, "/api/v1/openapi.json", Who::SignedIn, serve).doc::<__path_serve>()]
}

/// This document
#[utoipa::path(get, path = "/api/v1/openapi.json", tag = "server",
    responses((status = 200, body = serde_json::Value)))]
async fn serve() -> Json<&'static OpenApi> {
    static DOCUMENT: LazyLock<OpenApi> = LazyLock::new(document);
    Json(&DOCUMENT)
}

/// The whole document, in a stable order.
pub fn document() -> OpenApi {
    let mut items: BTreeMap<String, PathItem> = BTreeMap::new();
    let mut schemas = BTreeMap::new();
    for route in crate::router::table() {
        let (Surface::Api, Some((operation, collect))) = (route.surface, route.operation) else { continue };
        let item = items.entry(route.path.replace("{*", "{")).or_default();
        let mut operation = operation();
        operation.operation_id = Some(operation_id(&route));
        let place = match route.method {
            Method::PUT => &mut item.put,
            Method::POST => &mut item.post,
            Method::DELETE => &mut item.delete,
            Method::PATCH => &mut item.patch,
            _ => &mut item.get,
        };
        *place = Some(operation);
        let mut found = Vec::new();
        collect(&mut found);
        schemas.extend(found);
    }
    let mut paths = PathsBuilder::new();
    for (path, item) in items {
        paths = paths.path(path, item);
    }
    let bearer = SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer));
    let key = SecurityScheme::ApiKey(ApiKey::Header(ApiKeyValue::new("x-api-key")));
    let components = ComponentsBuilder::new()
        .schemas_from_iter(schemas)
        .security_scheme("bearer", bearer)
        .security_scheme("key", key)
        .build();
    let info = InfoBuilder::new().title("Lakeglass").version("1").description(Some(
        "Admin API of a Lakeglass server. Errors are RFC 9457 problem documents. \
         64-bit ids and versions are strings, times are milliseconds since 1970.",
    ));
    let none: [&str; 0] = [];
    OpenApiBuilder::new()
        .info(info.build())
        .paths(paths.build())
        .components(Some(components))
        .security(Some([SecurityRequirement::new("bearer", none), SecurityRequirement::new("key", none)]))
        .build()
}

/// `GET /api/v1/users/{name}/grants` is `get_users_name_grants`: unique, and as stable as the path.
fn operation_id(route: &Route) -> String {
    let path = route.path.trim_start_matches("/api/v1/");
    let words: String = path.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let words: Vec<&str> = words.split('_').filter(|word| !word.is_empty()).collect();
    format!("{}_{}", route.method.as_str().to_lowercase(), words.join("_"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/openapi.json");

    #[test]
    fn every_api_route_is_described() {
        for route in crate::router::table() {
            if route.surface == Surface::Api {
                assert!(
                    route.operation.is_some(),
                    "{route:?} has no #[utoipa::path]: add .doc::<__path_…>()"
                );
            }
        }
    }

    /// Run with `UPDATE_OPENAPI=1` to write the file anew, then read the difference.
    #[test]
    fn the_document_is_as_committed() {
        let mut text = serde_json::to_string_pretty(&document()).unwrap();
        text.push('\n');
        if std::env::var_os("UPDATE_OPENAPI").is_some() {
            std::fs::write(FILE, &text).unwrap();
        }
        let committed = std::fs::read_to_string(FILE).unwrap_or_default();
        assert!(committed == text, "docs/openapi.json is stale: run this test with UPDATE_OPENAPI=1");
    }

    #[test]
    fn each_schema_that_is_named_exists() {
        let document = serde_json::to_value(document()).unwrap();
        let text = document.to_string();
        for part in text.split("\"#/components/schemas/").skip(1) {
            let name = part.split('"').next().unwrap();
            assert!(document["components"]["schemas"].get(name).is_some(), "{name} is not described");
        }
    }
}
