//! Modifiers of planned values, typed.

use std::fmt;

use super::{Attr, AttributeValue, Decode, Model};
use crate::diag::Result;
use crate::path::Path;
use crate::private::Private;
use crate::schema::{Modification, no_sibling};
use crate::value::{Refinements, Value};

/// The planned value of an attribute, for `modify` and `replace_if`.
///
/// ```
/// use ferroform::diag::Result;
/// use ferroform::model::{Attr, Model, Modify};
///
/// #[derive(Model)]
/// struct Disk {
///     /// It grows in place and never shrinks.
///     #[attr(replace_if = shrinks)]
///     size: u32,
///     #[attr(optional, computed, modify = lower)]
///     zone: String,
/// }
///
/// fn shrinks(size: &Modify<'_, u32>) -> bool {
///     size.planned.as_known().zip(size.prior.as_ref()).is_some_and(|(planned, prior)| planned < prior)
/// }
///
/// /// A zone that is not configured stays when the service is the one that chose it.
/// fn lower(zone: &mut Modify<'_, String>) -> Result {
///     if let (Attr::Null, Some(prior)) = (&zone.config, &zone.prior) {
///         zone.planned = Attr::Known(prior.clone());
///     }
///     Ok(())
/// }
/// assert_eq!(Disk::block().attribute("zone").unwrap().modifiers.len(), 1);
/// ```
#[non_exhaustive]
pub struct Modify<'a, T: AttributeValue> {
    /// The attribute.
    pub path: &'a Path,
    /// The configured value.
    pub config: Attr<T::Draft>,
    /// The prior value; `None` when it was null or the object that holds it did not exist.
    pub prior: Option<T::Prior>,
    /// The planned value, to be changed in place. Core accepts a change only where the configuration has none, or to
    /// the prior value.
    pub planned: Attr<T::Draft>,
    untyped: &'a Modification<'a>,
    pub(super) refinements: Option<Refinements>,
    is_replaced: bool,
}

/// An attribute or block beside one that is modified; see [`Modify::sibling`].
///
/// ```
/// use ferroform::diag::Result;
/// use ferroform::model::{Attr, Model, Modify, Sibling};
///
/// #[derive(Model)]
/// struct Server {
///     name: String,
///     /// By the name of the server where nothing is configured.
///     #[attr(optional, computed, modify = by_name)]
///     host_name: String,
/// }
///
/// fn by_name(host_name: &mut Modify<'_, String>) -> Result {
///     let name: Sibling<String> = host_name.sibling("name")?;
///     if host_name.config.is_null() {
///         host_name.planned = name.planned.map(|name| format!("{name}.example.org"));
///     }
///     Ok(())
/// }
///
/// let config = ServerDraft { name: Attr::Known("www".to_owned()), ..ServerDraft::default() };
/// assert_eq!(Server::planned(config)?.host_name.known().as_deref(), Some("www.example.org"));
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
#[non_exhaustive]
pub struct Sibling<T: AttributeValue> {
    /// The configured value.
    pub config: Attr<T::Draft>,
    /// The prior value; `None` when it was null or the object that holds it did not exist.
    pub prior: Option<T::Prior>,
    /// The planned value, before the modifiers of the object ran.
    pub planned: Attr<T::Draft>,
}

impl<'a, T: AttributeValue> Modify<'a, T> {
    /// The typed view of a modification.
    ///
    /// ```
    /// use ferroform::model::Modify;
    /// use ferroform::path;
    /// use ferroform::schema::Modification;
    /// use ferroform::value::Value;
    ///
    /// let (path, config, prior) = (path!(size), Value::from(20), Value::from(10));
    /// let untyped = Modification::new(&path, &config, Some(&prior), config.clone());
    /// let size = Modify::<u32>::of(&untyped)?;
    /// assert_eq!((size.planned.as_known(), size.prior), (Some(&20), Some(10)));
    /// assert!(Modify::<bool>::of(&untyped).is_err());
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    ///
    /// # Errors
    /// A value that is none of the type.
    pub fn of(untyped: &'a Modification<'a>) -> Result<Self> {
        let Sibling { config, prior, planned } =
            Sibling::<T>::of(untyped.config, untyped.prior, &untyped.planned)?;
        let path = untyped.path;
        Ok(Self { path, config, prior, planned, untyped, refinements: None, is_replaced: false })
    }

