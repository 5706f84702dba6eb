//! Files by their address, and folders made to agree with them.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use anyhow::Context as _;

/// What the site consists of: each file's address below the root, with `/` between folders, and its bytes.
pub type Files = BTreeMap<String, Vec<u8>>;

/// Reads everything below the folder; addresses begin with `prefix`.
pub fn read(folder: &Path, prefix: &str) -> anyhow::Result<Files> {
    let mut files = Files::new();
    for path in list(folder).with_context(|| format!("The folder {} could not be read.", folder.display()))? {
        let below = path
            .strip_prefix(folder)
            .context("A listed file lies outside its folder.")?;
        let address = Path::new(prefix).join(below);
        let names: Vec<_> = address.iter().map(|name| name.to_string_lossy()).collect();
        let bytes = fs::read(&path).with_context(|| format!("{} could not be read.", path.display()))?;
        files.insert(names.join("/"), bytes);
    }
    Ok(files)
}

/// Makes the folder hold these files and no others. A file that is right already is left alone: its age
/// tells cargo whether the server, which embeds it, has to be built again.
pub fn mirror(files: &Files, folder: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(folder)?;
    for path in list(folder)? {
        let wanted = files.keys().any(|address| folder.join(address) == path);
        if !wanted {
            fs::remove_file(&path).with_context(|| format!("{} could not be removed.", path.display()))?;
        }
    }
    for (address, bytes) in files {
        let path = folder.join(address);
        if fs::read(&path).is_ok_and(|present| present == *bytes) {
            continue;
        }
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(&path, bytes).with_context(|| format!("{} could not be written.", path.display()))?;
    }
    Ok(())
}

fn list(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.append(&mut list(&path)?);
        } else {
            found.push(path);
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site(pairs: &[(&str, &str)]) -> Files {
        pairs
            .iter()
            .map(|(address, text)| ((*address).to_owned(), text.as_bytes().to_vec()))
            .collect()
    }

    #[test]
    fn a_mirror_holds_the_files_and_no_others() {
        let folder = tempfile::tempdir().unwrap();
        mirror(&site(&[("a.svg", "1"), ("pkg/b.js.br", "2")]), folder.path()).unwrap();
        let wanted = site(&[("pkg/b.js", "3"), ("pkg/c/d.js", "4")]);
        mirror(&wanted, folder.path()).unwrap();
        assert_eq!(read(folder.path(), "").unwrap(), wanted);
    }

    #[test]
    fn a_file_that_is_right_keeps_its_age() {
        let folder = tempfile::tempdir().unwrap();
        let files = site(&[("a", "same")]);
        mirror(&files, folder.path()).unwrap();
        let age = || fs::metadata(folder.path().join("a")).unwrap().modified().unwrap();
        let before = age();
        mirror(&files, folder.path()).unwrap();
        assert_eq!(age(), before);
    }

    #[test]
    fn addresses_begin_with_the_prefix() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("x.js"), "1").unwrap();
        assert_eq!(read(folder.path(), "pkg").unwrap(), site(&[("pkg/x.js", "1")]));
    }
}
