//! What somebody may do: read out of the groups that their provider names.

use holdpoint::Role;
use serde_json::{Map, Value};

/// Which group gives which role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Roles(Vec<(String, Role)>);

/// Why groups can't be read. Not knowing them is not the same as there being none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// No such claim.
    #[error(
        "the provider sends no claim {0}: have it put the groups there, or name the claim in HOLDPOINT_OIDC_GROUPS_CLAIM"
    )]
    Absent(String),
    /// Too many to send: the provider says where they could be asked for instead.
    #[error(
        "the claim {0} was too large for the provider, which names another place to ask: have it send only the groups that this application needs"
    )]
    Elsewhere(String),
    /// Neither a text nor a list of texts.
    #[error("the claim {0} is neither a text nor a list of texts")]
    Shape(String),
}

impl Roles {
    /// Out of `group=role`. The error is the entry that can't be read.
    pub fn parse(entries: &[String]) -> Result<Self, String> {
        // A group's name may hold a = of its own, as those of a directory do.
        let pair = |entry: &String| {
            let (group, role) = entry.rsplit_once('=')?;
            let role = role.trim().parse().ok()?;
            (!group.trim().is_empty()).then(|| (group.trim().to_owned(), role))
        };
        let read = |entry| pair(entry).ok_or_else(|| entry.clone());
        Ok(Self(entries.iter().map(read).collect::<Result<_, _>>()?))
    }

    /// Whether no group gives a role.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The highest role that these groups give; none of them may give any.
    pub fn of(&self, groups: &[&str]) -> Option<Role> {
        let given = self
            .0
            .iter()
            .filter(|(group, _)| groups.contains(&group.as_str()));
        given.map(|(_, role)| *role).max()
    }
}

/// The groups under this claim.
pub fn groups<'a>(claims: &'a Map<String, Value>, claim: &str) -> Result<Vec<&'a str>, Unreadable> {
    match claims.get(claim) {
        Some(Value::Array(several)) => {
            let read: Option<Vec<_>> = several.iter().map(Value::as_str).collect();
            read.ok_or_else(|| Unreadable::Shape(claim.to_owned()))
        }
        Some(Value::String(one)) => Ok(vec![one]),
        Some(Value::Null) | None if is_elsewhere(claims, claim) => {
            Err(Unreadable::Elsewhere(claim.to_owned()))
        }
        Some(Value::Null) | None => Err(Unreadable::Absent(claim.to_owned())),
        Some(_) => Err(Unreadable::Shape(claim.to_owned())),
    }
}

/// Distributed claims, and what one large provider sends in their place.
fn is_elsewhere(claims: &Map<String, Value>, claim: &str) -> bool {
    let named = claims.get("_claim_names").and_then(|names| names.get(claim));
    named.is_some()
        || claims
            .get("hasgroups")
            .is_some_and(|has| has != &Value::Bool(false))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn role(claims: Value) -> Result<Option<Role>, Unreadable> {
        let entries = ["hp-admins=admin", "hp-ops=operator", "cn=Look, only,ou=x=viewer"];
        let roles = Roles::parse(&entries.map(str::to_owned)).unwrap();
        let Value::Object(claims) = claims else {
            panic!("claims are an object");
        };
        groups(&claims, "groups").map(|groups| roles.of(&groups))
    }

    #[test]
    fn case_d52_the_highest_role_of_exact_groups_is_given() {
        assert_eq!(
            role(json!({"groups": ["hp-ops", "hp-admins"]})),
            Ok(Some(Role::Admin))
        );
        assert_eq!(role(json!({"groups": ["hp-ops"]})), Ok(Some(Role::Operator)));
        assert_eq!(
            role(json!({"groups": ["cn=Look, only,ou=x"]})),
            Ok(Some(Role::Viewer))
        );
        for other in [
            "HP-ADMINS",
            "hp-admins ",
            "hp-admins2",
            "hp",
            "",
            "hp-admins=admin",
        ] {
            assert_eq!(role(json!({"groups": [other]})), Ok(None), "{other:?}");
        }
    }

    #[test]
    fn case_d52_absent_groups_are_not_the_same_as_none() {
        assert_eq!(role(json!({"groups": []})), Ok(None));
        assert_eq!(role(json!({})), Err(Unreadable::Absent("groups".into())));
        assert_eq!(
            role(json!({"groups": null})),
            Err(Unreadable::Absent("groups".into()))
        );
    }

    #[test]
    fn case_d52_a_text_is_one_group_and_anything_else_is_none() {
        assert_eq!(role(json!({"groups": "hp-ops"})), Ok(Some(Role::Operator)));
        assert_eq!(role(json!({"groups": "hp-ops hp-admins"})), Ok(None));
        for wrong in [
            json!(7),
            json!(true),
            json!({"hp-admins": true}),
            json!(["hp-admins", 7]),
        ] {
            assert_eq!(
                role(json!({"groups": wrong})),
                Err(Unreadable::Shape("groups".into()))
            );
        }
    }

    #[test]
    fn case_d52_hundreds_of_groups_are_read_and_too_many_to_send_are_refused() {
        let mut many: Vec<_> = (0..300).map(|n| format!("team-{n}")).collect();
        many.push("hp-ops".to_owned());
        assert_eq!(role(json!({"groups": many})), Ok(Some(Role::Operator)));
        for elsewhere in [
            json!({"_claim_names": {"groups": "src1"}, "_claim_sources": {"src1": {"endpoint": "https://graph.example"}}}),
            json!({"hasgroups": true}),
        ] {
            assert_eq!(role(elsewhere), Err(Unreadable::Elsewhere("groups".into())));
        }
    }

    #[test]
    fn what_gives_no_role_is_no_entry() {
        for wrong in ["", "hp-ops", "=admin", "hp-ops=", "hp-ops=root", "hp-ops:admin"] {
            assert_eq!(Roles::parse(&[wrong.to_owned()]), Err(wrong.to_owned()));
        }
    }
}
