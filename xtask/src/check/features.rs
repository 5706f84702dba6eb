//! Features of other crates that would take a guard away, whoever switched them on.

use std::path::Path;

use crate::command::{cargo, output};

/// The crate, its feature, and what it would open.
const FORBIDDEN: [(&str, &str, &str); 2] = [
    (
        "serde_json",
        "unbounded_depth",
        "nested JSON could overflow the stack and end the process",
    ),
    (
        "rustls",
        "aws_lc_rs",
        "TLS is ring's, so that one binary runs anywhere",
    ),
];

/// A sentence for each of them that is on.
pub fn broken(root: &Path) -> anyhow::Result<Vec<String>> {
    let mut found = Vec::new();
    for (name, feature, opens) in FORBIDDEN {
        let features = output(cargo(root).args([
            "tree",
            "--workspace",
            "--edges",
            "normal,build,dev",
            "--invert",
            name,
            "--depth",
            "0",
            "--prefix",
            "none",
            "--format",
            "{f}",
        ]))?;
        if has(&features, feature) {
            found.push(format!(
                "{name} has its feature {feature}: {opens}. Switch it off where it is on."
            ));
        }
    }
    Ok(found)
}

fn has(features: &str, feature: &str) -> bool {
    features.split([',', '\n']).any(|listed| listed.trim() == feature)
}

#[cfg(test)]
mod tests {
    use super::has;

    #[test]
    fn a_feature_is_found_by_its_whole_name() {
        assert!(has("default,raw_value,unbounded_depth\n", "unbounded_depth"));
        assert!(has("std\ndefault,unbounded_depth", "unbounded_depth"));
        assert!(!has("default,not_unbounded_depth,std\n", "unbounded_depth"));
    }
}
