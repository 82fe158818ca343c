//! Writes small grey images as PNG.

use std::io::{self, Write};

use flate2::Compression;
use flate2::write::ZlibEncoder;

const SIGNATURE: [u8; 8] = [0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a];

/// A PNG of 8-bit grey pixels, `width` of them a row.
pub(super) fn grey(width: u32, pixels: &[u8]) -> io::Result<Vec<u8>> {
    let row = width as usize;
    let height = u32::try_from(pixels.len() / row).map_err(io::Error::other)?;
    let mut header = Vec::with_capacity(13);
    header.extend(width.to_be_bytes());
    header.extend(height.to_be_bytes());
    // Eight bits of grey, deflate, no filter of its own, not interlaced.
    header.extend([8, 0, 0, 0, 0]);

    let mut packed = ZlibEncoder::new(Vec::new(), Compression::best());
    for line in pixels.chunks_exact(row) {
        packed.write_all(&[0])?;
        packed.write_all(line)?;
    }
    let mut png = SIGNATURE.to_vec();
    chunk(&mut png, *b"IHDR", &header)?;
    chunk(&mut png, *b"IDAT", &packed.finish()?)?;
    chunk(&mut png, *b"IEND", &[])?;
    Ok(png)
}

fn chunk(png: &mut Vec<u8>, kind: [u8; 4], data: &[u8]) -> io::Result<()> {
    let mut sum = flate2::Crc::new();
    sum.update(&kind);
    sum.update(data);
    png.extend(u32::try_from(data.len()).map_err(io::Error::other)?.to_be_bytes());
    png.extend(kind);
    png.extend(data);
    png.extend(sum.sum().to_be_bytes());
    Ok(())
}
