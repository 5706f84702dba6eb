//! The shell around the document, and which page is at which address.

use leptos::prelude::*;
use leptos_meta::{MetaTags, Title, provide_meta_context};
use leptos_router::components::{Outlet, ParentRoute, Route, Router, Routes};
use leptos_router::{SsrMode, path};

use crate::components::Frame;
use crate::context::Theme;
use crate::islands::{Clock, Forms};
use crate::pages;

/// The document around the pages, as the server renders it.
pub fn shell(options: LeptosOptions) -> impl IntoView {
    let theme = use_context::<Theme>().unwrap_or_default();
    let style = format!("/{}/{}.css", options.site_pkg_dir, options.output_name);
    view! {
        <!DOCTYPE html>
        <html lang="en" data-theme=theme.attribute()>
            <head>
                <meta charset="utf-8"/>
                <meta name="viewport" content="width=device-width, initial-scale=1"/>
                <meta name="color-scheme" content="light dark"/>
                <link rel="stylesheet" href=style/>
                <HydrationScripts options islands=true/>
                <MetaTags/>
            </head>
            <body>
                <App/>
                <Clock/>
                <Forms/>
            </body>
        </html>
    }
}

/// Every page, by its address.
#[component]
pub fn App() -> impl IntoView {
    provide_meta_context();
    // Nothing fills in what comes late: each page is rendered whole before it is sent.
    let whole = SsrMode::Async;
    view! {
        <Title formatter=document_title/>
        <Router>
            <Routes fallback=|| view! { <Frame><pages::NotFound/></Frame> }>
                <Route path=path!("/login") view=pages::Login ssr=whole.clone()/>
                <ParentRoute path=path!("") view=|| view! { <Frame><Outlet/></Frame> } ssr=whole.clone()>
                    <Route path=path!("/") view=pages::Overview ssr=whole.clone()/>
                    <Route path=path!("/review") view=pages::Review ssr=whole.clone()/>
                    <Route path=path!("/review/selection/:id") view=pages::Selection ssr=whole.clone()/>
                    <Route path=path!("/actions") view=pages::Log ssr=whole.clone()/>
                    <Route path=path!("/actions/:key") view=pages::Action ssr=whole.clone()/>
                    <Route path=path!("/runs/:run_id") view=pages::Run ssr=whole.clone()/>
                    <Route path=path!("/stale") view=pages::Stale ssr=whole.clone()/>
                    <Route path=path!("/policies") view=pages::Policies ssr=whole.clone()/>
                    <Route path=path!("/account") view=pages::Account ssr=whole.clone()/>
                    <Route path=path!("/policies/:kind") view=pages::Policy ssr=whole.clone()/>
                    <Route path=path!("/audit") view=pages::Audit ssr=whole.clone()/>
                    <Route path=path!("/operators") view=pages::Operators ssr=whole.clone()/>
                    <Route path=path!("/tokens") view=pages::Tokens ssr=whole.clone()/>
                    <Route path=path!("/webhooks") view=pages::Webhooks ssr=whole/>
                </ParentRoute>
            </Routes>
        </Router>
    }
}

/// The document's title. Titles are written into the page as they are: what others wrote must be no markup.
fn document_title(title: String) -> String {
    let title = title.replace('<', "‹").replace('>', "›");
    if title.is_empty() {
        "Holdpoint".to_owned()
    } else {
        format!("{title} · Holdpoint")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_no_markup() {
        let title = document_title("</title><script>alert(1)</script>".to_owned());
        assert_eq!(title, "‹/title›‹script›alert(1)‹/script› · Holdpoint");
        assert_eq!(document_title(String::new()), "Holdpoint");
    }
}
