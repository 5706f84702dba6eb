//! How long somebody may keep us waiting: a while in all, and each byte that moves pays some of it back.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep_until};

/// What is left of the patience with one body, or with one who takes answers.
#[derive(Debug)]
pub struct Patience {
    allowed: Duration,
    pace: u32,
    owed: Duration,
    since: Option<Instant>,
    alarm: Option<Pin<Box<Sleep>>>,
}

impl Patience {
    /// Waits so long in all; so many bytes pay for one second.
    pub fn new(allowed: Duration, pace: u32) -> Self {
        Self {
            allowed,
            pace: pace.max(1),
            owed: Duration::ZERO,
            since: None,
            alarm: None,
        }
    }

    /// Nothing moves: ready once the patience is at its end.
    pub fn wait(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let since = *self.since.get_or_insert_with(Instant::now);
        let end = since + self.allowed.saturating_sub(self.owed);
        let alarm = self.alarm.get_or_insert_with(|| Box::pin(sleep_until(end)));
        if alarm.deadline() != end {
            alarm.as_mut().reset(end);
        }
        alarm.as_mut().poll(cx)
    }

    /// So many bytes moved.
    pub fn moved(&mut self, bytes: usize) {
        if let Some(since) = self.since.take() {
            self.owed += since.elapsed();
        }
        if !self.owed.is_zero() {
            let paid = Duration::from_secs_f64(bytes as f64 / f64::from(self.pace));
            self.owed = self.owed.saturating_sub(paid);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use super::*;

    #[tokio::test]
    async fn a_byte_now_and_then_buys_no_time() {
        let mut patience = Patience::new(Duration::from_millis(100), 1_000_000);
        let begun = Instant::now();
        let mut rounds = 0;
        loop {
            tokio::select! {
                () = poll_fn(|cx| patience.wait(cx)) => break,
                () = tokio::time::sleep(Duration::from_millis(5)) => {}
            }
            patience.moved(1);
            rounds += 1;
            assert!(rounds < 100, "it never ends");
        }
        assert!(begun.elapsed() >= Duration::from_millis(100));
    }

    #[tokio::test]
    async fn who_keeps_the_pace_may_take_for_ever() {
        let mut patience = Patience::new(Duration::from_secs(1), 1000);
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_millis(1500) {
            tokio::select! {
                () = poll_fn(|cx| patience.wait(cx)) => panic!("who keeps the pace is cut off"),
                () = tokio::time::sleep(Duration::from_millis(50)) => {}
            }
            // As many bytes as pay for a second.
            patience.moved(1000);
        }
    }
}
