//! What a component asks for, found before any of it is compiled.

use wasmparser::{Validator, WasmFeatures};
use wit_component::DecodedWasm;
use wit_parser::{Resolve, WorldItem};

use crate::bindings::WIT;
use crate::failure::LoadError;

/// The largest component accepted, in bytes.
pub(crate) const MAX_WASM: usize = 64 << 20;

/// Refuses what is not a component, wants an import outside the world, or lacks the world's export.
pub(crate) fn check(name: &str, wasm: &[u8]) -> Result<(), LoadError> {
    let named = || name.to_owned();
    if wasm.len() > MAX_WASM {
        return Err(LoadError::TooLarge(named(), MAX_WASM >> 20));
    }
    if !wasmparser::Parser::is_component(wasm) {
        return Err(LoadError::NotAComponent(named(), "it is something else".to_owned()));
    }
    let features = WasmFeatures::WASM2 | WasmFeatures::COMPONENT_MODEL | WasmFeatures::EXTENDED_CONST;
    Validator::new_with_features(features)
        .validate_all(wasm)
        .map_err(|error| LoadError::NotAComponent(named(), error.to_string()))?;
    let decoded = wit_component::decode(wasm)
        .map_err(|error| LoadError::NotAComponent(named(), format!("{error:#}")))?;
    let DecodedWasm::Component(found, world) = decoded else {
        return Err(LoadError::NotAComponent(named(), "it holds an interface and no code".to_owned()));
    };

    let mut ours = Resolve::default();
    let package = ours
        .push_str("describer.wit", WIT)
        .map_err(|error| LoadError::WrongWorld(named(), format!("{error:#}")))?;
    let target = ours
        .select_world(&[package], Some("describer-plugin"))
        .map_err(|error| LoadError::WrongWorld(named(), format!("{error:#}")))?;
    let allowed: Vec<String> =
        ours.worlds[target].imports.keys().map(|key| ours.name_world_key(key)).collect();
    for (key, item) in &found.worlds[world].imports {
        let asked = found.name_world_key(key);
        // A bare type brings nothing in.
        if !matches!(item, WorldItem::Type { .. }) && !allowed.contains(&asked) {
            return Err(LoadError::ForbiddenImport(named(), asked));
        }
    }
    wit_component::targets(&ours, target, wasm)
        .map_err(|error| LoadError::WrongWorld(named(), format!("{error:#}")))
}
