//! `lakeglass backup`: a consistent copy of the database, also while a server writes to it.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use anyhow::{Context, Result, bail};
use lakeglass_server::db::Db;

use crate::folder;

/// Files of the data folder that belong to a backup, besides the database.
const KEY_FILE: &str = "secrets.key";

/// Makes a tar file, readable by its owner only, of the database and on request the secrets' key.
pub(crate) async fn run(data: &Path, file: &Path, include_key: bool) -> Result<()> {
    folder::existing(data)?;
    if file.exists() {
        bail!("{} exists already. Choose another name", file.display());
    }
    let scratch = tempfile::tempdir_in(data).context("the data folder cannot be written")?;
    let copy = scratch.path().join("lakeglass.db");
    Db::open(data).await?.copy_to(&copy).await?;

    let tar = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(file)
        .with_context(|| format!("{} cannot be made", file.display()))?;
    let mut tar = Tar { file: tar };
    tar.add("lakeglass.db", &copy)?;
    if include_key {
        tar.add(KEY_FILE, &data.join(KEY_FILE)).context("the secrets' key is not in the data folder")?;
    }
    tar.finish()?;
    let key = if include_key {
        "with the secrets' key: keep it as safe as the key"
    } else {
        "without the secrets' key"
    };
    println(&format!("Wrote {} {key}", file.display()))
}

fn println(line: &str) -> Result<()> {
    writeln!(std::io::stdout().lock(), "{line}").context("standard output is closed")
}

/// As much of the ustar format (POSIX 1003.1) as two plain files need.
struct Tar {
    file: File,
}

impl Tar {
    fn add(&mut self, name: &str, path: &Path) -> Result<()> {
        let mut source = File::open(path)?;
        let size = source.metadata()?.len();
        self.file.write_all(&header(name, size))?;
        let copied = std::io::copy(&mut source, &mut self.file)?;
        if copied != size {
            bail!("{} changed while it was copied", path.display());
        }
        let padding = (512 - size % 512) % 512;
        self.file.write_all(&vec![0; usize::try_from(padding)?])?;
        Ok(())
    }

    fn finish(mut self) -> Result<()> {
        self.file.write_all(&[0; 1024])?;
        self.file.sync_all()?;
        Ok(())
    }
}

/// One 512-byte header: numbers in octal, the checksum over the header with its own field as spaces.
fn header(name: &str, size: u64) -> [u8; 512] {
    let mut header = [0; 512];
    let mut put = |at: usize, text: &str| header[at..at + text.len()].copy_from_slice(text.as_bytes());
    put(0, name);
    put(100, "0000600\0");
    put(108, "0000000\0");
    put(116, "0000000\0");
    put(124, &format!("{size:011o}\0"));
    put(136, "00000000000\0");
    put(148, "        ");
    put(156, "0");
    put(257, "ustar\x0000");
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    header
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tar_reads_what_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let (source, archive) = (folder.path().join("source"), folder.path().join("a.tar"));
        std::fs::write(&source, b"some bytes").unwrap();
        let mut tar = Tar { file: File::create(&archive).unwrap() };
        tar.add("kept.txt", &source).unwrap();
        tar.finish().unwrap();
        let listed =
            std::process::Command::new("tar").arg("-xOf").arg(&archive).arg("kept.txt").output().unwrap();
        assert_eq!(listed.stdout, b"some bytes");
    }
}
