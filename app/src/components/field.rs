//! A field with its name, what it is for, and why it was not taken.

use leptos::prelude::*;

use super::Glyph;
use crate::view::{Icon, Problem};

/// What stands around an input.
#[derive(Clone, Debug, Default)]
pub struct Field {
    /// The input's id.
    pub id: String,
    /// What it is called.
    pub label: &'static str,
    /// What it is for.
    pub hint: Option<&'static str>,
    /// Why it was not taken.
    pub problem: Option<String>,
}

impl Field {
    /// A field of this id and name.
    pub fn new(id: impl Into<String>, label: &'static str) -> Self {
        Self {
            id: id.into(),
            label,
            ..Self::default()
        }
    }

    /// With what it is for.
    pub const fn hint(mut self, hint: &'static str) -> Self {
        self.hint = Some(hint);
        self
    }

    /// With why it was not taken, where this field of this subject was not.
    pub fn problem(mut self, problem: Option<&Problem>, of: &str, field: &str) -> Self {
        let own = problem.filter(|problem| problem.of == of && problem.field == field);
        self.problem = own.map(|problem| problem.why.clone());
        self
    }

    /// Whether it was not taken, as the input says it.
    pub fn invalid(&self) -> Option<&'static str> {
        self.problem.is_some().then_some("true")
    }

    /// The ids of what explains it, as the input names them.
    pub fn described(&self) -> Option<String> {
        let hint = self.hint.map(|_| format!("{}-h", self.id));
        let error = self.problem.as_ref().map(|_| format!("{}-e", self.id));
        let ids: Vec<_> = hint.into_iter().chain(error).collect();
        (!ids.is_empty()).then(|| ids.join(" "))
    }

    /// The field around a line of text that is no prose.
    pub fn line(self, name: &'static str, value: String, required: bool) -> AnyView {
        let input = view! {
            <input
                class="input"
                id=self.id.clone()
                name=name
                value=value
                required=required
                maxlength="2000"
                autocapitalize="none"
                autocomplete="off"
                spellcheck="false"
                aria-invalid=self.invalid()
                aria-describedby=self.described()
            />
        };
        self.around(input)
    }

    /// The field around its input.
    pub fn around(self, input: impl IntoView) -> AnyView {
        let hint = self
            .hint
            .map(|hint| view! { <p class="hint" id=format!("{}-h", self.id)>{hint}</p> });
        let error = self.problem.map(
            |why| view! { <p class="error" id=format!("{}-e", self.id)><Glyph icon=Icon::Warn/>{why}</p> },
        );
        view! {
            <div class="field">
                <label for=self.id.clone()>{self.label}</label>
                {input.into_any()}
                {hint}
                {error}
            </div>
        }
        .into_any()
    }
}
