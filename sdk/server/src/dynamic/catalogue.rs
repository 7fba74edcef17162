//! What a provider offers, by kind and name.

use std::fmt;
use std::sync::Arc;

use crate::diag::{Diagnostic, Diagnostics};
use crate::dynamic::{self, ListResource, Resource, concepts};
use crate::schema::{Kind, Schema, SchemaErrors, SchemaRole};
use crate::server::rpc::{self, Dispatch};

/// Declares what can be offered, from the table of concepts in [`dynamic`](crate::dynamic).
macro_rules! offers {
    ($($kind:ident($concept:ident) { schema: $schema:expr, dispatch: $dispatch:expr })*) => {
        /// Something that a provider offers.
        ///
        /// ```
        /// use std::sync::Arc;
        ///
        /// use ferroform::async_trait;
        /// use ferroform::diag::Result;
        /// use ferroform::dynamic::{Function, Offer};
        /// use ferroform::function::FunctionContext;
        /// use ferroform::schema::{FunctionSignature, Kind};
        /// use ferroform::ty::Type;
        /// use ferroform::value::Value;
        ///
        /// /// The region of the account.
        /// struct Region;
        ///
        /// #[async_trait]
        /// impl Function for Region {
        ///     fn signature(&self) -> FunctionSignature {
        ///         FunctionSignature::new(Type::String)
        ///     }
        ///
        ///     async fn call(&self, _cx: &FunctionContext, _arguments: Vec<Value>) -> Result<Value> {
        ///         Ok(Value::string("eu-1"))
        ///     }
        /// }
        ///
        /// let region: Arc<dyn Function> = Arc::new(Region);
        /// let offer = Offer::from(region);
        /// assert_eq!(offer.kind(), Kind::Function);
        /// // Functions have a signature instead.
        /// assert!(offer.schema().is_none());
        /// ```
        #[derive(Clone)]
        pub struct Offer {
            implementation: Implementation,
            dispatch: Option<Dispatch>,
        }

        /// What an author wrote, by kind.
        #[derive(Clone)]
        enum Implementation {
            $($kind(Arc<dyn dynamic::$concept>),)*
        }

        impl Offer {
            /// Its kind.
            ///
            /// ```
            /// use std::sync::Arc;
            ///
            /// use ferroform::dynamic::{Offer, StateStore};
            /// use ferroform::schema::Kind;
            ///
            /// /// Protocol 5 has no state stores.
            /// fn is_left_out(offer: &Offer) -> bool {
            ///     offer.kind() == Kind::StateStore
            /// }
            /// # use ferroform::async_trait;
            /// # use ferroform::diag::Result;
            /// # use ferroform::dynamic::{Context, Store, phase};
            /// # use ferroform::schema::Schema;
            /// # use ferroform::value::Value;
            /// # struct Buckets;
            /// # #[async_trait]
            /// # impl StateStore for Buckets {
            /// #     fn schema(&self) -> Schema { Schema::default() }
            /// #     async fn configure(&self, _: &mut Context<'_, phase::ConfigureStateStore>, _: Value) -> Result<Arc<dyn Store>> { unreachable!() }
            /// # }
            ///
            /// let buckets: Arc<dyn StateStore> = Arc::new(Buckets);
            /// assert!(is_left_out(&Offer::from(buckets)));
            /// ```
            #[must_use]
            pub const fn kind(&self) -> Kind {
                match self.implementation { $(Implementation::$kind(_) => Kind::$kind,)* }
            }

            /// Its schema; `None` for a function. Runs author code.
            ///
            /// ```
            /// use std::sync::Arc;
            ///
            /// use ferroform::dynamic::{DataSource, Offer};
            /// use ferroform::schema::{Attribute, Block, Schema};
            /// use ferroform::ty::Type;
            /// # use ferroform::async_trait;
            /// # use ferroform::diag::Result;
            /// # use ferroform::dynamic::{Context, phase};
            /// # use ferroform::value::Value;
            /// # struct Zones;
            /// # #[async_trait]
            /// # impl DataSource for Zones {
            /// #     fn schema(&self) -> Schema { Schema::new(Block::new([Attribute::computed("names", Type::list(Type::String))])) }
            /// #     async fn read(&self, _: &mut Context<'_, phase::ReadData>, config: Value) -> Result<Value> { Ok(config) }
            /// # }
            ///
            /// let zones: Arc<dyn DataSource> = Arc::new(Zones);
            /// let schema = Offer::from(zones).schema().expect("a data source has one");
            /// assert_eq!(schema.ty(), Type::object([("names", Type::list(Type::String))]));
            /// ```
            #[must_use]
            pub fn schema(&self) -> Option<Schema> {
                match &self.implementation {
                    $(Implementation::$kind(offer) => {
                        let schema: fn(&dyn dynamic::$concept) -> Option<Schema> = $schema;
                        schema(offer.as_ref())
                    })*
                }
            }
        }

        $(
            impl From<Arc<dyn dynamic::$concept>> for Offer {
                fn from(offer: Arc<dyn dynamic::$concept>) -> Self {
                    Self { implementation: Implementation::$kind(offer), dispatch: $dispatch }
                }
            }

            impl Concept for dyn dynamic::$concept {
                const KIND: Kind = Kind::$kind;

                fn of(offer: &Offer) -> Option<&Arc<Self>> {
                    match &offer.implementation {
                        Implementation::$kind(offer) => Some(offer),
                        #[allow(unreachable_patterns, reason = "there may be one kind only")]
                        _ => None,
                    }
                }
            }
        )*
    };
}

