//! Which events are written, and under which module name.

use tracing::Metadata;
use tracing::level_filters::LevelFilter;

/// The crates that carry the protocol. They log every frame, which no user and hardly any author wants to see.
const TRANSPORT: [&str; 5] = ["h2", "hyper", "hyper_util", "tonic", "tower"];

/// The most verbose level that is written, by where an event comes from.
///
/// | events of | module | variables, the first that is set and not empty counts |
/// |---|---|---|
/// | the provider and its dependencies | `provider`, `provider.<target>` | `TF_LOG_PROVIDER_<NAME>`, `TF_LOG_PROVIDER`, `TF_LOG` |
/// | this SDK | `sdk`, `sdk.<area>` | `TF_LOG_SDK`, then as above |
/// | the crates below it that carry the protocol | `sdk.proto.<crate>` | `TF_LOG_SDK_PROTO` |
///
/// `<NAME>` is the last part of the provider's name in upper case, with `_` for `-`. Values are those of core: TRACE,
/// DEBUG, INFO, WARN, ERROR, OFF and JSON (which means TRACE) in any case; core takes an unknown value for TRACE, so
/// this does too. A level whose variables are all unset is off, since core then shows nothing of it.
///
/// A span of the SDK holds fields for the lines of the provider, so for the spans of both the more verbose of
/// `provider` and `sdk` counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Levels {
    /// For events of the provider and of the crates it uses.
    pub provider: LevelFilter,
    /// For events of this SDK.
    pub sdk: LevelFilter,
    /// For events of the crates that carry the protocol.
    pub transport: LevelFilter,
}

impl Levels {
    /// The levels that the environment of this process asks for.
    #[must_use]
    pub fn from_env(name: &str) -> Self {
        Self::resolve(name, |variable| Some(std::env::var_os(variable)?.to_string_lossy().into_owned()))
    }

    /// The levels for the provider called `name` (or with this address), given a way to look up variables.
    ///
    /// ```
    /// use ferroform_plugin::log::Levels;
    /// use tracing::level_filters::LevelFilter;
    ///
    /// let levels = Levels::resolve("acme", |name| (name == "TF_LOG_PROVIDER_ACME").then(|| "debug".to_owned()));
    /// assert_eq!(levels.provider, LevelFilter::DEBUG);
    /// assert_eq!(levels.transport, LevelFilter::OFF);
    /// ```
    #[must_use]
    pub fn resolve(name: &str, variable: impl Fn(&str) -> Option<String>) -> Self {
        let level = |name: &str| variable(name).filter(|value| !value.is_empty()).map(|value| parse(&value));
        let last_part = name.rsplit('/').next().unwrap_or(name);
        let own = format!("TF_LOG_PROVIDER_{}", last_part.to_uppercase().replace('-', "_"));

        let provider = level(&own)
            .or_else(|| level("TF_LOG_PROVIDER"))
            .or_else(|| level("TF_LOG"))
            .unwrap_or(LevelFilter::OFF);
        Self {
            provider,
            sdk: level("TF_LOG_SDK").unwrap_or(provider),
            transport: level("TF_LOG_SDK_PROTO").unwrap_or(LevelFilter::OFF),
        }
    }

    /// Whether an event or a span with this metadata is on.
    pub(super) fn allow(&self, metadata: &Metadata<'_>) -> bool {
        let limit = match Origin::of(metadata.target()) {
            Origin::Transport => self.transport,
            Origin::Provider | Origin::Sdk if metadata.is_span() => self.provider.max(self.sdk),
            Origin::Provider => self.provider,
            Origin::Sdk => self.sdk,
        };
        *metadata.level() <= limit
    }

    /// The level above which everything is off.
    pub(super) fn highest(&self) -> LevelFilter {
        self.provider.max(self.sdk).max(self.transport)
    }
}

/// The hclog module name of an event: roots are `sdk` and `provider`, as other providers have them.
pub(super) fn module(target: &str) -> String {
    let (first, rest) = target.split_once("::").unwrap_or((target, ""));
    match Origin::of(target) {
        Origin::Sdk if first == "ferroform_plugin" => "sdk.plugin".to_owned(),
        Origin::Sdk => match rest.split("::").next() {
            Some(area) if !area.is_empty() => format!("sdk.{area}"),
            _ => "sdk".to_owned(),
        },
        Origin::Transport => format!("sdk.proto.{first}"),
        Origin::Provider if target.is_empty() => "provider".to_owned(),
        Origin::Provider => format!("provider.{}", target.replace("::", ".")),
    }
}

