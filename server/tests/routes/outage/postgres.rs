//! PostgreSQL says more of itself in its errors than SQLite does, and can be out of order in more ways.

use sqlx::{Connection as _, Executor as _, PgConnection};

use super::{callers, looked_at};
use crate::support::Server;

/// What is left as it is: whoever calls is looked up there, before anything else.
const BEFORE: &str = "'operator', 'token', '_sqlx_migrations'";

/// A database, and a role that may do in it what a server has to.
struct Place {
    /// Where both are made and taken away.
    outside: PgConnection,
    name: String,
    base: String,
}

impl Place {
    async fn make() -> Self {
        let url = std::env::var("HOLDPOINT_TEST_POSTGRES_URL")
            .expect("set HOLDPOINT_TEST_POSTGRES_URL, or run `cargo xtask test`, which starts a server");
        let mut outside = PgConnection::connect(&url).await.unwrap();
        let name = format!("holdpoint_test_{:032x}", rand::random::<u128>());
        for statement in [
            format!("CREATE ROLE {name} LOGIN PASSWORD '{name}'"),
            format!("CREATE DATABASE {name} OWNER {name}"),
        ] {
            outside.execute(&*statement).await.unwrap();
        }
        let (base, _) = url.rsplit_once('/').unwrap();
        let base = base.to_owned();
        Self { outside, name, base }
    }

    /// A server that is nobody but this role.
    async fn server(&self) -> Server {
        let mut url: url::Url = self.base.parse().unwrap();
        url.set_username(&self.name).unwrap();
        url.set_password(Some(&self.name)).unwrap();
        url.set_path(&self.name);
        Server::of(url.as_str()).await
    }

    /// All that may not stay as it is, each by a statement of its own, made from its name.
    async fn each_table(&self, statement: impl Fn(&str) -> String) {
        let url = format!("{}/{}", self.base, self.name);
        let mut inside = PgConnection::connect(&url).await.unwrap();
        let tables = format!(
            "SELECT tablename::text FROM pg_tables WHERE schemaname = 'public' AND tablename NOT IN ({BEFORE})"
        );
        let tables: Vec<(String,)> = sqlx::query_as(&tables).fetch_all(&mut inside).await.unwrap();
        for (table,) in tables {
            inside.execute(&*statement(&table)).await.unwrap();
        }
    }

    async fn take_away(mut self, server: Server) {
        server.ledger.close().await;
        for statement in [
            format!("DROP DATABASE {} WITH (FORCE)", self.name),
            format!("DROP ROLE {}", self.name),
        ] {
            self.outside.execute(&*statement).await.unwrap();
        }
    }
}

#[tokio::test]
async fn case_d36_postgres_tells_nothing_either() {
    let place = Place::make().await;
    let server = place.server().await;
    let callers = callers(&server).await;
    place
        .each_table(|table| format!("ALTER TABLE \"{table}\" RENAME TO \"gone_{table}\""))
        .await;
    looked_at(&server, &callers, &[500]).await;
    place.take_away(server).await;
}

#[tokio::test]
async fn case_d36_a_revoked_grant_is_a_fault_of_ours_and_tells_nothing() {
    let place = Place::make().await;
    let server = place.server().await;
    let callers = callers(&server).await;
    place
        .each_table(|table| format!("REVOKE ALL ON \"{table}\" FROM {}", place.name))
        .await;
    looked_at(&server, &callers, &[500]).await;
    place.take_away(server).await;
}

#[tokio::test]
async fn case_d36_a_postgres_that_has_stopped_is_unavailable_everywhere() {
    let mut place = Place::make().await;
    let server = place.server().await;
    let callers = callers(&server).await;
    // As when it stops: what is open is cut, and nobody gets in.
    for statement in [
        format!("ALTER DATABASE {} WITH ALLOW_CONNECTIONS false", place.name),
        format!(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{}'",
            place.name
        ),
    ] {
        place.outside.execute(&*statement).await.unwrap();
    }
    looked_at(&server, &callers, &[503]).await;
    place.take_away(server).await;
}
