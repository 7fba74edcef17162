//! The methods of views that merge what a service shows into what was planned or stored.

use proc_macro2::TokenStream;
use quote::quote;

use super::{View, bounds};
use crate::ast::Model;

pub(super) fn expand(model: &Model<'_>) -> TokenStream {
    let (of, vis, bounds) = (model.ident, model.vis, bounds(model));
    let (planned, prior) = (View::Planned.ident(model), View::Prior.ident(model));
    quote! {
        #[automatically_derived]
        #[allow(dead_code)]
        impl #planned #bounds {
            /// The object that the service shows after a create or update, merged into this plan; see
            /// `ferroform::model::Merged`.
            #vis fn complete(&self, observed: #of) -> __support::Result<__model::Merged<#of>> {
                __support::complete(::core::clone::Clone::clone(self), observed)
            }
        }
        #[automatically_derived]
        #[allow(dead_code)]
        impl #prior #bounds {
            /// The object that the service shows, merged into this state; see `ferroform::model::Merged`.
            #vis fn refresh(&self, observed: #of) -> __support::Result<__model::Merged<#of>> {
                __support::refresh(::core::clone::Clone::clone(self), observed)
            }
        }
    }
}
