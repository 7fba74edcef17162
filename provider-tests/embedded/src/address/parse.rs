//! Addresses out of text.
//!
//! Every kind of address is a row of steps, names with a key perhaps, so there is one reader of steps and one reading
//! of them per kind.

use std::fmt;
use std::str::{Chars, FromStr};

use super::{
    InstanceAddress, InstanceKey, Mode, ModuleInstance, ProviderAddress, ProviderConfigAddress,
    ResourceAddress, Target,
};

/// A text that is no address of the wanted kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddressError {
    text: String,
    wanted: &'static str,
    problem: String,
}

impl fmt::Display for AddressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is not {}: {}", self.text, self.wanted, self.problem)
    }
}

impl std::error::Error for AddressError {}

impl FromStr for ModuleInstance {
    type Err = AddressError;

    /// Reads `module.a["x"].module.b`; the empty text is the root module.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        read(text, "the address of a module", |steps| {
            let module = module(steps)?;
            end(steps, "the modules")?;
            Ok(module)
        })
    }
}

impl FromStr for ResourceAddress {
    type Err = AddressError;

    /// Reads `module.a.data.acme_thing.this`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        read(text, "the address of a resource", |steps| match instance(steps)? {
            InstanceAddress { resource, key: InstanceKey::None } => Ok(resource),
            _ => Err("it has a key, so it names a single instance".to_owned()),
        })
    }
}

impl FromStr for InstanceAddress {
    type Err = AddressError;

    /// Reads `module.a[0].acme_thing.this["x"]`.
    ///
    /// ```
    /// use ferroform_embedded::address::{InstanceAddress, InstanceKey};
    ///
    /// let address: InstanceAddress = r#"acme_thing.this["a b"]"#.parse()?;
    /// assert_eq!(address.resource.to_string(), "acme_thing.this");
    /// assert_eq!(address.key, InstanceKey::Key("a b".to_owned()));
    /// # Ok::<(), ferroform_embedded::address::AddressError>(())
    /// ```
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        read(text, "the address of a resource instance", instance)
    }
}

impl FromStr for Target {
    type Err = AddressError;

    /// Reads `module.a[0]` or `module.a.acme_thing.this["x"]`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        read(text, "the address of a resource, a module, or an instance of one", |steps| {
            let mut module_alone = steps.clone();
            match module(&mut module_alone) {
                Ok(module) if module_alone.peek().is_none() && !module.0.is_empty() => {
                    Ok(Self::Module(module))
                }
                _ => instance(steps).map(Self::Resource),
            }
        })
    }
}

impl FromStr for ProviderAddress {
    type Err = AddressError;

    /// Reads `registry.terraform.io/acme/thing`. The host is needed, for its default depends on the core.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        provider(text).map_err(|problem| AddressError {
            text: text.to_owned(),
            wanted: "the address of a provider",
            problem,
        })
    }
}

impl FromStr for ProviderConfigAddress {
    type Err = AddressError;

    /// Reads `module.a.provider["registry.terraform.io/acme/thing"].west`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (address, key) = Self::with_key(text)?;
        if key == InstanceKey::None {
            return Ok(address);
        }
        read(text, PROVIDER_CONFIG, |_| Err("its alias has a key".to_owned()))
    }
}

/// What the address of a provider configuration is called.
const PROVIDER_CONFIG: &str = "the address of a provider configuration";

impl ProviderConfigAddress {
    /// Reads the same, with the key of an instance, as in `provider["registry.opentofu.org/acme/thing"].by_region["x"]`.
    pub(crate) fn with_key(text: &str) -> Result<(Self, InstanceKey), AddressError> {
        read(text, PROVIDER_CONFIG, |steps| {
            let module = module(steps)?;
            if module.0.iter().any(|(_, key)| *key != InstanceKey::None) {
                return Err("its modules have keys, but all instances of a module share providers".to_owned());
            }
            let provider = match steps.next() {
                Some((word, InstanceKey::Key(address))) if word == "provider" => self::provider(&address)?,
                _ => return Err("`provider[\"HOST/NAMESPACE/TYPE\"]` is missing".to_owned()),
            };
            let (alias, key) =
                steps.next().map_or((None, InstanceKey::None), |(alias, key)| (Some(alias), key));
            end(steps, "the alias")?;
            Ok((Self { module, provider, alias }, key))
        })
    }
}

/// The steps of an address that were not looked at yet.
type Steps = std::iter::Peekable<std::vec::IntoIter<(String, InstanceKey)>>;

fn read<T>(
    text: &str,
    wanted: &'static str,
    interpret: impl FnOnce(&mut Steps) -> Result<T, String>,
) -> Result<T, AddressError> {
    split(text)
        .and_then(|steps| interpret(&mut steps.into_iter().peekable()))
        .map_err(|problem| AddressError { text: text.to_owned(), wanted, problem })
}

fn module(steps: &mut Steps) -> Result<ModuleInstance, String> {
    let mut module = ModuleInstance::default();
    while steps.next_if(|(word, key)| word == "module" && *key == InstanceKey::None).is_some() {
        module.0.push(steps.next().ok_or("the name is missing after `module`")?);
    }
    Ok(module)
}

