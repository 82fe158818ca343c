//! Small guests written as text: each export's body is given, the rest is the least that loads.

use std::fmt::Write;

use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::Resolve;

use crate::bindings::WIT;

/// Where a guest may keep its answers.
pub(super) const SCRATCH: u32 = 16 << 10;
/// Where text given to [`Guest::text`] stands.
pub(super) const TEXT: u32 = 8 << 10;

/// A guest that answers `info` as plugin `evil` with one format, and errors to everything else.
pub(super) struct Guest {
    pub(super) info: String,
    pub(super) describe: String,
    pub(super) preview: String,
    /// Further definitions of the module.
    pub(super) extra: String,
    /// Text in memory at [`TEXT`].
    pub(super) text: String,
    pub(super) id: &'static str,
}

impl Default for Guest {
    fn default() -> Self {
        Self {
            info: "i32.const 1024".to_owned(),
            describe: refusal(),
            preview: refusal(),
            extra: String::new(),
            text: String::new(),
            id: "evil",
        }
    }
}

/// Answers that the table is of another format: err, then the first case, at the scratch.
pub(super) fn refusal() -> String {
    format!("(i32.store8 (i32.const {SCRATCH}) (i32.const 1)) i32.const {SCRATCH}")
}

impl Guest {
    pub(super) fn build(&self) -> Vec<u8> {
        let mut wasm = wat::parse_str(self.module()).unwrap();
        let mut resolve = Resolve::default();
        let package = resolve.push_str("describer.wit", WIT).unwrap();
        let world = resolve.select_world(&[package], Some("describer-plugin")).unwrap();
        embed_component_metadata(&mut wasm, &resolve, world, StringEncoding::UTF8).unwrap();
        ComponentEncoder::default().module(&wasm).unwrap().validate(true).encode().unwrap()
    }

    fn module(&self) -> String {
        let subject = "(param i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32)";
        let describer = "lakeglass:describer/describer@0.1.0";
        let refuse = refusal();
        let Self { info, describe, preview, extra, text, .. } = self;
        format!(
            r#"(module
              (import "lakeglass:describer/object-store@0.1.0" "read"
                (func $read (param i32 i32 i32 i64 i32 i32 i32 i32 i32)))
              (import "lakeglass:describer/object-store@0.1.0" "head" (func $head (param i32 i32 i32)))
              (import "lakeglass:describer/log@0.1.0" "log" (func $log (param i32 i32 i32)))
              (memory (export "memory") 2)
              (global $heap (mut i32) (i32.const 65536))
              (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32)
                (local $at i32)
                (global.set $heap (i32.and (i32.add (global.get $heap) (i32.const 7)) (i32.const -8)))
                (local.set $at (global.get $heap))
                (global.set $heap (i32.add (global.get $heap) (local.get 3)))
                (local.get $at))
              (func (export "{describer}#info") (result i32) {info})
              (func (export "{describer}#detect") (param i32 i32 i32 i32 i32 i32 i32) (result i32) {refuse})
              (func $describe (export "{describer}#describe") {subject} (result i32) {describe})
              (func (export "{describer}#history") (param i32) (result i32)
                (i32.store8 (i32.const {SCRATCH}) (i32.const 0))
                (i64.store (i32.const {payload}) (i64.const 0))
                (i64.store (i32.const {after}) (i64.const 0))
                i32.const {SCRATCH})
              (func (export "{describer}#facet-rows") (param i32) (result i32) {refuse})
              (func (export "{describer}#preview") (param i32) (result i32) {preview})
              {extra}
              (data (i32.const 1024) "{image}")
              (data (i32.const {TEXT}) "{text}"))"#,
            payload = SCRATCH + 8,
            after = SCRATCH + 16,
            image = self.about(),
        )
    }

    /// The record that `info` points at, at 1024, with what it refers to behind it.
    fn about(&self) -> String {
        let mut image = vec![0_u8; 512];
        let base = 1024_u32;
        let mut end = 256_u32;
        let put = |image: &mut Vec<u8>, at: u32, value: u32| {
            image[at as usize..at as usize + 4].copy_from_slice(&value.to_le_bytes());
        };
        let mut string = |image: &mut Vec<u8>, at: u32, text: &str| {
            image[end as usize..end as usize + text.len()].copy_from_slice(text.as_bytes());
            put(image, at, base + end);
            put(image, at + 4, u32::try_from(text.len()).unwrap());
            end += u32::try_from(text.len()).unwrap();
        };
        string(&mut image, 0, self.id);
        string(&mut image, 8, "0.0.1");
        // One format at 64: identifier, title, one target at 200 (a single object).
        string(&mut image, 64, "evil");
        string(&mut image, 72, "Evil");
        put(&mut image, 16, base + 64);
        put(&mut image, 20, 1);
        put(&mut image, 64 + 28, base + 200);
        put(&mut image, 64 + 32, 1);
        image[200] = 1;
        image[64 + 44] = 1;
        image.iter().fold(String::new(), |mut text, byte| {
            let _ = write!(text, "\\{byte:02x}");
            text
        })
    }
}
