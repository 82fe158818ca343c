//! Static files under names that carry their hash, compressed once.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::Path;

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

/// Files to serve, by the name that pages use.
#[derive(Default)]
pub(crate) struct Assets {
    files: BTreeMap<String, Vec<u8>>,
}

impl Assets {
    pub(crate) fn add(&mut self, name: &str, bytes: Vec<u8>) {
        self.files.insert(name.to_owned(), bytes);
    }

    /// Replaces the folder: each file, its `.br` and `.gz`, and `assets.json` (name → hashed name).
    pub(crate) fn write(&self, folder: &Path) -> Result<()> {
        let fresh = folder.with_extension("new");
        if fresh.exists() {
            fs::remove_dir_all(&fresh)?;
        }
        fs::create_dir_all(&fresh)?;
        let mut names = BTreeMap::new();
        for (name, bytes) in &self.files {
            let hashed = hashed(name, bytes);
            fs::write(fresh.join(&hashed), bytes)?;
            let br = brotli(bytes)?;
            eprintln!("  {name}: {} bytes, {} in brotli", bytes.len(), br.len());
            fs::write(fresh.join(format!("{hashed}.br")), br)?;
            fs::write(fresh.join(format!("{hashed}.gz")), gzip(bytes)?)?;
            names.insert(name, hashed);
        }
        fs::write(fresh.join("assets.json"), serde_json::to_vec_pretty(&names)?)?;
        if folder.exists() {
            fs::remove_dir_all(folder)?;
        }
        fs::rename(&fresh, folder).with_context(|| format!("{} cannot be replaced", folder.display()))
    }
}

/// `app.css` becomes `app-0123456789abcdef.css`.
fn hashed(name: &str, bytes: &[u8]) -> String {
    let digest = hex::encode(Sha256::digest(bytes));
    match name.rsplit_once('.') {
        Some((stem, extension)) => format!("{stem}-{}.{extension}", &digest[..16]),
        None => format!("{name}-{}", &digest[..16]),
    }
}

fn brotli(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    let parameters = brotli::enc::BrotliEncoderParams { quality: 11, lgwin: 22, ..Default::default() };
    brotli::BrotliCompress(&mut &bytes[..], &mut out, &parameters)?;
    Ok(out)
}

fn gzip(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?)
}
