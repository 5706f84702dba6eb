//! A script with which tests kill a private PostgreSQL and start it again, without knowing whose it is.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::Context as _;

use crate::machine::is_root;

/// Rules a private cluster: `url`, `start`, and three ways of killing it. Each of these says `ready` once it knows
/// the processes, strikes when a line comes, and ends when none of them is left. After `process`, which kills one
/// that serves a connection, PostgreSQL begins anew by itself.
/// In front stand `folder`, `programs`, `port` and the function `as_owner`.
const RULER: &str = r#"
gone() {
    for process in "$@"; do
        while state=$(ps -o stat= -p "$process") && [ "${state#Z}" = "$state" ]; do sleep 0.005; done
    done
}
main=$(head -n 1 "$folder/data/postmaster.pid" 2>/dev/null || true)
case $1 in
url) echo "postgres://postgres@127.0.0.1:$port/postgres" ;;
start)
    # A process that came into being just before the kill may still have to notice that its parent is gone.
    for try in 1 2 3 4 5 6 7 8 9 10; do
        as_owner "$programs/pg_ctl" -D "$folder/data" -l "$folder/log" -w start && exit 0
        sleep 0.1
    done
    tail -n 20 "$folder/log"
    exit 1
    ;;
kill)
    children=$(ps -o pid= --ppid "$main")
    echo ready
    read -r _
    kill -9 "$main"
    # One or the other may be gone by itself.
    kill -9 $children 2>/dev/null || true
    gone "$main" $children
    # Dead as it is, it answers to its number until its parent has buried it, and would be taken for alive.
    rm -f "$folder/data/postmaster.pid"
    ;;
process)
    serving=$(ps -o pid=,args= --sort=start_time --ppid "$main" | sed -n 's/^ *\([0-9]*\) postgres: postgres .*/\1/p')
    # The newest may be gone by itself when the word comes.
    oldest=$(echo "$serving" | head -n 1)
    echo ready
    read -r _
    kill -9 "$oldest"
    # The others are told to go before it begins anew.
    gone $serving
    ;;
immediate)
    echo ready
    read -r _
    as_owner "$programs/pg_ctl" -D "$folder/data" -m immediate -w stop >/dev/null
    ;;
esac
"#;

/// Writes the script, for `sh`, into the cluster's folder, with which it goes.
pub fn write(folder: &Path, programs: &Path, port: u16) -> anyhow::Result<PathBuf> {
    let path = folder.join("rule");
    let as_owner = if is_root() {
        "runuser -u postgres -- \"$@\""
    } else {
        "\"$@\""
    };
    let text = format!(
        "set -eu\nfolder='{}'\nprograms='{}'\nport={port}\nas_owner() {{ {as_owner}; }}\n{RULER}",
        folder.display(),
        programs.display(),
    );
    fs::write(&path, text).context("The script that rules PostgreSQL could not be written.")?;
    Ok(path)
}
