//! What each answer does to an action whose step came before with another body.

use holdpoint::{Action, Status};

use super::Subject;

/// What each answer does, by its name, as the first action stands.
pub fn drift_choices(first: &Action, subject: &Subject) -> Vec<(&'static str, String)> {
    let run = subject.run();
    let besides = match first.status {
        Status::Succeeded => format!("The first one was {run}: this would be a second one, with this body."),
        Status::Failed if first.may_have_applied() => {
            "The first one was given up and may have happened: this may be a second one.".to_owned()
        }
        Status::Failed => "The first one did not happen: this is the only one.".to_owned(),
        Status::Held => "The first one is held: it stays so, and may be run as well.".to_owned(),
        Status::InFlight | Status::Verifying | Status::Released => {
            "The first one is still on its way: both may happen.".to_owned()
        }
    };
    vec![
        ("Let it run", format!("This body is {run}. {besides}")),
        (
            "Give it up",
            format!("This body is never {run}. The first one stays as it is."),
        ),
        (
            "It happened",
            format!("Nothing is {run}. This body is recorded as done; the first one stays as it is."),
        ),
    ]
}
