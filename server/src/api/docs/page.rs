//! The description as HTML: an operation a fold, with its parameters, its body, its answers, and a form to try it.

use serde_json::Value;

use super::schemas::{self, example, limits, sort};

/// Text as it stands in a page.
pub fn text(value: &str) -> String {
    let mut escaped = String::with_capacity(value.len());
    for sign in value.chars() {
        match sign {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            sign => escaped.push(sign),
        }
    }
    escaped
}

/// Prose with its words in backticks as code, and its empty lines as paragraphs.
pub fn prose(value: &str) -> String {
    let paragraphs = value.split("\n\n").filter(|part| !part.trim().is_empty());
    paragraphs.map(|part| format!("<p>{}</p>", line(part))).collect()
}

/// The same for one paragraph.
pub fn line(value: &str) -> String {
    let parts = value.split('`').enumerate();
    parts
        .map(|(n, part)| match n % 2 {
            0 => text(part),
            _ => format!("<code>{}</code>", text(part)),
        })
        .collect()
}

/// What a member of the description says, or nothing.
pub fn said<'a>(value: &'a Value, member: &str) -> &'a str {
    value[member].as_str().unwrap_or_default()
}

/// The whole page.
pub fn render(whole: &Value) -> String {
    let info = &whole["info"];
    let tags = whole["tags"].as_array().map(Vec::as_slice).unwrap_or_default();
    let operations = operations(whole);
    let of = |tag: &Value| {
        let name = said(tag, "name").to_owned();
        operations.iter().filter(move |one| one.tag() == name)
    };
    let index: String = tags
        .iter()
        .map(|tag| {
            let links: String = of(tag).map(Operation::link).collect();
            format!(
                "<h2>{}</h2><ul class=\"docs-links\">{links}</ul>",
                text(said(tag, "name"))
            )
        })
        .collect();
    let sections: String = tags
        .iter()
        .map(|tag| {
            let shown: String = of(tag).map(|one| one.render(whole)).collect();
            let (name, says) = (text(said(tag, "name")), line(said(tag, "description")));
            format!(
                "<section class=\"docs-part\"><h2>{name}</h2><p class=\"muted\">{says}</p>{shown}</section>"
            )
        })
        .collect();
    format!(
        include_str!("page.html"),
        about = prose(said(info, "description")),
        version = text(said(info, "version")),
        index = index,
        sections = sections,
        schemas = schemas::render(whole),
    )
}

struct Operation<'a> {
    path: &'a str,
    method: String,
    says: &'a Value,
}

fn operations(whole: &Value) -> Vec<Operation<'_>> {
    let items = whole["paths"].as_object().into_iter().flatten();
    items
        .flat_map(|(path, item)| {
            let methods = item.as_object().into_iter().flatten();
            methods.map(move |(method, says)| Operation {
                path,
                method: method.to_ascii_uppercase(),
                says,
            })
        })
        .collect()
}