fn instance(steps: &mut Steps) -> Result<InstanceAddress, String> {
    let module = module(steps)?;
    // Managed resources may have theirs, too: `resource.acme_thing.this`.
    let is_mode =
        |(word, key): &(String, InstanceKey)| Mode::of_root(word).is_some() && *key == InstanceKey::None;
    let mode = steps.next_if(is_mode).and_then(|(word, _)| Mode::of_root(&word)).unwrap_or_default();
    let type_name = match steps.next() {
        Some((type_name, InstanceKey::None)) => type_name,
        Some(_) => return Err("a key may stand only after names of modules and resources".to_owned()),
        None => return Err("the type of the resource is missing".to_owned()),
    };
    let (name, key) = steps.next().ok_or("the name of the resource is missing after its type")?;
    end(steps, "the name of the resource")?;
    Ok(InstanceAddress { resource: ResourceAddress { module, mode, type_name, name }, key })
}

fn end(steps: &mut Steps, last: &str) -> Result<(), String> {
    match steps.next() {
        None => Ok(()),
        Some((word, _)) => Err(format!("there is {word:?} after {last}")),
    }
}

fn provider(text: &str) -> Result<ProviderAddress, String> {
    let parts: Vec<&str> = text.split('/').collect();
    let [host, namespace, type_name] = parts.as_slice() else {
        return Err(format!("it has {} of the three parts HOST/NAMESPACE/TYPE", parts.len()));
    };
    let fits = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | ':');
    if parts.iter().any(|part| part.is_empty() || !part.chars().all(fits)) {
        return Err("a part is empty or holds other characters than letters, digits, `.`, `-`, `_` and `:`"
            .to_owned());
    }
    let [host, namespace, type_name] = [host, namespace, type_name].map(|part| (*part).to_owned());
    Ok(ProviderAddress { host, namespace, type_name })
}

/// Splits an address into names with their keys.
fn split(text: &str) -> Result<Vec<(String, InstanceKey)>, String> {
    let mut steps = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        if !steps.is_empty() {
            rest = rest.strip_prefix('.').ok_or("a `.` is missing after a key")?;
        }
        let end = rest.find(['.', '[']).unwrap_or(rest.len());
        let (name, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
        if !is_identifier(name) {
            return Err(format!("{name:?} cannot be a name"));
        }
        let (key, after) = match after.strip_prefix('[') {
            Some(after) => key(after)?,
            None => (InstanceKey::None, after),
        };
        steps.push((name.to_owned(), key));
        rest = after;
    }
    Ok(steps)
}

/// Whether the configuration language takes it for a name.
pub(crate) fn is_identifier(name: &str) -> bool {
    let first = name.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_');
    first && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'))
}

/// Reads what is between brackets, and returns it with what follows them.
fn key(text: &str) -> Result<(InstanceKey, &str), String> {
    const NEITHER: &str = "what is in brackets is neither an index nor a quoted key";
    if let Some(quoted) = text.strip_prefix('"') {
        let mut chars = quoted.chars();
        let key = unquote(&mut chars)?;
        let after = chars.as_str().strip_prefix(']').ok_or("a `]` is missing after a quoted key")?;
        return Ok((InstanceKey::Key(key), after));
    }
    let (index, after) = text.split_once(']').ok_or("a bracket is not closed")?;
    if index.is_empty() || !index.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(NEITHER.to_owned());
    }
    let index = index.parse().map_err(|_| "an index is too large")?;
    Ok((InstanceKey::Index(index), after))
}

/// Reads a quoted text after its first quote, up to and with its last.
fn unquote(chars: &mut Chars<'_>) -> Result<String, String> {
    let mut text = String::new();
    loop {
        match chars.next().ok_or("a quoted key has no end")? {
            '"' => return Ok(text),
            '\\' => text.push(escaped(chars)?),
            sign @ ('$' | '%') => text.push_str(&template(sign, chars)?),
            other => text.push(other),
        }
    }
}

/// Reads what follows a sign that begins a template if it stands before a brace, and is doubled if it shall not.
fn template(sign: char, chars: &mut Chars<'_>) -> Result<String, String> {
    let rest = chars.as_str();
    let more = rest.len() - rest.trim_start_matches(sign).len();
    let signs = if !rest.trim_start_matches(sign).starts_with('{') {
        more + 1
    } else if more > 0 {
        more
    } else {
        return Err(format!("a key has a template in it; write `{sign}{sign}{{` for a plain `{sign}{{`"));
    };
    for _ in 0..more {
        chars.next();
    }
    Ok(std::iter::repeat_n(sign, signs).collect())
}

fn escaped(chars: &mut Chars<'_>) -> Result<char, String> {
    match chars.next() {
        Some('n') => Ok('\n'),
        Some('r') => Ok('\r'),
        Some('t') => Ok('\t'),
        Some(same @ ('"' | '\\')) => Ok(same),
        Some('u') => code_point(chars, 4),
        Some('U') => code_point(chars, 8),
        _ => Err(r#"a key has an escape other than \n, \r, \t, \", \\, \uNNNN and \UNNNNNNNN"#.to_owned()),
    }
}

fn code_point(chars: &mut Chars<'_>, digits: usize) -> Result<char, String> {
    let digits: String = chars.take(digits).collect();
    u32::from_str_radix(&digits, 16)
        .ok()
        .filter(|_| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
        .and_then(char::from_u32)
        .ok_or_else(|| "a key has an escape that is no character".to_owned())
}
