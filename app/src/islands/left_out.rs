//! How many rows of a selection are left out, beside its answers. What is left out stays so while its rows are looked
//! at one by one: it would be decided on otherwise.

use leptos::ev;
use leptos::prelude::*;
use web_sys::HtmlInputElement;

use super::picked;
use super::ticks::Ticks;

const BOXES: &str = ".row-leave input";

/// How many are left out, and of how many is decided.
#[island]
pub fn LeftOut(
    /// Who decides.
    by: String,
    /// The selection.
    id: String,
    /// How many are in it.
    count: u32,
) -> impl IntoView {
    let out = RwSignal::new(0_u32);
    Effect::new(move |_| {
        picked::made(&by);
        let ticks = Ticks::of("holdpoint-left-out", format!("{by} {id}"));
        let boxes = || super::all::<HtmlInputElement>(BOXES);
        let count = move || out.set(boxes().filter(HtmlInputElement::checked).count() as u32);
        let kept = ticks.kept();
        boxes()
            .filter(|one| kept.contains(&one.value()))
            .for_each(|one| one.set_checked(true));
        ticks.keep_here(&boxes().collect::<Vec<_>>());
        count();
        let ticking = window_event_listener(ev::change, move |_| {
            ticks.keep_here(&boxes().collect::<Vec<_>>());
            count();
        });
        let shown = window_event_listener(ev::pageshow, move |_| count());
        on_cleanup(move || {
            ticking.remove();
            shown.remove();
        });
    });
    view! {
        <p class="left-out" role="status">
            <span hidden=move || out.get() != 0>"To leave a row out, tick it below."</span>
            <b hidden=move || out.get() == 0>
                {move || match out.get() {
                    n if n >= count => format!("All {count} are left out: nothing would be decided."),
                    n => format!("{n} left out: the answers are for {} of {count}.", count - n),
                }}
            </b>
        </p>
    }
}
