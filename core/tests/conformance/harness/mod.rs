//! What every test stands on: a database of its own, its clock, and short words for what workers and people do.

mod database;
mod speech;

pub use database::*;
pub use speech::*;

/// Makes each named test twice: once on SQLite, once on PostgreSQL, each on a database of its own.
macro_rules! on_both {
    ($($name:ident),+ $(,)?) => {
        mod sqlite {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                $crate::harness::run($crate::harness::Db::sqlite().await, super::$name).await;
            })+
        }
        mod postgres {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                $crate::harness::run($crate::harness::Db::postgres().await, super::$name).await;
            })+
        }
    };
}
pub(crate) use on_both;

/// A moment before a test looks again for what it waits for: nothing is taken to have happened by then.
pub async fn soon() {
    tokio::time::sleep(std::time::Duration::from_millis(5)).await;
}

/// Runs a test on its database and takes that away, however the test ends.
pub async fn run<F, Fut>(db: Db, test: F)
where
    F: FnOnce(Db) -> Fut,
    Fut: Future<Output = ()> + Send + 'static,
{
    let ended = tokio::spawn(test(db.clone())).await;
    db.take_away().await;
    if let Err(died) = ended {
        std::panic::resume_unwind(died.into_panic());
    }
}