concepts!(offers);

impl Offer {
    /// Checks its schema, or the signature of a function, which has this name. Runs author code.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use ferroform::dynamic::{DataSource, Offer};
    /// use ferroform::schema::{Attribute, Block, Schema};
    /// use ferroform::ty::Type;
    /// # use ferroform::async_trait;
    /// # use ferroform::diag::Result;
    /// # use ferroform::dynamic::{Context, phase};
    /// # use ferroform::value::Value;
    ///
    /// /// A query, by the name of its answer.
    /// struct Query(&'static str);
    /// # #[async_trait]
    /// # impl DataSource for Query {
    /// #     fn schema(&self) -> Schema { Schema::new(Block::new([Attribute::computed(self.0, Type::String)])) }
    /// #     async fn read(&self, _: &mut Context<'_, phase::ReadData>, config: Value) -> Result<Value> { Ok(config) }
    /// # }
    ///
    /// let offer = |answer| Offer::from(Arc::new(Query(answer)) as Arc<dyn DataSource>);
    /// assert!(offer("region").check("cloud_region").is_ok());
    /// // No configuration could refer to it.
    /// assert!(offer("Region Name").check("cloud_region").is_err());
    /// ```
    ///
    /// # Errors
    /// All mistakes, each with its path.
    pub fn check(&self, name: &str) -> Result<(), SchemaErrors> {
        match &self.implementation {
            Implementation::Function(function) => function.signature().check_as(name),
            _ => self.schema().map_or(Ok(()), |schema| schema.check_as(SchemaRole::Of(self.kind()))),
        }
    }

    /// Mistakes in how it was put together. Runs author code.
    fn mistakes(&self) -> Diagnostics {
        match &self.implementation {
            Implementation::Resource(resource) => resource.mistakes(),
            _ => Diagnostics::default(),
        }
    }
}

impl fmt::Debug for Offer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Offer").field(&self.kind()).finish()
    }
}

