//! The providers of a composition that are written with this SDK, as one.

use std::collections::BTreeSet;
use std::sync::Arc;

use async_trait::async_trait;

use super::Part;
use crate::diag::Result;
use crate::dynamic::{Catalogue, Context, Provider, phase};
use crate::schema::{Block, Kind, Schema};
use crate::value::Value;

/// What of a provider the composition leaves to the others.
type Without = BTreeSet<(Kind, String)>;

/// What a person asks a composition for is asked of this: types of programs cannot be looked at without starting them.
pub(super) struct CombinedProvider {
    name: String,
    providers: Vec<(Arc<dyn Provider>, Without)>,
}

impl CombinedProvider {
    pub(super) fn new(address: &str, parts: &[Part]) -> Self {
        let own = |part: &Part| Some((part.provider.clone()?, part.without.clone()));
        let providers: Vec<_> = parts.iter().filter_map(own).collect();
        // A type that none of them has may be one of a program, which no name claims.
        let is_all = providers.len() == parts.len();
        let name = address.rsplit('/').next().filter(|_| is_all).unwrap_or_default().to_owned();
        Self { name, providers }
    }
}

#[async_trait]
impl Provider for CombinedProvider {
    fn name(&self) -> &str {
        &self.name
    }

    /// All of them have the same.
    fn schema(&self) -> Schema {
        self.providers.first().map_or_else(|| Schema::new(Block::default()), |(first, _)| first.schema())
    }

    async fn configure(&self, cx: &mut Context<'_, phase::Configure>, config: Value) -> Result {
        for (provider, _) in &self.providers {
            provider.configure(cx, config.clone()).await?;
        }
        Ok(())
    }

    fn catalogue(&self) -> Catalogue {
        let mut joined = Catalogue::new();
        for (provider, without) in &self.providers {
            let catalogue = provider.catalogue();
            for kind in Kind::ALL {
                for (name, offer) in catalogue.kind(*kind) {
                    if !without.contains(&(*kind, name.to_owned())) {
                        joined.add(name, offer.clone());
                    }
                }
            }
        }
        joined
    }
}
