//! Ephemeral resources: objects that exist only while core plans or applies, such as short-lived credentials.

mod context;
mod dynamic_adapter;
mod record;

pub use context::{CloseContext, Context, OpenContext, RenewContext};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::diag::Result;
use crate::dynamic::ValidateContext;
use crate::model::{Draft, Model, Planned};
use crate::resource::RawJson;

/// An ephemeral resource type, implemented on its model.
///
/// Core opens it in every plan and in every apply, renews it while something uses it, and closes it then. Its result is
/// stored in no state and no plan file; configurations use it where nothing is stored, such as in a provider block or a
/// write-only attribute.
///
/// ```
/// use std::time::Duration;
///
/// use ferroform::diag::Result;
/// use ferroform::ephemeral_resource::{CloseContext, EphemeralResource, OpenContext, RenewContext};
/// use ferroform::model::{Model, Planned};
/// # use ferroform::dynamic::EphemeralContext;
/// # use ferroform::model::Decode;
/// # use ferroform::value::Value;
/// # use std::sync::{Arc, Mutex};
///
/// /// The client of the service.
/// struct Vault {
///     # leases: Mutex<Vec<String>>,
/// }
/// # impl Vault {
/// #     async fn lend(&self, role: &str) -> Result<(String, String)> {
/// #         self.leases.lock().unwrap().push(role.to_owned());
/// #         Ok((role.to_owned(), "secret".to_owned()))
/// #     }
/// #     async fn extend(&self, _lease: &str) -> Result { Ok(()) }
/// #     async fn revoke(&self, lease: &str) -> Result { self.leases.lock().unwrap().retain(|it| it != lease); Ok(()) }
/// # }
///
/// /// A password that the service takes back.
/// #[derive(Model)]
/// struct Credential {
///     role: String,
///     #[attr(computed, sensitive)]
///     password: String,
/// }
///
/// const LEASE: Duration = Duration::from_secs(60);
///
/// impl EphemeralResource for Credential {
///     type Client = Vault;
///     /// The lease, which a renewal and the close need.
///     type Private = String;
///     const NAME: &str = "credential";
///
///     async fn open(cx: &mut OpenContext<'_, Self>, config: Planned<Self>) -> Result<Self> {
///         let (lease, password) = cx.client.lend(&config.role).await?;
///         // From here on the lease is closed, also if what follows fails.
///         cx.record(&lease)?;
///         cx.renew_after(LEASE / 2);
///         Ok(Self { role: config.role, password })
///     }
///
///     async fn renew(cx: &mut RenewContext<'_, Self>, lease: String) -> Result {
///         cx.client.extend(&lease).await?;
///         cx.renew_after(LEASE / 2);
///         Ok(())
///     }
///
///     async fn close(cx: &mut CloseContext<'_, Self>, lease: String) -> Result {
///         cx.client.revoke(&lease).await
///     }
/// }
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// # let vault = Arc::new(Vault { leases: Mutex::default() });
/// # let config = Value::object([("role", Value::from("ci")), ("password", Value::unknown())]);
/// # let mut call = EphemeralContext::new();
/// # let mut cx = OpenContext::<Credential>::new(Arc::clone(&vault), &mut call);
/// # let opened = Credential::open(&mut cx, Planned::<Credential>::from_value(&config)?).await?;
/// # assert_eq!((opened.role.as_str(), opened.password.as_str()), ("ci", "secret"));
/// # let lease = cx.recorded()?.expect("a lease");
/// # let mut call = EphemeralContext::new();
/// # let mut cx = RenewContext::<Credential>::new(Arc::clone(&vault), &mut call);
/// # Credential::renew(&mut cx, lease.clone()).await?;
/// # assert!(cx.renewal().is_some());
/// # let mut call = EphemeralContext::new();
/// # let mut cx = CloseContext::<Credential>::new(Arc::clone(&vault), &mut call);
/// # Credential::close(&mut cx, lease).await?;
/// # assert!(vault.leases.lock().unwrap().is_empty());
/// # Ok::<(), ferroform::diag::Error>(())
/// # })?;
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
///
/// Planning annotations of the model, such as `keep` or `replace`, have no effect here and are allowed, for the model may be
/// that of a resource as well.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an ephemeral resource",
    label = "needs an `impl EphemeralResource for {Self}`",
    note = "derive `Model` on the struct and implement `ferroform::ephemeral_resource::EphemeralResource` for it"
)]
pub trait EphemeralResource: Model {
    /// The client that the provider's `configure` makes; a provider registers only ephemeral resources of its own client.
    type Client: Send + Sync + 'static;

    /// What a renewal and the close need to know, such as the ID of a lease; `()` for a type that has nothing to close.
    /// Core keeps it in its memory and stores it nowhere.
    type Private: Serialize + DeserializeOwned + Send + Sync + 'static;

    /// The type name without the name of the provider: `credential` for `cloud_credential`.
    const NAME: &'static str;

