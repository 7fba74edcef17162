//! Moves: stored objects of other types, or of other providers, that become objects of this type.

use std::borrow::Cow;
use std::fmt;
use std::sync::OnceLock;

use crate::diag::{Diagnostic, Error, Result};
use crate::dynamic::{self, MoveSource, phase};
use crate::model::{Model, State};
use crate::private::Private;
use crate::protocol::RawState;
use crate::resource::{RawJson, Resource};
use crate::ty::Type;
use crate::value::Value;

/// The types whose objects can become objects of `R`, for `moved` blocks across types (Terraform 1.8 and later).
///
/// The first mover that takes an object wins. A mover gets no client: core moves before it configures the provider.
/// [`Resource::identity`] makes the identity of the new state, and private data is kept unless the mover changes it.
///
/// ```
/// use ferroform::model::{Model, Prior};
/// use ferroform::resource::{Moves, Source};
/// # use ferroform::diag::Result;
/// # use ferroform::model::Planned;
/// # use ferroform::resource::{CreateContext, DeleteContext, ReadContext, Resource, UpdateContext};
///
/// /// The state of `local_file` as far as it is needed.
/// #[derive(Model)]
/// struct LocalFile {
///     filename: Option<String>,
/// }
///
/// #[derive(Model)]
/// struct Document {
///     path: String,
/// }
///
/// impl Resource for Document {
///     # type Client = ();
///     # const NAME: &str = "document";
///     # async fn create(_: &mut CreateContext<'_, Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
///     # async fn read(_: &mut ReadContext<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> { unreachable!() }
///     # async fn update(_: &mut UpdateContext<'_, Self>, _: Prior<Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
///     # async fn delete(_: &mut DeleteContext<'_, Self>, _: Prior<Self>) -> Result { Ok(()) }
///     fn moves() -> Moves<Self> {
///         Moves::new()
///             .from(Source::of("hashicorp/local", "local_file"), |_cx, old: Prior<LocalFile>| {
///                 Ok(Document { path: old.filename.unwrap_or_default() })
///             })
///             .from_json(Source::resource("demo_note"), |_cx, json| {
///                 let note: serde_json::Value = json.parse()?;
///                 let path = note.get("path").and_then(|path| path.as_str());
///                 Ok(path.map(|path| Document { path: path.to_owned() }))
///             })
///     }
/// }
/// assert_eq!(format!("{:?}", Document::moves()), r#"["local_file", "demo_note"]"#);
/// ```
pub struct Moves<R: Resource> {
    movers: Vec<Mover<R>>,
}

/// Where an object comes from that a mover takes. [`Moves`] shows it in use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    provider: Option<Cow<'static, str>>,
    type_name: Cow<'static, str>,
}

impl Source {
    /// A resource type of any provider, such as one of this provider that was renamed.
    ///
    /// ```
    /// use ferroform::resource::Source;
    ///
    /// // `cloud_vm` was renamed. Its states match, whatever the source address of the provider is.
    /// let renamed = Source::resource("cloud_vm");
    /// assert_ne!(renamed, Source::of("acme/cloud", "cloud_vm"));
    /// ```
    #[must_use]
    pub fn resource(type_name: impl Into<Cow<'static, str>>) -> Self {
        Self { provider: None, type_name: type_name.into() }
    }

