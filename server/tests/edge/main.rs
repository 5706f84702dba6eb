//! The server at its edge, over real sockets: crowds, those who are slow on purpose, TLS, and restarts.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on ends here, and says where"
)]

mod crowd;
mod heads;
mod peers;
mod restart;
mod served;
mod slow;
mod support;
mod tls;
