//! Which kind of file system a file is on, as Linux tells it in `/proc/self/mountinfo`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The kind of file system that this file is on; `None` where the host does not say.
pub(in crate::store) fn file_system_of(file: &Path) -> Option<String> {
    let file = std::fs::canonicalize(file).ok()?;
    let mounts = std::fs::read("/proc/self/mountinfo").ok()?;
    among(&String::from_utf8_lossy(&mounts), &file)
}

/// The mount that is nearest above the file; of those at one place, the last one covers the others.
fn among(mountinfo: &str, file: &Path) -> Option<String> {
    let mount = |line: &str| {
        // 36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue
        let (before, after) = line.split_once(" - ")?;
        let at = plain(before.split(' ').nth(4)?);
        let kind = after.split(' ').next()?.to_owned();
        file.starts_with(&at).then(|| (at.components().count(), kind))
    };
    let nearest = mountinfo
        .lines()
        .filter_map(mount)
        .max_by_key(|(depth, _)| *depth);
    nearest.map(|(_, kind)| kind)
}

/// A path as it is: mountinfo writes white space and backslashes as three octal digits.
fn plain(escaped: &str) -> PathBuf {
    let mut bytes = Vec::with_capacity(escaped.len());
    let mut rest = escaped.as_bytes();
    while let Some((first, others)) = rest.split_first() {
        let octal = others
            .get(..3)
            .filter(|_| *first == b'\\')
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 8).ok());
        bytes.push(octal.unwrap_or(*first));
        rest = if octal.is_some() { &others[3..] } else { others };
    }
    PathBuf::from(os_string(bytes))
}

#[cfg(unix)]
fn os_string(bytes: Vec<u8>) -> OsString {
    std::os::unix::ffi::OsStringExt::from_vec(bytes)
}

#[cfg(not(unix))]
fn os_string(bytes: Vec<u8>) -> OsString {
    String::from_utf8_lossy(&bytes).into_owned().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOUNTS: &str = r"22 1 0:21 / / rw,relatime - ext4 /dev/vda rw
23 22 0:22 / /srv rw - xfs /dev/vdb rw
24 23 0:23 / /srv/share rw shared:7 master:1 - nfs4 server:/export rw,vers=4.2
25 23 0:24 / /srv/with\040space rw - fuse.sshfs ada@server: rw
26 22 0:25 / /srv/share/local rw - ext4 /dev/vdc rw
27 22 0:26 / /srv/share/local rw - tmpfs tmpfs rw
a line that is none
";

    #[test]
    fn the_nearest_mount_and_of_those_the_last_one_counts() {
        for (file, kind) in [
            ("/holdpoint.db", "ext4"),
            ("/srv/holdpoint.db", "xfs"),
            ("/srv/share/a/holdpoint.db", "nfs4"),
            ("/srv/shared/holdpoint.db", "xfs"),
            ("/srv/with space/holdpoint.db", "fuse.sshfs"),
            ("/srv/share/local/holdpoint.db", "tmpfs"),
        ] {
            assert_eq!(among(MOUNTS, Path::new(file)).as_deref(), Some(kind), "{file}");
        }
        assert_eq!(among("", Path::new("/holdpoint.db")), None);
    }

    #[test]
    fn what_is_no_escape_stays() {
        assert_eq!(plain(r"/a\040b\134c\9\"), PathBuf::from("/a b\\c\\9\\"));
    }
}
