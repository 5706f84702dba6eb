//! The addresses of the server, called as anybody would call them, on a fresh SQLite file.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on ends here, and says where"
)]

mod account;
mod acknowledge;
mod audit;
mod bodies;
mod browser;
mod cards;
mod claim;
mod claim_batch;
mod closed;
mod contract;
mod decide;
mod decide_batch;
mod description;
mod docs;
mod events;
mod export;
mod fail;
mod files;
mod framework;
mod guesses;
mod headers;
mod heartbeat;
mod hooks;
mod hostile;
mod hosts;
mod kept;
mod list;
mod lists;
mod login;
mod logs;
mod mask;
mod next;
mod next_page;
mod notices;
mod operators;
mod origin;
mod outage;
mod overview;
mod pages;
mod pause;
mod people_pages;
mod policies;
mod preview;
mod probes;
mod read;
mod refusals;
mod review_next;
mod rights;
mod roles;
mod run;
mod selections;
mod sessions;
mod sso;
mod starved;
mod stats;
mod stop;
mod succeed;
mod support;
mod tokens;
mod verification;
mod webhooks;
mod webhooks_page;