    /// The attribute or block of that name in the same object, whose type is `S`.
    ///
    /// ```
    /// use ferroform::diag::Result;
    /// use ferroform::model::{Attr, Model, Modify};
    ///
    /// #[derive(Model)]
    /// struct Disk {
    ///     size: u32,
    ///     /// The service chooses the price anew for another size.
    ///     #[attr(computed, keep, modify = price)]
    ///     price: u32,
    /// }
    ///
    /// fn price(price: &mut Modify<'_, u32>) -> Result {
    ///     let size = price.sibling::<u32>("size")?;
    ///     if size.planned.as_known() != size.prior.as_ref() {
    ///         price.planned = Attr::Unknown;
    ///     }
    ///     Ok(())
    /// }
    /// # use ferroform_core::plan::{PlanInput, plan};
    /// # use ferroform::value::Value;
    /// # let disk = |size: i64, price: Value| Value::object([("size", size.into()), ("price", price)]);
    /// # let planned = |size: i64| {
    /// #     let (config, prior) = (disk(size, Value::Null), disk(1, 10.into()));
    /// #     let proposed = disk(size, 10.into());
    /// #     plan(PlanInput { block: &Disk::block(), config: &config, prior: &prior, proposed: &proposed }).unwrap().state
    /// # };
    /// # assert_eq!(planned(1), disk(1, 10.into()));
    /// # assert_eq!(planned(2), disk(2, Value::unknown()));
    /// ```
    ///
    /// # Errors
    /// There is no such attribute, or it has another type.
    pub fn sibling<S: AttributeValue>(&self, name: &str) -> Result<Sibling<S>> {
        let found = self.untyped.sibling(name).ok_or_else(|| no_sibling(name))?;
        Sibling::of(found.config, found.prior, &found.planned)
    }

    /// The whole configuration, of which `M` is the model.
    ///
    /// ```
    /// use ferroform::diag::Result;
    /// use ferroform::model::{Attr, Model, Modify};
    ///
    /// #[derive(Model)]
    /// struct Gateway {
    ///     domain: String,
    ///     listener: Listener,
    /// }
    ///
    /// #[derive(Model)]
    /// struct Listener {
    ///     #[attr(optional, computed, modify = by_domain)]
    ///     host: String,
    /// }
    ///
    /// fn by_domain(host: &mut Modify<'_, String>) -> Result {
    ///     let gateway = host.whole_config::<Gateway>()?;
    ///     if host.config.is_null() {
    ///         host.planned = gateway.domain.map(|domain| format!("www.{domain}"));
    ///     }
    ///     Ok(())
    /// }
    ///
    /// let listener = Attr::Known(ListenerDraft::default());
    /// let plan = Gateway::planned(GatewayDraft { domain: Attr::Known("example.org".to_owned()), listener })?;
    /// assert_eq!(plan.listener.host.known().as_deref(), Some("www.example.org"));
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    ///
    /// # Errors
    /// `M` is another model.
    pub fn whole_config<M: Model>(&self) -> Result<M::Draft> {
        M::Draft::from_value(self.untyped.whole)
    }

