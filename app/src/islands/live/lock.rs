//! One tab of a browser holds the stream for all of them: six connections to a server are all that a browser makes.

use js_sys::{Function, Object, Promise, Reflect};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};

const NAME: &str = "holdpoint-live";

/// Gives the lock back that is held by a promise.
pub(super) type Release = Function;

/// Asks for the lock, and has it once `held` is called with what gives it back; `lost` is called where another tab took
/// it away. With `steal` it is taken at once from a tab that is frozen. `None` where this browser has no locks, or not
/// for a site without https.
pub(super) fn ask(
    steal: bool,
    held: impl FnOnce(Release) + 'static,
    lost: impl FnOnce() + 'static,
) -> Option<()> {
    let navigator: JsValue = leptos::prelude::window().navigator().into();
    let locks = Reflect::get(&navigator, &"locks".into()).ok()?;
    let request: Function = Reflect::get(&locks, &"request".into()).ok()?.dyn_into().ok()?;
    let options = Object::new();
    Reflect::set(&options, &"steal".into(), &steal.into()).ok()?;
    let granted = Closure::once_into_js(move |_: JsValue| -> JsValue {
        let mut held = Some(held);
        Promise::new(&mut |release, _| {
            if let Some(held) = held.take() {
                held(release);
            }
        })
        .into()
    });
    let holding: Promise = request
        .call3(&locks, &NAME.into(), &options, &granted)
        .ok()?
        .dyn_into()
        .ok()?;
    // Whoever gives it back by itself has lost nothing: only what was taken away is refused.
    let lost = Closure::once(move |_: JsValue| lost());
    let _ = holding.catch(&lost);
    lost.forget();
    Some(())
}

/// Gives the lock back, where it is held.
pub(super) fn give_back(release: Option<Release>) {
    if let Some(release) = release {
        let _ = release.call0(&JsValue::NULL);
    }
}
