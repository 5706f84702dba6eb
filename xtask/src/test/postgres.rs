//! A PostgreSQL for the tests: the one that the environment names, or a private cluster that ends with us; and one
//! that tests may kill, with a script that does it.

use std::{
    env, fs,
    io::{BufRead as _, BufReader},
    net::TcpListener,
    os::unix::process::CommandExt as _,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use anyhow::{Context as _, bail};

use super::ruler;
use crate::{
    command::{output, run},
    machine::{install, is_root, which},
};

const VARIABLE: &str = "HOLDPOINT_TEST_POSTGRES_URL";

/// Runs beside the tests and waits on a pipe: when it closes, because the tests are over or because this
/// program was killed, the cluster is stopped and its folder removed.
/// Arguments: the folder, the folder of PostgreSQL's programs, the port.
const KEEPER: &str = r#"
set -eu
cd "$1"
trap '"$2/pg_ctl" -D "$1/data" -m immediate -w stop >/dev/null 2>&1 || true; cd /; rm -rf "$1"' EXIT
{
    "$2/initdb" -D "$1/data" -U postgres --auth=trust --encoding=UTF8 --locale=C -N
    # Settings of its own, so that whoever starts it again need not know them.
    printf '%s\n' "port = $3" "listen_addresses = '127.0.0.1'" "unix_socket_directories = ''" \
        "max_connections = 200" "recovery_init_sync_method = syncfs" "dynamic_shared_memory_type = mmap" >>"$1/data/postgresql.conf"
    "$2/pg_ctl" -D "$1/data" -l "$1/log" -w start
} >"$1/setup" 2>&1 </dev/null || { cat "$1/setup" >&2; [ ! -f "$1/log" ] || cat "$1/log" >&2; exit 1; }
echo ready
read -r _ || true
"#;

pub struct Postgres {
    url: String,
    keeper: Option<Child>,
    /// The script that rules it, where tests may kill it.
    ruler: Option<PathBuf>,
}

impl Postgres {
    pub fn start() -> anyhow::Result<Self> {
        match env::var(VARIABLE) {
            Ok(url) => Ok(Self {
                url,
                keeper: None,
                ruler: None,
            }),
            Err(_) => Self::private(folder).with_context(|| {
                format!("The tests need a PostgreSQL. Name one in {VARIABLE}, or make this work:")
            }),
        }
    }

    /// A cluster that tests may kill: always a private one, whatever the environment names.
    pub fn to_be_killed() -> anyhow::Result<Self> {
        Self::private(folder_in_memory).context("The crash matrix needs a PostgreSQL that it may kill:")
    }

    /// The script that kills it and starts it again; private clusters have one.
    pub fn ruler(&self) -> &Path {
        self.ruler.as_deref().unwrap_or(Path::new(""))
    }

    pub fn url(&self) -> &str {
        &self.url
    }

    fn private(folder: fn() -> anyhow::Result<PathBuf>) -> anyhow::Result<Self> {
        if programs().is_none() {
            install("postgresql", "PostgreSQL's server")?;
        }
        let programs = programs()
            .context("PostgreSQL was installed, but initdb, pg_ctl and postgres are not to be found.")?;
        let port = TcpListener::bind("127.0.0.1:0")
            .and_then(|listener| listener.local_addr())
            .context("No free port could be found for PostgreSQL.")?
            .port();
        let folder = folder()?;
        let mut keeper = unprivileged("sh");
        let mut keeper = keeper
            .args(["-c", KEEPER, "sh"])
            .args([&folder, &programs])
            .arg(port.to_string())
            .current_dir(&folder)
            // An interrupt on the terminal is for us; the keeper notices that we are gone by its pipe.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("The shell that looks after PostgreSQL could not be started.")?;
        let mut line = String::new();
        if let Some(stdout) = keeper.stdout.take() {
            BufReader::new(stdout)
                .read_line(&mut line)
                .context("The shell that starts PostgreSQL is gone.")?;
        }
        if line.trim() != "ready" {
            drop(keeper.stdin.take());
            let status = keeper
                .wait()
                .context("The shell that starts PostgreSQL is gone.")?;
            bail!(
                "PostgreSQL could not be started from {} ({status}).",
                programs.display()
            );
        }
        Ok(Self {
            url: format!("postgres://postgres@127.0.0.1:{port}/postgres"),
            keeper: Some(keeper),
            ruler: Some(ruler::write(&folder, &programs, port)?),
        })
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        if let Some(keeper) = &mut self.keeper {
            drop(keeper.stdin.take());
            if let Err(error) = keeper.wait() {
                eprintln!("xtask: the tests' PostgreSQL may still be running: {error}");
            }
        }
    }
}

/// A new folder that whoever runs PostgreSQL can enter and write.
fn folder() -> anyhow::Result<PathBuf> {
    folder_in(&if is_root() {
        PathBuf::from("/tmp")
    } else {
        env::temp_dir()
    })
}

/// Kibibytes: what a cluster and its log may come to.
const ROOM: u64 = 2 * 1024 * 1024;

/// The same in memory, where that has room. A process that is killed leaves its files to the system, whether a disk is
/// below or not, and recovery then need not wait for one.
fn folder_in_memory() -> anyhow::Result<PathBuf> {
    let shared = Path::new("/dev/shm");
    let free = output(Command::new("df").arg("-Pk").arg(shared).stderr(Stdio::null())).unwrap_or_default();
    let free = free
        .lines()
        .last()
        .and_then(|line| line.split_whitespace().nth(3)?.parse().ok());
    if free.is_some_and(|free: u64| free > ROOM) {
        folder_in(shared)
    } else {
        folder()
    }
}

fn folder_in(parent: &Path) -> anyhow::Result<PathBuf> {
    let folder = tempfile::Builder::new()
        .prefix("holdpoint-postgres-")
        .tempdir_in(parent)
        .context("No folder could be made for PostgreSQL's data.")?
        .keep();
    if is_root() {
        if output(Command::new("id").args(["-u", "postgres"]).stderr(Stdio::null())).is_err() {
            run(Command::new("useradd").args(["--system", "--no-create-home", "postgres"]))?;
        }
        run(Command::new("chown").arg("postgres").arg(&folder))?;
    }
    Ok(folder)
}

/// PostgreSQL refuses to run as root, so root hands it to the user postgres.
fn unprivileged(program: &str) -> Command {
    if !is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("runuser");
    command.args(["-u", "postgres", "--", program]);
    command
}

/// The folder that has all three programs; of several installed versions, the newest.
fn programs() -> Option<PathBuf> {
    let complete = |folder: &PathBuf| {
        ["initdb", "pg_ctl", "postgres"]
            .iter()
            .all(|name| folder.join(name).is_file())
    };
    let linked =
        which("initdb").and_then(|path| fs::canonicalize(path).ok()?.parent().map(Path::to_path_buf));
    let mut installed: Vec<_> = ["/usr/lib/postgresql", "/usr/local/opt", "/opt/homebrew/opt"]
        .iter()
        .flat_map(|parent| fs::read_dir(parent).into_iter().flatten().flatten())
        .filter(|entry| {
            entry.path().starts_with("/usr/lib")
                || entry.file_name().to_string_lossy().starts_with("postgresql")
        })
        .map(|entry| entry.path().join("bin"))
        .collect();
    installed.sort_by_key(|path| std::cmp::Reverse(version(path)));
    linked.into_iter().chain(installed).find(complete)
}

/// The number in `/usr/lib/postgresql/17/bin` or `postgresql@17/bin`.
fn version(bin: &Path) -> Option<u32> {
    let name = bin.parent()?.file_name()?.to_str()?;
    name.trim_start_matches("postgresql@").parse().ok()
}