    /// The private data of the object, as the last call left it; empty for a new object.
    ///
    /// ```
    /// use ferroform::diag::Result;
    /// use ferroform::model::{Attr, Model, Modify};
    ///
    /// #[derive(Model)]
    /// struct Certificate {
    ///     name: String,
    ///     /// A `read` that finds the certificate about to expire sets the entry `renew` to true.
    ///     #[attr(computed, keep, modify = renewed)]
    ///     serial: String,
    /// }
    ///
    /// fn renewed(serial: &mut Modify<'_, String>) -> Result {
    ///     if serial.private().get::<bool>("renew")? == Some(true) {
    ///         serial.planned = Attr::Unknown;
    ///     }
    ///     Ok(())
    /// }
    /// # use ferroform::private::Private;
    /// # use ferroform::schema::Environment;
    /// # use ferroform::value::Value;
    /// # use ferroform_core::plan::{PlanInput, plan_in};
    /// # let of = |serial: Value| Value::object([("name", "a".into()), ("serial", serial)]);
    /// # let (config, prior) = (of(Value::Null), of("1".into()));
    /// # let input = PlanInput { block: &Certificate::block(), config: &config, prior: &prior, proposed: &prior };
    /// # let mut private = Private::default();
    /// # assert_eq!(plan_in(input, &Environment::default(), &private)?.state, prior);
    /// # private.set("renew", &true)?;
    /// # assert_eq!(plan_in(input, &Environment::default(), &private)?.state, of(Value::unknown()));
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    #[must_use]
    pub const fn private(&self) -> &'a Private {
        self.untyped.private
    }

    /// States what is known of the planned value where that is [`Attr::Unknown`] and nothing is configured. It replaces
    /// what the attribute declares by `refine`.
    ///
    /// ```
    /// use ferroform::diag::Result;
    /// use ferroform::model::{Model, Modify};
    /// use ferroform::value::Refinements;
    ///
    /// #[derive(Model)]
    /// struct Site {
    ///     secure: bool,
    ///     #[attr(computed, modify = scheme)]
    ///     url: String,
    /// }
    ///
    /// fn scheme(url: &mut Modify<'_, String>) -> Result {
    ///     if url.sibling::<bool>("secure")?.planned.as_known() == Some(&true) {
    ///         url.refine(Refinements::new().not_null().prefix("https://"));
    ///     }
    ///     Ok(())
    /// }
    /// # use ferroform::path;
    /// # use ferroform::value::Value;
    /// # use ferroform_core::plan::{PlanInput, plan};
    /// # let config = Value::object([("secure", true.into()), ("url", Value::Null)]);
    /// # let input = PlanInput { block: &Site::block(), config: &config, prior: &Value::Null, proposed: &config };
    /// # let planned = plan(input)?.state;
    /// # let Some(Value::Unknown(url)) = planned.get(&path!(url)) else { panic!("a known URL") };
    /// # assert_eq!(url.refinements().and_then(|known| known.prefix.as_deref()), Some("https://"));
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    pub fn refine(&mut self, refinements: Refinements) {
        self.refinements = Some(refinements);
    }

    /// Forces the object to be replaced if the value changes.
    ///
    /// ```
    /// use ferroform::diag::Result;
    /// use ferroform::model::{Model, Modify};
    ///
    /// #[derive(Model)]
    /// struct Disk {
    ///     #[attr(modify = grows_only)]
    ///     size: u32,
    /// }
    ///
    /// fn grows_only(size: &mut Modify<'_, u32>) -> Result {
    ///     let pair = size.planned.as_known().zip(size.prior.as_ref());
    ///     if pair.is_some_and(|(planned, prior)| planned < prior) {
    ///         size.requires_replace();
    ///     }
    ///     Ok(())
    /// }
    /// # use ferroform::path;
    /// # use ferroform::value::Value;
    /// # use ferroform_core::plan::{PlanInput, plan};
    /// # let of = |size: i64| Value::object([("size", size.into())]);
    /// # let replaced = |size: i64| {
    /// #     let (config, prior) = (of(size), of(20));
    /// #     let input = PlanInput { block: &Disk::block(), config: &config, prior: &prior, proposed: &config };
    /// #     plan(input).unwrap().requires_replace
    /// # };
    /// # assert_eq!(replaced(10), [path!(size)]);
    /// # assert!(replaced(30).is_empty());
    /// ```
    pub fn requires_replace(&mut self) {
        self.is_replaced = true;
    }

    /// Whether [`requires_replace`](Self::requires_replace) was called.
    ///
    /// ```
    /// use ferroform::model::Modify;
    /// use ferroform::path;
    /// use ferroform::schema::Modification;
    /// use ferroform::value::Value;
    ///
    /// let (path, config, prior) = (path!(zone), Value::from("eu-2"), Value::from("eu-1"));
    /// let untyped = Modification::new(&path, &config, Some(&prior), config.clone());
    /// let mut zone = Modify::<String>::of(&untyped)?;
    /// assert!(!zone.is_replaced());
    /// zone.requires_replace();
    /// assert!(zone.is_replaced());
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    #[must_use]
    pub fn is_replaced(&self) -> bool {
        self.is_replaced
    }
}

impl<T: AttributeValue> Sibling<T> {
    fn of(config: &Value, prior: Option<&Value>, planned: &Value) -> Result<Self> {
        let draft = Attr::<T::Draft>::from_value;
        let prior = prior.filter(|prior| !prior.is_null());
        Ok(Self {
            config: draft(config)?,
            prior: prior.map(T::Prior::from_value).transpose()?,
            planned: draft(planned)?,
        })
    }
}

impl<T: AttributeValue> fmt::Debug for Sibling<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The values may be sensitive.
        f.debug_struct("Sibling").finish_non_exhaustive()
    }
}

impl<T: AttributeValue> fmt::Debug for Modify<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The values may be sensitive.
        f.debug_struct("Modify").field("path", self.path).finish_non_exhaustive()
    }
}