impl Operation<'_> {
    fn tag(&self) -> &str {
        self.says["tags"][0].as_str().unwrap_or_default()
    }

    fn id(&self) -> String {
        text(said(self.says, "operationId"))
    }

    fn name(&self) -> String {
        let (method, path) = (text(&self.method), text(self.path));
        format!("<span class=\"docs-method\">{method}</span> <code>{path}</code>")
    }

    fn link(&self) -> String {
        format!("<li><a href=\"#{}\">{}</a></li>", self.id(), self.name())
    }

    fn render(&self, whole: &Value) -> String {
        format!(
            "<details class=\"sheet docs-operation\" id=\"{id}\"><summary><h3>{name}</h3> \
             <span class=\"muted\">{summary}</span></summary><div class=\"docs-inside\">{says}{parameters}{body}\
             {answers}{attempt}</div></details>",
            id = self.id(),
            name = self.name(),
            summary = line(said(self.says, "summary")),
            says = prose(said(self.says, "description")),
            parameters = self.parameters(),
            body = self.body(),
            answers = self.answers(whole),
            attempt = self.attempt(whole),
        )
    }

    fn takes(&self) -> impl Iterator<Item = &Value> {
        self.says["parameters"].as_array().into_iter().flatten()
    }

    fn schema_of_body(&self) -> Option<&Value> {
        let schema = &self.says["requestBody"]["content"]["application/json"]["schema"];
        (!schema.is_null()).then_some(schema)
    }

    fn parameters(&self) -> String {
        let rows: String = self
            .takes()
            .map(|one| {
                let (schema, place) = (&one["schema"], said(one, "in"));
                format!(
                    "<tr><th scope=\"row\"><code>{}</code></th><td>{place}</td><td>{}</td><td>{} {}</td></tr>",
                    text(said(one, "name")),
                    sort(schema),
                    line(said(one, "description")),
                    limits(schema),
                )
            })
            .collect();
        table("Parameters", &["Name", "Where", "Type", "What"], &rows)
    }

    fn body(&self) -> String {
        let Some(schema) = self.schema_of_body() else {
            return String::new();
        };
        format!("<h4>Body</h4><p>JSON: {}</p>", sort(schema))
    }

    fn answers(&self, whole: &Value) -> String {
        let answers = self.says["responses"].as_object().into_iter().flatten();
        let rows: String = answers
            .map(|(status, answer)| {
                let answer = schemas::followed(whole, answer);
                let content = answer["content"]
                    .as_object()
                    .and_then(|content| content.values().next());
                let sort = content
                    .map(|content| sort(&content["schema"]))
                    .unwrap_or_default();
                let says = line(said(answer, "description"));
                format!(
                    "<tr><th scope=\"row\">{}</th><td>{says}</td><td>{sort}</td></tr>",
                    text(status)
                )
            })
            .collect();
        table("Answers", &["Status", "What", "Body"], &rows)
    }

    /// A form that the page's script sends; without one it can't be pressed.
    fn attempt(&self, whole: &Value) -> String {
        let id = self.id();
        let fields: String = self
            .takes()
            .map(|one| {
                let (name, place) = (text(said(one, "name")), text(said(one, "in")));
                format!(
                    "<div class=\"field\"><label for=\"{id}-{name}\">{name}</label><input class=\"input\" \
                     id=\"{id}-{name}\" name=\"{name}\" data-in=\"{place}\" autocomplete=\"off\"></div>"
                )
            })
            .collect();
        let body = self.schema_of_body().map(|schema| {
            let example = serde_json::to_string_pretty(&example(whole, schema)).unwrap_or_default();
            format!(
                "<div class=\"field\"><label for=\"{id}-body\">Body</label><textarea class=\"textarea mono\" \
                 id=\"{id}-body\" data-in=\"body\" rows=\"6\" spellcheck=\"false\">{}</textarea></div>",
                text(&example)
            )
        });
        format!(
            "<form class=\"docs-try\" data-method=\"{}\" data-path=\"{}\" aria-label=\"Try {id}\"><h4>Try it</h4>\
             {fields}{}<div class=\"buttons\"><button class=\"button\" disabled>Send</button></div>\
             <div role=\"status\"><p class=\"docs-status\"></p></div>\
             <pre class=\"docs-answer\" tabindex=\"0\" aria-label=\"Answer\" hidden></pre></form>",
            text(&self.method),
            text(self.path),
            body.unwrap_or_default(),
        )
    }
}

/// A table, or nothing where it has no rows.
pub fn table(title: &str, heads: &[&str], rows: &str) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let heads: String = heads
        .iter()
        .map(|head| format!("<th scope=\"col\">{head}</th>"))
        .collect();
    format!(
        "<h4>{title}</h4><div class=\"docs-table\" tabindex=\"0\" role=\"region\" aria-label=\"{title}\">\
         <table class=\"table\"><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_description_says_is_no_markup() {
        let hostile = serde_json::json!({
            "info": {"description": "<script>alert(1)</script>", "version": "\"><img>"},
            "tags": [{"name": "A<b>"}],
            "paths": {"/x\"><i>": {"get": {
                "tags": ["A<b>"], "operationId": "\"><u>", "summary": "<s>", "responses": {"2<s>": {"description": "`<q>`"}},
                "parameters": [{"name": "<em>", "in": "query", "schema": {"enum": ["<b>"], "pattern": "<i>"}}],
            }}},
            "components": {"schemas": {"<p1>": {"properties": {"<p2>": {"type": "string"}}}}},
        });
        let page = render(&hostile);
        for markup in [
            "<script>alert",
            "<img>",
            "<b>",
            "<i>",
            "<u>",
            "<s>",
            "<q>",
            "<em>",
            "<p1>",
            "<p2>",
        ] {
            assert!(!page.contains(markup), "{markup} is markup in the page");
        }
        assert!(page.contains("<code>&lt;q&gt;</code>"));
    }
}