/// The trait of a kind, such as `dyn Resource`.
///
/// ```
/// use ferroform::dynamic::{Action, Catalogue, Concept, Resource};
/// use ferroform::schema::Kind;
///
/// /// How many types of a kind a provider offers, for its log.
/// fn count<C: Concept + ?Sized>(catalogue: &Catalogue) -> usize {
///     catalogue.of::<C>().count()
/// }
///
/// assert_eq!(<dyn Resource as Concept>::KIND, Kind::Resource);
/// assert_eq!(count::<dyn Action>(&Catalogue::new()), 0);
/// ```
pub trait Concept: Send + Sync + 'static {
    /// The kind.
    const KIND: Kind;

    /// The offer, if it is of this kind.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use ferroform::dynamic::{Concept, Function, Offer, Resource};
    /// # use ferroform::async_trait;
    /// # use ferroform::diag::Result;
    /// # use ferroform::function::FunctionContext;
    /// # use ferroform::schema::FunctionSignature;
    /// # use ferroform::ty::Type;
    /// # use ferroform::value::Value;
    /// # struct Constant(&'static str);
    /// # #[async_trait]
    /// # impl Function for Constant {
    /// #     fn signature(&self) -> FunctionSignature { FunctionSignature::new(Type::String) }
    /// #     async fn call(&self, _: &FunctionContext, _: Vec<Value>) -> Result<Value> { Ok(Value::from(self.0)) }
    /// # }
    ///
    /// let home: Arc<dyn Function> = Arc::new(Constant("eu-1"));
    /// let offer = Offer::from(home);
    /// assert!(<dyn Function as Concept>::of(&offer).is_some());
    /// assert!(<dyn Resource as Concept>::of(&offer).is_none());
    /// ```
    fn of(offer: &Offer) -> Option<&Arc<Self>>;
}

/// What a provider offers, by kind and name.
///
/// ```
/// use std::sync::Arc;
///
/// use ferroform::dynamic::{Catalogue, Resource};
/// use ferroform::schema::Kind;
///
/// fn catalogue(bucket: Arc<dyn Resource>) -> Catalogue {
///     let catalogue = Catalogue::new().with("cloud_bucket", bucket);
///     assert!(catalogue.get::<dyn Resource>("cloud_bucket").is_some());
///     assert_eq!(catalogue.names(Kind::Resource), ["cloud_bucket"]);
///     catalogue
/// }
/// ```
#[derive(Clone, Default)]
pub struct Catalogue {
    /// By name, sorted by kind and name.
    offers: Vec<(String, Offer)>,
    twice: Diagnostics,
}