    /// The version of the form of [`Private`](Self::Private). Raise it with each change of that form, and read the older
    /// ones in [`upgrade_private`](Self::upgrade_private).
    const PRIVATE_VERSION: i64 = 0;

    /// Opens the object and returns its attributes. Core calls it only when the configuration is wholly known.
    ///
    /// Record what must be closed by [`OpenContext::record`](Context::record) as soon as it exists: if the open fails after
    /// that, by an error, a panic or its timeout, the SDK calls [`close`](Self::close) with the record, once.
    ///
    /// ```
    /// use ferroform::prelude::*;
    /// # use std::sync::Arc;
    /// # use ferroform::dynamic::EphemeralContext;
    /// # struct Api;
    /// # impl Api { async fn lend(&self, _: &str) -> Result<(String, String)> { Ok(("lease-1".to_owned(), "s3cr3t".to_owned())) } }
    ///
    /// #[derive(Model)]
    /// struct Token {
    ///     role: String,
    ///     #[attr(computed, sensitive)]
    ///     value: String,
    /// }
    /// # impl EphemeralResource for Token {
    /// #     type Client = Api;
    /// #     type Private = String;
    /// #     const NAME: &str = "token";
    ///
    /// async fn open(cx: &mut ephemeral_resource::OpenContext<'_, Self>, config: Planned<Self>) -> Result<Self> {
    ///     let (lease, value) = cx.client.lend(&config.role).await?;
    ///     cx.record(&lease)?;
    ///     Ok(Self { role: config.role, value })
    /// }
    /// # }
    ///
    /// # let mut call = EphemeralContext::new();
    /// # let mut cx = ephemeral_resource::OpenContext::<Token>::new(Arc::new(Api), &mut call);
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let config = TokenDraft { role: Attr::Known("ci".to_owned()), ..TokenDraft::default() };
    /// let token = Token::open(&mut cx, Token::planned(config)?).await?;
    /// assert_eq!((token.value.as_str(), cx.recorded()?.as_deref()), ("s3cr3t", Some("lease-1")));
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    fn open(
        cx: &mut OpenContext<'_, Self>,
        config: Planned<Self>,
    ) -> impl Future<Output = Result<Self>> + Send;

    /// Renews what an open recorded. Core calls it at the time that
    /// [`renew_after`](crate::dynamic::EphemeralContext::renew_after) or
    /// [`renew_at`](crate::dynamic::EphemeralContext::renew_at) set, and not again if this call sets no further time. The
    /// result of the open stays as it is; a record of this call takes the place of the last one.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use ferroform::prelude::*;
    /// # use std::sync::Arc;
    /// # use ferroform::dynamic::EphemeralContext;
    /// # struct Api;
    /// # impl Api { async fn extend(&self, _: &str) -> Result<Duration> { Ok(Duration::from_secs(60)) } }
    /// # #[derive(Model)]
    /// # struct Token { role: String }
    /// # impl EphemeralResource for Token {
    /// #     type Client = Api;
    /// #     type Private = String;
    /// #     const NAME: &str = "token";
    /// #     async fn open(_: &mut ephemeral_resource::OpenContext<'_, Self>, config: Planned<Self>) -> Result<Self> { Ok(Self { role: config.role }) }
    ///
    /// async fn renew(cx: &mut ephemeral_resource::RenewContext<'_, Self>, lease: String) -> Result {
    ///     let valid = cx.client.extend(&lease).await?;
    ///     // Without this, the renewal is the last one.
    ///     cx.renew_after(valid / 2);
    ///     Ok(())
    /// }
    /// # }
    ///
    /// # let mut call = EphemeralContext::new();
    /// # let mut cx = ephemeral_resource::RenewContext::<Token>::new(Arc::new(Api), &mut call);
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// Token::renew(&mut cx, "lease-1".to_owned()).await?;
    /// assert!(cx.renewal().is_some());
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    fn renew(
        cx: &mut RenewContext<'_, Self>,
        recorded: Self::Private,
    ) -> impl Future<Output = Result> + Send {
        let _ = (cx, recorded);
        async { Err(crate::dynamic::renewal_not_implemented()) }
    }

