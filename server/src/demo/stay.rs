//! What `holdpoint demo` does when the story is told: it leaves the held mail to a person.

use std::{future::Future, io, time::Duration};

use tokio::time::sleep;

use super::{
    DemoError,
    chapters::holds::{Held, Holds},
    scene::Scene,
    story::Story,
};

/// How soon a person's decision is seen.
const LOOK_EVERY: Duration = Duration::from_millis(300);

/// Serves until the process is told to end; starts a run again when a person has released its mail.
pub(super) async fn until_stopped(story: &Story, scene: &Scene, holds: &Holds) -> Result<(), DemoError> {
    // Who reads the lines below may send the signal at once.
    let stopped = stopped()?;
    invite(story, scene, holds);
    tokio::select! {
        () = stopped => Ok(()),
        failed = watch(story, scene, holds) => failed,
    }
}

fn invite(story: &Story, scene: &Scene, holds: &Holds) {
    let (origin, sign_in) = (scene.origin(), scene.sign_in());
    let (one, other) = (holds.sent.whose, holds.unsent.whose);
    story.chapter("Now you decide");
    story.tell(format_args!(
        "The mails to {one} and {other} are held. One of them is out; the mail server knows which."
    ));
    story.tell("Approve a retry, and the run is started again and sends; fail it, and it is never sent.");
    story.line("");
    story.line(format_args!("address:  {origin}"));
    story.line(format_args!("review:   {origin}/review"));
    story.line(format_args!("name:     {}", sign_in.name));
    story.line(format_args!("password: {}", sign_in.password));
    story.line(format_args!("mail:     {}", scene.mail_directory().display()));
    story.line("\nCtrl-C ends it, and leaves nothing behind.");
}

async fn watch(story: &Story, scene: &Scene, holds: &Holds) -> Result<(), DemoError> {
    let mut watched = [Watched::new(&holds.sent), Watched::new(&holds.unsent)];
    loop {
        for one in &mut watched {
            one.look(story, scene).await?;
        }
        sleep(LOOK_EVERY).await;
    }
}

/// A held mail, and the last of it that was told.
struct Watched<'a> {
    held: &'a Held,
    told: i64,
}

impl<'a> Watched<'a> {
    fn new(held: &'a Held) -> Self {
        Self {
            held,
            told: held.action.version,
        }
    }

    async fn look(&mut self, story: &Story, scene: &Scene) -> Result<(), DemoError> {
        let Held { plan, key, whose, .. } = self.held;
        let mut action = scene.action(key).await?;
        if action.status == "released" {
            // The queue of a real worker does this: it delivers the job again.
            scene.agents.run(plan).await?;
            action = scene.action(key).await?;
        }
        if action.version != self.told {
            self.told = action.version;
            let (stands, copies) = (action.stands(), scene.copies(key));
            story.tell(format_args!(
                "The mail to {whose}: {stands}; copies that the mail server keeps: {copies}."
            ));
        }
        Ok(())
    }
}

/// Ends when a person or a service manager says so.
#[cfg(unix)]
fn stopped() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

/// Ends when a person says so.
#[cfg(not(unix))]
fn stopped() -> io::Result<impl Future<Output = ()>> {
    Ok(async {
        // Without the signal there is nothing to wait for.
        let _ = tokio::signal::ctrl_c().await;
    })
}