    /// A resource type of one provider: `hashicorp/local` on any registry, or with the host
    /// `registry.terraform.io/hashicorp/local`.
    ///
    /// ```
    /// use ferroform::dynamic::{self, CallState, MoveSource, RawState};
    /// use ferroform::prelude::*;
    /// use ferroform::resource::{Moves, Source};
    ///
    /// #[derive(Model)]
    /// struct Document {
    ///     path: String,
    /// }
    ///
    /// impl Resource for Document {
    ///     # type Client = ();
    ///     # const NAME: &str = "document";
    /// #     async fn create(_: &mut resource::CreateContext<'_, Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn read(_: &mut resource::ReadContext<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> { Ok(None) }
    /// #     async fn update(_: &mut resource::UpdateContext<'_, Self>, _: Prior<Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn delete(_: &mut resource::DeleteContext<'_, Self>, _: Prior<Self>) -> Result { Ok(()) }
    ///     fn moves() -> Moves<Self> {
    ///         // Of the type `local_file`, but not that of somebody else's provider.
    ///         Moves::new().from(Source::of("hashicorp/local", "local_file"), |_cx, old: Prior<Document>| Ok(old))
    ///     }
    /// }
    /// # struct Cloud;
    /// # impl Provider for Cloud {
    /// #     type Config = ();
    /// #     type Client = ();
    /// #     const NAME: &str = "cloud";
    /// #     async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result { Ok(()) }
    /// #     fn register(it: &mut Registry<()>) { it.resource::<Document>(); }
    /// # }
    ///
    /// // As core asks, by way of the object-safe trait.
    /// let catalogue = provider::assemble::<Cloud>().catalogue();
    /// let document = catalogue.get::<dyn dynamic::Resource>("cloud_document").unwrap();
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// for (provider, is_taken) in [("hashicorp/local", true), ("acme/local", false)] {
    ///     let state = RawState::Json(r#"{"path":"a.txt"}"#.into());
    ///     let source = MoveSource::new(format!("registry.terraform.io/{provider}"), "local_file", state);
    ///     let moved = document.move_state(&mut dynamic::Context::new(&mut CallState::new()), source).await?;
    ///     assert_eq!(moved.is_some(), is_taken);
    /// }
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    #[must_use]
    pub fn of(provider: impl Into<Cow<'static, str>>, type_name: impl Into<Cow<'static, str>>) -> Self {
        Self { provider: Some(provider.into()), type_name: type_name.into() }
    }

    fn is(&self, source: &MoveSource) -> bool {
        let address = source.provider.as_str();
        let provider = self.provider.as_ref().is_none_or(|provider| {
            address.strip_suffix(&**provider).is_some_and(|host| host.is_empty() || host.ends_with('/'))
        });
        provider && self.type_name == source.type_name
    }
}

/// What belongs to one move; there is no client, because the provider may be unconfigured.
///
/// ```
/// use ferroform::diag::Error;
/// use ferroform::resource::{Moves, Source};
/// # use ferroform::prelude::*;
///
/// #[derive(Model)]
/// struct Server {
///     name: String,
/// }
///
/// impl Resource for Server {
///     # type Client = ();
///     # const NAME: &str = "server";
/// #     async fn create(_: &mut resource::CreateContext<'_, Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
/// #     async fn read(_: &mut resource::ReadContext<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> { Ok(None) }
/// #     async fn update(_: &mut resource::UpdateContext<'_, Self>, _: Prior<Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
/// #     async fn delete(_: &mut resource::DeleteContext<'_, Self>, _: Prior<Self>) -> Result { Ok(()) }
///     fn moves() -> Moves<Self> {
///         Moves::new().from_json(Source::resource("cloud_vm"), |cx, json| {
///             if cx.version < 2 {
///                 return Err(Error::new("State Too Old", "Apply with release 2 of the old provider first."));
///             }
///             let vm: serde_json::Value = json.parse()?;
///             cx.warn("Check the Server", format!("The server comes from {}.", cx.provider));
///             Ok(vm.get("label").and_then(|label| label.as_str()).map(|label| Server { name: label.to_owned() }))
///         })
///     }
/// }
/// assert_eq!(format!("{:?}", Server::moves()), r#"["cloud_vm"]"#);
/// ```
#[non_exhaustive]
pub struct MoveContext<'call> {
    /// The private data of the object, which the moved object keeps.
    pub private: &'call mut Private,
    /// The provider that stored the object, e.g. `registry.terraform.io/hashicorp/random`.
    pub provider: &'call str,
    /// The schema version that stored the state.
    pub version: i64,
    /// The identity that is stored beside it, where core hands it over: OpenTofu does not. Core does not say by which
    /// version of its schema.
    pub identity: Option<RawJson>,
    /// The identity that the object has from now on, for what neither its state nor the client says:
    /// [`Resource::identity`] sees it as the stored one.
    pub target_identity: Option<Value>,
    warnings: Vec<Diagnostic>,
}

