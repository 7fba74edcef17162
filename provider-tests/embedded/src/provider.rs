//! The providers under test.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ferroform::Serve;
use ferroform_plugin::grpc::Router;

use crate::address::ProviderAddress;
use crate::client::{Command, Error, InProcessTransport, Process, Protocol};
use crate::product::{Product, platform};

/// A provider under test. In a test case its objects live in a backend of type `B`.
///
/// ```
/// use ferroform_embedded::provider::Provider;
///
/// // A program in any language: the same on all cores.
/// let _: Provider = Provider::binary("example.com/acme/demo", "/usr/lib/terraform-provider-demo");
/// ```
pub struct Provider<B = ()> {
    #[doc(hidden)]
    pub local_name: String,
    #[doc(hidden)]
    pub address: ProviderAddress,
    #[doc(hidden)]
    pub kind: ProviderKind<B>,
}

/// How an instance is started.
#[doc(hidden)]
pub enum ProviderKind<B> {
    /// Made in this process.
    InProcess(Arc<dyn Fn(&B) -> InProcess + Send + Sync>),
    /// A program with environment variables.
    Binary { executable: PathBuf, environment: Arc<Environment<B>> },
}

/// An instance of a provider that runs.
#[doc(hidden)]
#[derive(Debug)]
pub enum RunningProvider {
    /// It answers in this process.
    InProcess(InProcessTransport, Protocol),
    /// It is a program.
    Process(Box<Process>),
}

#[doc(hidden)]
pub type Environment<B> = dyn Fn(&B, Protocol) -> Vec<(OsString, OsString)> + Send + Sync;

/// A provider that answers in this process; it is made from a [`Serve`] or from a [`Router`].
pub struct InProcess(Box<dyn FnOnce(Protocol) -> Option<Arc<dyn Router>>>);

/// The namespace of an address that names none.
const DEFAULT_NAMESPACE: &str = "hashicorp";

impl<B> Provider<B> {
    /// A provider of this SDK in this process, under the source address `[host/][namespace/]type`.
    ///
    /// ```
    /// # use ferroform::provider::{Context, Provider as _, Registry};
    /// # use ferroform::{diag::Result, model::Draft};
    /// use ferroform_embedded::provider::Provider;
    ///
    /// # struct Cloud;
    /// # #[derive(ferroform::model::Model)]
    /// # struct Config {}
    /// # impl ferroform::provider::Provider for Cloud {
    /// #     type Config = Config;
    /// #     type Client = ();
    /// #     const NAME: &str = "cloud";
    /// #     async fn configure(_: &mut Context<'_>, _: Draft<Config>) -> Result<()> { Ok(()) }
    /// #     fn register(_: &mut Registry<()>) {}
    /// # }
    /// let _: Provider = Provider::of::<Cloud>("acme/cloud");
    /// ```
    #[must_use]
    pub fn of<P: ferroform::provider::Provider>(source: &str) -> Self {
        Self::in_process(source, |_| Serve::new(ferroform::provider::assemble::<P>()))
    }

    /// A provider in this process, under the source address `[host/][namespace/]type`.
    ///
    /// The closure makes one from the backend of the run, in which its objects live: the embedded core asks for a new
    /// one for each walk, as real ones start a process for each.
    pub fn in_process<P: Into<InProcess>>(
        source: &str,
        make: impl Fn(&B) -> P + Send + Sync + 'static,
    ) -> Self {
        Self::new(source, ProviderKind::InProcess(Arc::new(move |backend| make(backend).into())))
    }

    /// A program, in whatever language it is written. It is started with the plugin handshake, also by the embedded
    /// core, and decides itself which protocol it speaks.
    #[must_use]
    pub fn binary(source: &str, executable: impl Into<PathBuf>) -> Self {
        let environment: Arc<Environment<B>> = Arc::new(|_, _| Vec::new());
        Self::new(source, ProviderKind::Binary { executable: executable.into(), environment })
    }

