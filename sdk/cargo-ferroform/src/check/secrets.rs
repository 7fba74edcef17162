//! Attributes that look like secrets and are shown.

use ferroform::ty::Type;
use ferroform_testing::client::Schemas;

use super::parts::parts;
use crate::provider::Provider;

/// Those that are neither sensitive nor write-only, without those that the author has looked at.
pub(super) fn unmarked(provider: &Provider, schemas: &Schemas) -> Vec<String> {
    let allowed = &provider.metadata["not-secret"];
    let is_allowed =
        |path: &str| allowed.as_array().is_some_and(|all| all.iter().any(|it| it.as_str() == Some(path)));
    let found = parts(schemas).into_iter().filter(|part| {
        let name = part.path.rsplit('.').next().unwrap_or_default();
        !part.is_hidden
            && part.ty.as_ref().is_some_and(holds_text)
            && looks_secret(name)
            && !is_allowed(&part.path)
    });
    let found = found.map(|part| {
        format!(
            "{} looks like a secret and is shown in plain text; add `#[attr(sensitive)]`, use `WriteOnly`, or add \
             \"{}\" to `not-secret` in `[package.metadata.ferroform]`",
            part.place, part.path
        )
    });
    found.collect()
}

fn holds_text(ty: &Type) -> bool {
    match ty {
        Type::String | Type::Dynamic => true,
        Type::Number | Type::Bool => false,
        Type::List(inner) | Type::Set(inner) | Type::Map(inner) => holds_text(inner),
        Type::Object(object) => object.attributes().iter().any(|(_, ty)| holds_text(ty)),
        Type::Tuple(elements) => elements.iter().any(holds_text),
    }
}

const SECRETS: [&str; 13] = [
    "apikey",
    "credential",
    "credentials",
    "passphrase",
    "passwd",
    "password",
    "passwords",
    "pin",
    "pwd",
    "secret",
    "secrets",
    "token",
    "tokens",
];

/// What a secret is about, but not the secret.
const ABOUT: [&str; 22] = [
    "algorithm",
    "arn",
    "count",
    "endpoint",
    "expiration",
    "expiry",
    "file",
    "format",
    "id",
    "ids",
    "length",
    "mode",
    "name",
    "names",
    "path",
    "policy",
    "ref",
    "ttl",
    "type",
    "uri",
    "url",
    "version",
];

/// Keys that everybody may see.
const PUBLIC_KEYS: [&str; 13] = [
    "foreign",
    "hash",
    "host",
    "label",
    "map",
    "object",
    "partition",
    "primary",
    "public",
    "range",
    "sort",
    "ssh",
    "tag",
];

fn looks_secret(name: &str) -> bool {
    let words: Vec<&str> = name.split('_').collect();
    match words[..] {
        [.., last] if ABOUT.contains(&last) => false,
        [.., kind, "key" | "keys"] => !PUBLIC_KEYS.contains(&kind),
        _ => {
            let is_key = |pair: &[&str]| matches!(pair, ["private" | "api" | "secret", "key" | "keys"]);
            words.windows(2).any(is_key) || words.iter().any(|word| SECRETS.contains(word))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::looks_secret;

    #[test]
    fn names_of_secrets_are_told_from_names_about_them() {
        for name in [
            "password",
            "admin_password",
            "api_token",
            "client_secret",
            "private_key",
            "access_keys",
            "private_key_pem",
            "api_key_value",
        ] {
            assert!(looks_secret(name), "{name}");
        }
        for name in [
            "key",
            "public_key",
            "key_id",
            "private_key_id",
            "public_key_pem",
            "secret_arn",
            "token_ttl",
            "password_length",
            "name",
            "tag_key",
        ] {
            assert!(!looks_secret(name), "{name}");
        }
    }
}