impl<'call> MoveContext<'call> {
    /// A context for the unit test of a mover. `provider` is the source address of the provider that stored the object, such
    /// as `registry.terraform.io/hashicorp/random`, and `version` the schema version of its state.
    /// [`identity`](Self::identity) is `None` until the test sets it.
    ///
    /// ```
    /// use ferroform::diag::Result;
    /// use ferroform::private::Private;
    /// use ferroform::resource::{MoveContext, RawJson};
    ///
    /// fn label(cx: &mut MoveContext<'_>, json: RawJson) -> Result<Option<String>> {
    ///     let vm: serde_json::Value = json.parse()?;
    ///     cx.warn("Check the Server", format!("The server comes from {}.", cx.provider));
    ///     Ok(vm["label"].as_str().map(str::to_owned))
    /// }
    ///
    /// let mut private = Private::default();
    /// let mut cx = MoveContext::new(&mut private, "registry.terraform.io/acme/old", 2);
    /// assert_eq!(label(&mut cx, RawJson::new(r#"{"label":"web"}"#))?.as_deref(), Some("web"));
    /// assert_eq!(cx.warnings()[0].summary, "Check the Server");
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    #[must_use]
    pub fn new(private: &'call mut Private, provider: &'call str, version: i64) -> Self {
        Self { private, provider, version, identity: None, target_identity: None, warnings: Vec::new() }
    }

    /// The warnings that the mover reported so far.
    ///
    /// ```
    /// use ferroform::private::Private;
    /// use ferroform::resource::MoveContext;
    ///
    /// let mut private = Private::default();
    /// let mut cx = MoveContext::new(&mut private, "registry.terraform.io/acme/old", 2);
    /// assert!(cx.warnings().is_empty());
    /// cx.warn("Check the Server", "The old provider did not store its zone.");
    /// assert_eq!(cx.warnings().len(), 1);
    /// ```
    #[must_use]
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    /// Tells the user something that does not stop the move.
    ///
    /// ```
    /// use ferroform::private::Private;
    /// use ferroform::resource::MoveContext;
    ///
    /// /// The size in GiB of a moved disk, which the old provider stored in MiB.
    /// fn size(cx: &mut MoveContext<'_>, mebibytes: u64) -> u64 {
    ///     if mebibytes % 1024 != 0 {
    ///         cx.warn("Size Rounded Up", "The next plan shows the size in whole GiB.");
    ///     }
    ///     mebibytes.div_ceil(1024)
    /// }
    ///
    /// let mut private = Private::default();
    /// let mut cx = MoveContext::new(&mut private, "registry.terraform.io/acme/old", 0);
    /// assert_eq!((size(&mut cx, 2048), size(&mut cx, 2049)), (2, 3));
    /// assert_eq!(cx.warnings()[0].summary, "Size Rounded Up");
    /// ```
    pub fn warn(&mut self, summary: impl Into<String>, detail: impl Into<String>) {
        self.warnings.push(Diagnostic::warning(summary, detail));
    }
}

impl fmt::Debug for MoveContext<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MoveContext").field("provider", &self.provider).finish_non_exhaustive()
    }
}