/// Where an event comes from, told by the crate name in its target.
#[derive(Clone, Copy)]
enum Origin {
    Provider,
    Sdk,
    Transport,
}

impl Origin {
    fn of(target: &str) -> Self {
        match target.split("::").next() {
            Some("ferroform" | "ferroform_core" | "ferroform_plugin" | "ferroform_server") => Self::Sdk,
            Some(name) if TRANSPORT.contains(&name) => Self::Transport,
            _ => Self::Provider,
        }
    }
}

fn parse(value: &str) -> LevelFilter {
    match value.to_ascii_uppercase().as_str() {
        "OFF" => LevelFilter::OFF,
        "ERROR" => LevelFilter::ERROR,
        "WARN" => LevelFilter::WARN,
        "INFO" => LevelFilter::INFO,
        "DEBUG" => LevelFilter::DEBUG,
        _ => LevelFilter::TRACE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `input` is the provider's name and the environment, `expect` the three levels.
    #[track_caller]
    fn check(input: &str, expect: &str) {
        let (name, env) = input.split_once(':').expect("a case is `name: VAR=value ...`");
        let env: Vec<(&str, &str)> = env.split_whitespace().filter_map(|pair| pair.split_once('=')).collect();
        let levels = Levels::resolve(name, |wanted| {
            env.iter().find(|(name, _)| *name == wanted).map(|(_, value)| (*value).to_owned())
        });
        assert_eq!(format!("{} {} {}", levels.provider, levels.sdk, levels.transport), expect, "{input}");
    }

    #[test]
    fn levels_follow_the_environment() {
        check("acme:", "off off off");
        check("acme: TF_LOG=", "off off off");
        check("acme: TF_LOG_CORE=trace", "off off off");
        check("acme: TF_LOG=trace", "trace trace off");
        check("acme: TF_LOG=DEBUG", "debug debug off");
        check("acme: TF_LOG=Info", "info info off");
        check("acme: TF_LOG=warn", "warn warn off");
        check("acme: TF_LOG=error", "error error off");
        check("acme: TF_LOG=off", "off off off");
        check("acme: TF_LOG=json", "trace trace off");
        check("acme: TF_LOG=1", "trace trace off");
    }

    #[test]
    fn the_narrower_variable_counts() {
        check("acme: TF_LOG=trace TF_LOG_PROVIDER=warn", "warn warn off");
        check("acme: TF_LOG=trace TF_LOG_PROVIDER=", "trace trace off");
        check("acme: TF_LOG_PROVIDER=warn TF_LOG_PROVIDER_ACME=debug", "debug debug off");
        check("acme: TF_LOG=info TF_LOG_PROVIDER_ACME=off", "off off off");
        check("acme: TF_LOG=info TF_LOG_PROVIDER_OTHER=off", "info info off");
        check("acme: TF_LOG=info TF_LOG_SDK=off", "info off off");
        check("acme: TF_LOG=info TF_LOG_SDK=", "info info off");
        check("acme: TF_LOG_SDK=debug", "off debug off");
        check("acme: TF_LOG=info TF_LOG_SDK_PROTO=trace", "info info trace");
    }

    #[test]
    fn the_variable_has_the_last_part_of_the_address() {
        check("acme-cloud: TF_LOG_PROVIDER_ACME_CLOUD=info", "info info off");
        check("registry.terraform.io/some-one/acme-cloud: TF_LOG_PROVIDER_ACME_CLOUD=info", "info info off");
        check("registry.terraform.io/some-one/acme: TF_LOG_PROVIDER_SOME_ONE=info", "off off off");
    }

    #[test]
    fn modules_have_the_two_usual_roots() {
        let check = |target, expect: &str| assert_eq!(module(target), expect);
        check("ferroform", "sdk");
        check("ferroform_server::server", "sdk.server");
        check("ferroform_server::server::plan_resource_change", "sdk.server");
        check("ferroform::serve", "sdk.serve");
        check("ferroform_plugin::grpc", "sdk.plugin");
        check("ferroform_acme::server", "provider.ferroform_acme.server");
        check("acme::api::client", "provider.acme.api.client");
        check("billing", "provider.billing");
        check("", "provider");
        check("h2::codec::framed_read", "sdk.proto.h2");
    }
}
