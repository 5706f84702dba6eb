//! Each file in the two encodings that browsers ask for, made once here instead of at each request.

use std::io::Write as _;

use anyhow::Context as _;
use flate2::{Compression, write::GzEncoder};

use super::files::Files;

/// The `.br` and `.gz` of every file that gets smaller by it.
pub fn all(files: &Files) -> anyhow::Result<Files> {
    let mut compressed = Files::new();
    for (address, bytes) in files {
        for (ending, small) in [("br", brotli(bytes)), ("gz", gzip(bytes))] {
            let small = small.with_context(|| format!("{address} could not be compressed to .{ending}."))?;
            if small.len() < bytes.len() {
                compressed.insert(format!("{address}.{ending}"), small);
            }
        }
    }
    Ok(compressed)
}

fn brotli(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let params = brotli::enc::BrotliEncoderParams {
        quality: 11,
        lgwin: 22,
        ..Default::default()
    };
    let mut small = Vec::new();
    brotli::BrotliCompress(&mut &*bytes, &mut small, &params)?;
    Ok(small)
}

fn gzip(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    encoder.finish()
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    #[test]
    fn both_encodings_give_the_file_back() {
        let text = "hold ".repeat(1000).into_bytes();
        let files = all(&Files::from([("a.css".to_owned(), text.clone())])).unwrap();
        let mut plain = Vec::new();
        brotli::BrotliDecompress(&mut &*files["a.css.br"], &mut plain).unwrap();
        assert_eq!(plain, text);
        plain.clear();
        flate2::read::GzDecoder::new(&*files["a.css.gz"])
            .read_to_end(&mut plain)
            .unwrap();
        assert_eq!(plain, text);
    }

    #[test]
    fn what_would_grow_stays_as_it_is() {
        assert!(all(&Files::from([("a".to_owned(), vec![7])])).unwrap().is_empty());
    }
}