type Run = Box<dyn Fn(&mut MoveContext<'_>, RawJson) -> Result<Option<Value>> + Send + Sync>;

struct Mover<R> {
    source: Source,
    /// `None` for every version.
    version: Option<i64>,
    run: Run,
    of: std::marker::PhantomData<fn() -> R>,
}

impl<R: Resource> Moves<R> {
    /// No type yet.
    ///
    /// ```
    /// use ferroform::resource::{Moves, Source};
    /// # use ferroform::prelude::*;
    /// # #[derive(Model)]
    /// # struct Server { name: String }
    /// # impl Resource for Server {
    /// #     type Client = ();
    /// #     const NAME: &str = "server";
    /// #     async fn create(_: &mut resource::CreateContext<'_, Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn read(_: &mut resource::ReadContext<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> { Ok(None) }
    /// #     async fn update(_: &mut resource::UpdateContext<'_, Self>, _: Prior<Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn delete(_: &mut resource::DeleteContext<'_, Self>, _: Prior<Self>) -> Result { Ok(()) }
    /// # }
    ///
    /// let moves = Moves::<Server>::new();
    /// assert_eq!(format!("{moves:?}"), "[]");
    /// let moves = moves.from(Source::resource("cloud_vm"), |_cx, old: Prior<Server>| Ok(old));
    /// assert_eq!(format!("{moves:?}"), r#"["cloud_vm"]"#);
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        Self { movers: Vec::new() }
    }

    /// Takes objects of a type whose state has the version of the model `Old`.
    ///
    /// ```
    /// use ferroform::dynamic::{self, CallState, MoveSource, RawState};
    /// use ferroform::prelude::*;
    /// use ferroform::resource::{Moves, Source};
    /// use ferroform::value::Value;
    ///
    /// /// The state of `cloud_vm`, as far as it is needed.
    /// #[derive(Model)]
    /// struct Vm {
    ///     label: String,
    /// }
    /// # #[derive(Model)]
    /// # struct Server { name: String }
    /// # impl Resource for Server {
    /// #     type Client = ();
    /// #     const NAME: &str = "server";
    /// #     async fn create(_: &mut resource::CreateContext<'_, Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn read(_: &mut resource::ReadContext<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> { Ok(None) }
    /// #     async fn update(_: &mut resource::UpdateContext<'_, Self>, _: Prior<Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn delete(_: &mut resource::DeleteContext<'_, Self>, _: Prior<Self>) -> Result { Ok(()) }
    ///
    /// fn moves() -> Moves<Self> {
    ///     Moves::new().from(Source::resource("cloud_vm"), |_cx, old: Prior<Vm>| {
    ///         Ok(Server { name: old.label.unwrap_or_default() })
    ///     })
    /// }
    /// # }
    /// # struct Cloud;
    /// # impl Provider for Cloud {
    /// #     type Config = ();
    /// #     type Client = ();
    /// #     const NAME: &str = "cloud";
    /// #     async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result { Ok(()) }
    /// #     fn register(it: &mut Registry<()>) { it.resource::<Server>(); }
    /// # }
    ///
    /// // As core asks, by way of the object-safe trait.
    /// let catalogue = provider::assemble::<Cloud>().catalogue();
    /// let server = catalogue.get::<dyn dynamic::Resource>("cloud_server").unwrap();
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let stored = RawState::Json(r#"{"label":"www","size":"small"}"#.into());
    /// let source = MoveSource::new("registry.terraform.io/acme/cloud", "cloud_vm", stored);
    /// let moved = server.move_state(&mut dynamic::Context::new(&mut CallState::new()), source).await?;
    /// assert_eq!(moved, Some(Value::object([("name", Value::from("www"))])));
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    #[must_use]
    pub fn from<Old: State, New: State<Model = R>>(
        self,
        source: Source,
        take: impl Fn(&mut MoveContext<'_>, Old) -> Result<New> + Send + Sync + 'static,
    ) -> Self {
        let ty: OnceLock<Type> = OnceLock::new();
        self.mover(source, Some(Old::Model::VERSION), move |cx, json| {
            let value = json.value(ty.get_or_init(|| Old::Model::schema().ty()))?;
            let old = Old::from_value(&value)?;
            take(cx, old).map(|state| Some(state.encode()))
        })
    }

    /// Takes objects of a type by the JSON of their states, of whatever version; `None` leaves an object to the next
    /// mover.
    ///
    /// ```
    /// use ferroform::dynamic::{self, CallState, MoveSource, RawState};
    /// use ferroform::prelude::*;
    /// use ferroform::resource::{Moves, Source};
    /// use ferroform::value::Value;
    ///
    /// # #[derive(Model)]
    /// # struct Server { name: String }
    /// # impl Resource for Server {
    /// #     type Client = ();
    /// #     const NAME: &str = "server";
    /// #     async fn create(_: &mut resource::CreateContext<'_, Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn read(_: &mut resource::ReadContext<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> { Ok(None) }
    /// #     async fn update(_: &mut resource::UpdateContext<'_, Self>, _: Prior<Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn delete(_: &mut resource::DeleteContext<'_, Self>, _: Prior<Self>) -> Result { Ok(()) }
    /// fn moves() -> Moves<Self> {
    ///     Moves::new().from_json(Source::resource("cloud_vm"), |_cx, json| {
    ///         let vm: serde_json::Value = json.parse()?;
    ///         // Releases before 2 called it `title`.
    ///         let name = vm["label"].as_str().or(vm["title"].as_str());
    ///         Ok(name.map(|name| Server { name: name.to_owned() }))
    ///     })
    /// }
    /// # }
    /// # struct Cloud;
    /// # impl Provider for Cloud {
    /// #     type Config = ();
    /// #     type Client = ();
    /// #     const NAME: &str = "cloud";
    /// #     async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result { Ok(()) }
    /// #     fn register(it: &mut Registry<()>) { it.resource::<Server>(); }
    /// # }
    ///
    /// // As core asks, by way of the object-safe trait.
    /// let catalogue = provider::assemble::<Cloud>().catalogue();
    /// let server = catalogue.get::<dyn dynamic::Resource>("cloud_server").unwrap();
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let stored = RawState::Json(r#"{"title":"www"}"#.into());
    /// let source = MoveSource::new("registry.terraform.io/acme/cloud", "cloud_vm", stored);
    /// let moved = server.move_state(&mut dynamic::Context::new(&mut CallState::new()), source).await?;
    /// assert_eq!(moved, Some(Value::object([("name", Value::from("www"))])));
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    #[must_use]
    pub fn from_json<New: State<Model = R>>(
        self,
        source: Source,
        take: impl Fn(&mut MoveContext<'_>, RawJson) -> Result<Option<New>> + Send + Sync + 'static,
    ) -> Self {
        self.mover(source, None, move |cx, json| Ok(take(cx, json)?.map(New::encode)))
    }

    fn mover(
        mut self,
        source: Source,
        version: Option<i64>,
        run: impl Fn(&mut MoveContext<'_>, RawJson) -> Result<Option<Value>> + Send + Sync + 'static,
    ) -> Self {
        self.movers.push(Mover { source, version, run: Box::new(run), of: std::marker::PhantomData });
        self
    }

    /// The state that the first mover makes which takes the object.
    pub(super) fn take(
        &self,
        cx: &mut dynamic::Context<'_, phase::Move>,
        source: &MoveSource,
    ) -> Result<Option<Value>> {
        let RawState::Json(bytes) = &source.state else { return Ok(None) };
        let json = RawJson::new(bytes.clone());
        let identity = match &source.identity {
            Some(RawState::Json(bytes)) if !bytes.is_empty() => Some(RawJson::new(bytes.clone())),
            _ => None,
        };
        let mut known = Vec::new();
        for mover in self.movers.iter().filter(|mover| mover.source.is(source)) {
            if mover.version.is_some_and(|version| version != source.version) {
                known.extend(mover.version);
                continue;
            }
            let (provider, version) = (source.provider.as_str(), source.version);
            let mut private = cx.private().clone();
            let mut call = MoveContext::new(&mut private, provider, version);
            call.identity = identity.clone();
            let taken = (mover.run)(&mut call, json.clone());
            cx.diagnostics_mut().extend(std::mem::take(&mut call.warnings));
            let target_identity = call.target_identity.take();
            if let Some(state) = taken? {
                *cx.private_mut() = private;
                cx.set_identity(target_identity);
                return Ok(Some(state));
            }
        }
        if known.is_empty() { Ok(None) } else { Err(other_version(source, &known)) }
    }
}

fn other_version(source: &MoveSource, known: &[i64]) -> Error {
    let known = known.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
    Error::new(
        "Unsupported Source Schema Version",
        format!(
            "The state of this object of type `{}` has schema version {}, and this release of the provider moves \
             objects of version {known} only. Before moving it, apply once with a release of `{}` whose states have \
             such a version.",
            source.type_name, source.version, source.provider
        ),
    )
}

impl<R: Resource> Default for Moves<R> {
    fn default() -> Self {
        Self::new()
    }
}

impl<R: Resource> fmt::Debug for Moves<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.movers.iter().map(|mover| &mover.source.type_name)).finish()
    }
}