impl Catalogue {
    /// An empty one.
    ///
    /// ```
    /// use ferroform::dynamic::Catalogue;
    /// use ferroform::schema::Kind;
    ///
    /// let catalogue = Catalogue::new();
    /// assert!(Kind::ALL.iter().all(|kind| catalogue.names(*kind).is_empty()));
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an offer under its whole name: `cloud_bucket` for a type, `join` for a function.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use ferroform::dynamic::{Catalogue, Function};
    /// use ferroform::schema::Kind;
    /// # use ferroform::async_trait;
    /// # use ferroform::diag::Result;
    /// # use ferroform::function::FunctionContext;
    /// # use ferroform::schema::FunctionSignature;
    /// # use ferroform::value::Value;
    ///
    /// /// A constant that a document of the service has.
    /// struct Constant(&'static str);
    /// # #[async_trait]
    /// # impl Function for Constant {
    /// #     fn signature(&self) -> FunctionSignature { FunctionSignature::new(ferroform::ty::Type::String) }
    /// #     async fn call(&self, _: &FunctionContext, _: Vec<Value>) -> Result<Value> { Ok(Value::from(self.0)) }
    /// # }
    ///
    /// let constant = |value| Arc::new(Constant(value)) as Arc<dyn Function>;
    /// let catalogue = Catalogue::new().with("home_region", constant("eu-1")).with("away_region", constant("us-2"));
    /// assert_eq!(catalogue.names(Kind::Function), ["away_region", "home_region"]);
    /// ```
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, offer: impl Into<Offer>) -> Self {
        self.add(name, offer);
        self
    }

    /// Adds an offer. A second one of the same kind and name takes the place of the first and is a
    /// [mistake](Self::mistakes).
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use ferroform::dynamic::{Catalogue, Function};
    /// # use ferroform::async_trait;
    /// # use ferroform::diag::Result;
    /// # use ferroform::function::FunctionContext;
    /// # use ferroform::schema::FunctionSignature;
    /// # use ferroform::value::Value;
    ///
    /// /// A constant that a document of the service has.
    /// struct Constant(&'static str);
    /// # #[async_trait]
    /// # impl Function for Constant {
    /// #     fn signature(&self) -> FunctionSignature { FunctionSignature::new(ferroform::ty::Type::String) }
    /// #     async fn call(&self, _: &FunctionContext, _: Vec<Value>) -> Result<Value> { Ok(Value::from(self.0)) }
    /// # }
    ///
    /// let mut catalogue = Catalogue::new();
    /// for (name, value) in [("home_region", "eu-1"), ("away_region", "us-2"), ("home_region", "eu-2")] {
    ///     let constant: Arc<dyn Function> = Arc::new(Constant(value));
    ///     catalogue.add(name, constant);
    /// }
    /// // The document has one of the names twice.
    /// assert_eq!(catalogue.mistakes().len(), 1);
    /// ```
    pub fn add(&mut self, name: impl Into<String>, offer: impl Into<Offer>) {
        self.insert(name.into(), offer.into());
    }

    /// Apart from [`add`](Self::add), since a program has one of that for each kind.
    fn insert(&mut self, name: String, offer: Offer) {
        let kind = offer.kind();
        match self.position(kind, &name) {
            Ok(at) => {
                self.twice.push(twice(kind, &name));
                self.offers[at].1 = offer;
            }
            Err(at) => self.offers.insert(at, (name, offer)),
        }
    }

    /// Where an offer is, or where it belongs.
    fn position(&self, kind: Kind, name: &str) -> Result<usize, usize> {
        self.offers.binary_search_by(|(known, offer)| (offer.kind(), known.as_str()).cmp(&(kind, name)))
    }

    /// The same names with other offers of one trait, such as ones that wrap those that are there.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use ferroform::dynamic::{Catalogue, Resource};
    ///
    /// fn wrapped(catalogue: Catalogue, wrap: impl Fn(Arc<dyn Resource>) -> Arc<dyn Resource>) -> Catalogue {
    ///     catalogue.map::<dyn Resource>(wrap)
    /// }
    /// ```
    #[must_use]
    pub fn map<C: Concept + ?Sized>(mut self, mut f: impl FnMut(Arc<C>) -> Arc<C>) -> Self
    where
        Arc<C>: Into<Offer>,
    {
        for (_, offer) in &mut self.offers {
            if let Some(concept) = C::of(offer) {
                *offer = f(Arc::clone(concept)).into();
            }
        }
        self
    }

    /// The offer of that trait and name.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use ferroform::dynamic::{Catalogue, Function, Resource};
    /// use ferroform::ty::Type;
    /// # use ferroform::async_trait;
    /// # use ferroform::diag::Result;
    /// # use ferroform::function::FunctionContext;
    /// # use ferroform::schema::FunctionSignature;
    /// # use ferroform::value::Value;
    ///
    /// /// A constant that a document of the service has.
    /// struct Constant(&'static str);
    /// # #[async_trait]
    /// # impl Function for Constant {
    /// #     fn signature(&self) -> FunctionSignature { FunctionSignature::new(ferroform::ty::Type::String) }
    /// #     async fn call(&self, _: &FunctionContext, _: Vec<Value>) -> Result<Value> { Ok(Value::from(self.0)) }
    /// # }
    ///
    /// let home: Arc<dyn Function> = Arc::new(Constant("eu-1"));
    /// let catalogue = Catalogue::new().with("home_region", home);
    /// let found = catalogue.get::<dyn Function>("home_region").expect("it was added");
    /// assert_eq!(found.signature().result, Type::String);
    /// assert!(catalogue.get::<dyn Resource>("home_region").is_none());
    /// ```
    #[must_use]
    pub fn get<C: Concept + ?Sized>(&self, name: &str) -> Option<Arc<C>> {
        let at = self.position(C::KIND, name).ok()?;
        C::of(&self.offers[at].1).cloned()
    }

    /// The offers of one trait, by name.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use ferroform::dynamic::{Catalogue, Function};
    /// use ferroform::ty::Type;
    /// # use ferroform::async_trait;
    /// # use ferroform::diag::Result;
    /// # use ferroform::function::FunctionContext;
    /// # use ferroform::schema::FunctionSignature;
    /// # use ferroform::value::Value;
    ///
    /// /// A constant that a document of the service has.
    /// struct Constant(&'static str);
    /// # #[async_trait]
    /// # impl Function for Constant {
    /// #     fn signature(&self) -> FunctionSignature { FunctionSignature::new(ferroform::ty::Type::String) }
    /// #     async fn call(&self, _: &FunctionContext, _: Vec<Value>) -> Result<Value> { Ok(Value::from(self.0)) }
    /// # }
    ///
    /// let home: Arc<dyn Function> = Arc::new(Constant("eu-1"));
    /// let catalogue = Catalogue::new().with("home_region", home);
    /// for (name, function) in catalogue.of::<dyn Function>() {
    ///     assert_eq!((name, function.signature().result), ("home_region", Type::String));
    /// }
    /// ```
    pub fn of<C: Concept + ?Sized>(&self) -> impl Iterator<Item = (&str, &Arc<C>)> {
        self.kind(C::KIND).filter_map(|(name, offer)| Some((name, C::of(offer)?)))
    }

    /// The offers of one kind, by name.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use ferroform::dynamic::{Catalogue, Function};
    /// use ferroform::schema::Kind;
    /// # use ferroform::async_trait;
    /// # use ferroform::diag::Result;
    /// # use ferroform::function::FunctionContext;
    /// # use ferroform::schema::FunctionSignature;
    /// # use ferroform::value::Value;
    ///
    /// /// A constant that a document of the service has.
    /// struct Constant(&'static str);
    /// # #[async_trait]
    /// # impl Function for Constant {
    /// #     fn signature(&self) -> FunctionSignature { FunctionSignature::new(ferroform::ty::Type::String) }
    /// #     async fn call(&self, _: &FunctionContext, _: Vec<Value>) -> Result<Value> { Ok(Value::from(self.0)) }
    /// # }
    ///
    /// let home: Arc<dyn Function> = Arc::new(Constant("eu-1"));
    /// let catalogue = Catalogue::new().with("home_region", home);
    /// assert!(catalogue.kind(Kind::Function).all(|(name, offer)| offer.check(name).is_ok()));
    /// assert_eq!(catalogue.kind(Kind::Resource).count(), 0);
    /// ```
    pub fn kind(&self, kind: Kind) -> impl Iterator<Item = (&str, &Offer)> {
        let start = self.offers.partition_point(|(_, offer)| offer.kind() < kind);
        let from = self.offers.iter().skip(start);
        from.take_while(move |(_, offer)| offer.kind() == kind).map(|(name, offer)| (name.as_str(), offer))
    }

    /// The names of one kind, in order.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use ferroform::dynamic::{Catalogue, Function};
    /// use ferroform::schema::Kind;
    /// # use ferroform::async_trait;
    /// # use ferroform::diag::Result;
    /// # use ferroform::function::FunctionContext;
    /// # use ferroform::schema::FunctionSignature;
    /// # use ferroform::value::Value;
    ///
    /// /// A constant that a document of the service has.
    /// struct Constant(&'static str);
    /// # #[async_trait]
    /// # impl Function for Constant {
    /// #     fn signature(&self) -> FunctionSignature { FunctionSignature::new(ferroform::ty::Type::String) }
    /// #     async fn call(&self, _: &FunctionContext, _: Vec<Value>) -> Result<Value> { Ok(Value::from(self.0)) }
    /// # }
    ///
    /// let home: Arc<dyn Function> = Arc::new(Constant("eu-1"));
    /// let catalogue = Catalogue::new().with("home_region", home);
    /// assert_eq!(catalogue.names(Kind::Function), ["home_region"]);
    /// assert!(catalogue.names(Kind::Action).is_empty());
    /// ```
    #[must_use]
    pub fn names(&self, kind: Kind) -> Vec<String> {
        self.kind(kind).map(|(name, _)| name.to_owned()).collect()
    }

    /// What answers the calls about offers of that kind; `None` where there are none, and for managed resources.
    pub(crate) fn dispatch(&self, kind: Kind) -> Option<Dispatch> {
        self.kind(kind).next()?.1.dispatch
    }

    /// Mistakes in how the provider was put together: two offers of one name, a version without an upgrade, a list
    /// resource without a managed resource. Runs author code.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use ferroform::dynamic::{Catalogue, ListResource};
    /// # use ferroform::async_trait;
    /// # use ferroform::diag::Result;
    /// # use ferroform::dynamic::ListContext;
    /// # use ferroform::schema::Schema;
    /// # use ferroform::value::Value;
    /// # struct Buckets;
    /// # #[async_trait]
    /// # impl ListResource for Buckets {
    /// #     fn schema(&self) -> Schema { Schema::default() }
    /// #     async fn list(&self, _: ListContext<'_>, _: Value) -> Result { Ok(()) }
    /// # }
    ///
    /// // There is no managed resource whose objects it could list.
    /// let buckets: Arc<dyn ListResource> = Arc::new(Buckets);
    /// let mistakes = Catalogue::new().with("cloud_bucket", buckets).mistakes();
    /// assert_eq!(mistakes.iter().next().unwrap().summary, "Invalid List Resource");
    /// ```
    #[must_use]
    pub fn mistakes(&self) -> Diagnostics {
        let mut mistakes = self.twice.clone();
        for (_, offer) in &self.offers {
            mistakes.extend(offer.mistakes());
        }
        mistakes.extend(self.names(Kind::ListResource).iter().filter_map(|name| self.unlisted(name)));
        mistakes
    }

    /// Why a list resource cannot list: its objects have no identities. Runs author code.
    pub(crate) fn unlisted(&self, name: &str) -> Option<Diagnostic> {
        if self.get::<dyn ListResource>(name)?.resource_schemas().is_some() {
            return None;
        }
        let what = match self.get::<dyn Resource>(name) {
            None => "there is no managed resource type of that name",
            Some(resource) if resource.identity_schema().is_none() => {
                "the managed resource type of that name has no identity"
            }
            Some(_) => return None,
        };
        Some(Diagnostic::error(
            "Invalid List Resource",
            format!(
                "The objects of the list resource type `{name}` cannot be told apart: {what}. This is a bug in the \
                 provider: it must register the managed resource type with an identity, or return \
                 `resource_schemas` where another server of the provider has it."
            ),
        ))
    }
}

impl<N: Into<String>, O: Into<Offer>> FromIterator<(N, O)> for Catalogue {
    fn from_iter<I: IntoIterator<Item = (N, O)>>(offers: I) -> Self {
        let mut catalogue = Self::new();
        for (name, offer) in offers {
            catalogue.add(name, offer);
        }
        catalogue
    }
}

fn twice(kind: Kind, name: &str) -> Diagnostic {
    let summary = if kind == Kind::Function { "Function Registered Twice" } else { "Type Registered Twice" };
    Diagnostic::error(
        summary,
        format!("Two {kind}s are named `{name}`. This is a bug in the provider: each needs its own name."),
    )
}

impl fmt::Debug for Catalogue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.offers.iter().map(|(name, offer)| (offer.kind(), name))).finish()
    }
}