    /// A published provider in an unpacked mirror, as `terraform providers mirror` and `filesystem_mirror` lay one out after
    /// its archives are unpacked: `HOST/NAMESPACE/TYPE/VERSION/OS_ARCH/terraform-provider-TYPE_vVERSION`. It may stand beside
    /// the provider under test, or be an older release of it that makes the objects for an upgrade.
    ///
    /// # Errors
    /// When the mirror has no such program.
    pub fn mirrored(source: &str, version: &str, mirror: impl AsRef<Path>) -> Result<Self, String> {
        let ProviderAddress { host, namespace, type_name } = Self::binary(source, "").address;
        let platform = platform();
        let folder = mirror.as_ref().join(host).join(namespace).join(&type_name).join(version).join(platform);
        let prefix = format!("terraform-provider-{type_name}_v{version}");
        let files = std::fs::read_dir(&folder).into_iter().flatten().flatten().map(|file| file.path());
        let programs = files.filter(|path| {
            path.is_file() && path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&prefix))
        });
        let program = programs.min().ok_or_else(|| {
            format!("there is no {prefix} in {}; unpack the archive of the release there", folder.display())
        })?;
        Ok(Self::binary(source, program))
    }

    /// Whether it is a program of its own.
    #[doc(hidden)]
    #[must_use]
    pub fn is_program(&self) -> bool {
        matches!(self.kind, ProviderKind::Binary { .. })
    }

    /// The same provider with environment variables, for a program: where its objects are, and which protocol to
    /// speak. They are made for each walk, from the backend as it is then. On a real core they reach core as well; a
    /// program that the test itself starts there, because a step looks at calls, has those of the beginning.
    #[must_use]
    pub fn with_env<N, V>(
        mut self,
        variables: impl Fn(&B, Protocol) -> Vec<(N, V)> + Send + Sync + 'static,
    ) -> Self
    where
        N: Into<OsString>,
        V: Into<OsString>,
    {
        if let ProviderKind::Binary { environment, .. } = &mut self.kind {
            *environment = Arc::new(move |backend, protocol| {
                let all = variables(backend, protocol).into_iter();
                all.map(|(name, value)| (name.into(), value.into())).collect()
            });
        }
        self
    }

    /// The same provider under another local name than its type.
    #[must_use]
    pub fn named(self, local_name: impl Into<String>) -> Self {
        Self { local_name: local_name.into(), ..self }
    }

    /// The local name and the address.
    #[doc(hidden)]
    #[must_use]
    pub fn name(&self) -> (&str, &ProviderAddress) {
        (&self.local_name, &self.address)
    }

    /// Starts an instance for the backend of a run.
    ///
    /// # Errors
    /// It does not start, or does not speak the protocol.
    #[doc(hidden)]
    pub async fn start(&self, backend: &B, protocol: Protocol) -> Result<RunningProvider, Error> {
        match &self.kind {
            ProviderKind::InProcess(make) => {
                let router = make(backend).router(protocol);
                let mute =
                    || Error::Start { problem: self.unsupported_protocol(protocol), stderr: String::new() };
                Ok(RunningProvider::InProcess(InProcessTransport::new(router.ok_or_else(mute)?), protocol))
            }
            ProviderKind::Binary { executable, environment } => {
                let command = provider_command(executable, environment(backend, protocol), protocol);
                Ok(RunningProvider::Process(Box::new(command.start().await?)))
            }
        }
    }

    /// Says that the provider does not speak a protocol.
    #[doc(hidden)]
    pub fn unsupported_protocol(&self, protocol: Protocol) -> String {
        let (address, protocol) = (&self.address, protocol.number());
        format!(
            "the provider {address} does not speak protocol {protocol}; leave it out of the protocols to test"
        )
    }

    /// Whether it speaks a protocol. Of a process only its start shows that.
    #[doc(hidden)]
    pub fn speaks(&self, backend: &B, protocol: Protocol) -> bool {
        match &self.kind {
            ProviderKind::InProcess(make) => make(backend).router(protocol).is_some(),
            ProviderKind::Binary { .. } => true,
        }
    }

    fn new(source: &str, kind: ProviderKind<B>) -> Self {
        let mut parts = source.rsplit('/');
        let mut part = |default: &str| parts.next().unwrap_or(default).to_owned();
        let type_name = part("");
        let namespace = part(DEFAULT_NAMESPACE);
        let address = ProviderAddress {
            host: part(Product::Terraform.default_host()),
            namespace,
            type_name: type_name.clone(),
        };
        Self { local_name: type_name, address, kind }
    }
}

/// How a program is started to speak a protocol.
#[doc(hidden)]
pub fn provider_command(program: &Path, variables: Vec<(OsString, OsString)>, protocol: Protocol) -> Command {
    let command = Command::new(program).only(protocol);
    variables.into_iter().fold(command, |command, (name, value)| command.env(name, value))
}

impl InProcess {
    /// One that differs between the protocols, for example because protocol 5 has no nested attributes.
    pub fn by_protocol(make: impl FnOnce(Protocol) -> Serve + 'static) -> Self {
        Self(Box::new(|protocol| Self::from(make(protocol)).router(protocol)))
    }

    /// What answers the calls of a protocol; `None` if the provider does not speak it.
    #[doc(hidden)]
    pub fn router(self, protocol: Protocol) -> Option<Arc<dyn Router>> {
        (self.0)(protocol)
    }
}

impl From<Serve> for InProcess {
    fn from(serve: Serve) -> Self {
        Self(Box::new(move |protocol| serve.options().router(protocol.number())))
    }
}

/// It answers for both protocols.
impl From<Arc<dyn Router>> for InProcess {
    fn from(router: Arc<dyn Router>) -> Self {
        Self(Box::new(|_| Some(router)))
    }
}

impl<B> Clone for Provider<B> {
    fn clone(&self) -> Self {
        let kind = match &self.kind {
            ProviderKind::InProcess(make) => ProviderKind::InProcess(make.clone()),
            ProviderKind::Binary { executable, environment } => {
                ProviderKind::Binary { executable: executable.clone(), environment: environment.clone() }
            }
        };
        Self { local_name: self.local_name.clone(), address: self.address.clone(), kind }
    }
}

impl<B> fmt::Debug for Provider<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Provider").field("address", &self.address).finish_non_exhaustive()
    }
}

impl<B> fmt::Debug for ProviderKind<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::InProcess(_) => "InProcess",
            Self::Binary { .. } => "Binary",
        })
    }
}

impl fmt::Debug for InProcess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InProcess").finish_non_exhaustive()
    }
}