    /// Closes what an open recorded. An object that does not exist any more is a success. An open that recorded nothing is
    /// not closed.
    ///
    /// ```
    /// use ferroform::prelude::*;
    /// # use std::sync::{Arc, Mutex};
    /// # use ferroform::dynamic::EphemeralContext;
    /// # struct Api { leases: Mutex<Vec<String>> }
    /// # impl Api {
    /// #     async fn revoke(&self, lease: &str) -> Result { self.leases.lock().unwrap().retain(|it| it != lease); Ok(()) }
    /// # }
    /// # #[derive(Model)]
    /// # struct Token { role: String }
    /// # impl EphemeralResource for Token {
    /// #     type Client = Api;
    /// #     type Private = String;
    /// #     const NAME: &str = "token";
    /// #     async fn open(_: &mut ephemeral_resource::OpenContext<'_, Self>, config: Planned<Self>) -> Result<Self> { Ok(Self { role: config.role }) }
    ///
    /// async fn close(cx: &mut ephemeral_resource::CloseContext<'_, Self>, lease: String) -> Result {
    ///     cx.client.revoke(&lease).await
    /// }
    /// # }
    ///
    /// # let api = Arc::new(Api { leases: Mutex::new(vec!["lease-1".to_owned()]) });
    /// # let mut call = EphemeralContext::new();
    /// # let mut cx = ephemeral_resource::CloseContext::<Token>::new(Arc::clone(&api), &mut call);
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// Token::close(&mut cx, "lease-1".to_owned()).await?;
    /// assert!(api.leases.lock().unwrap().is_empty());
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    fn close(
        cx: &mut CloseContext<'_, Self>,
        recorded: Self::Private,
    ) -> impl Future<Output = Result> + Send {
        let _ = (cx, recorded);
        async { Ok(()) }
    }

    /// Reads a record that a release with an older [`PRIVATE_VERSION`](Self::PRIVATE_VERSION) wrote. A version above 0
    /// must implement it. Without it there is no program:
    ///
    /// ```compile_fail
    /// # use ferroform::diag::Result;
    /// # use ferroform::ephemeral_resource::{EphemeralResource, OpenContext};
    /// # use ferroform::model::{Model, Planned};
    /// # use ferroform::resource::RawJson;
    /// #[derive(Model)]
    /// struct Credential { role: String }
    ///
    /// impl EphemeralResource for Credential {
    ///     # type Client = ();
    ///     # type Private = String;
    ///     # const NAME: &str = "credential";
    ///     const PRIVATE_VERSION: i64 = 1;
    ///     # async fn open(_: &mut OpenContext<'_, Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    ///     // `upgrade_private` is missing.
    /// }
    /// let _ = Credential::upgrade_private(0, RawJson::new("{}"));
    /// ```
    ///
    /// A record that was the ID of a lease alone, and has its region now:
    ///
    /// ```
    /// use ferroform::prelude::*;
    /// use ferroform::resource::RawJson;
    /// # #[derive(Model)]
    /// # struct Credential { role: String }
    /// # impl EphemeralResource for Credential {
    /// #     type Client = ();
    /// #     type Private = (String, String);
    /// #     const NAME: &str = "credential";
    /// #     async fn open(_: &mut ephemeral_resource::OpenContext<'_, Self>, config: Planned<Self>) -> Result<Self> { Ok(Self { role: config.role }) }
    ///
    /// const PRIVATE_VERSION: i64 = 1;
    ///
    /// fn upgrade_private(_version: i64, recorded: RawJson) -> Result<(String, String)> {
    ///     let lease: String = recorded.parse()?;
    ///     Ok(("eu-1".to_owned(), lease))
    /// }
    /// # }
    ///
    /// let (region, lease) = Credential::upgrade_private(0, RawJson::new(r#""lease-1""#))?;
    /// assert_eq!((region.as_str(), lease.as_str()), ("eu-1", "lease-1"));
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    ///
    /// # Errors
    /// The record has another form than that version.
    fn upgrade_private(version: i64, recorded: RawJson) -> Result<Self::Private> {
        const {
            assert!(
                Self::PRIVATE_VERSION == 0,
                "older records need an upgrade: implement `EphemeralResource::upgrade_private`"
            );
        };
        let _ = recorded;
        Err(record::unreadable(version))
    }

    /// Checks a configuration beyond what the schema says. The provider may be unconfigured, so there is no client;
    /// `cx` takes warnings, and errors after which the checks go on.
    ///
    /// ```
    /// use ferroform::dynamic::CallState;
    /// use ferroform::prelude::*;
    /// # #[derive(Model)]
    /// # struct Token { role: String }
    /// # impl EphemeralResource for Token {
    /// #     type Client = ();
    /// #     type Private = ();
    /// #     const NAME: &str = "token";
    /// #     async fn open(_: &mut ephemeral_resource::OpenContext<'_, Self>, config: Planned<Self>) -> Result<Self> { Ok(Self { role: config.role }) }
    ///
    /// fn validate(cx: &mut ValidateContext<'_>, config: Draft<Self>) -> Result {
    ///     if config.role.as_known().is_some_and(|role| role == "owner") {
    ///         cx.warn("Powerful Role", "A token of an owner may delete the account. Use a role of your own.");
    ///     }
    ///     Ok(())
    /// }
    /// # }
    ///
    /// let mut call = CallState::new();
    /// let config = TokenDraft { role: Attr::Known("owner".to_owned()) };
    /// Token::validate(&mut ValidateContext::new(&mut call), config)?;
    /// assert_eq!(call.diagnostics.len(), 1);
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    ///
    /// # Errors
    /// What is wrong with the configuration, each at its path.
    fn validate(cx: &mut ValidateContext<'_>, config: Draft<Self>) -> Result {
        let _ = (cx, config);
        Ok(())
    }
}
