//! The expansion of `Convert`. As in `codec`, fields stand in options, which the calls fill or empty through references.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::Path;
use syn::ext::IdentExt;

use super::{View, bounds, place, views};
use crate::ast::{Enum, Field, Model};
use crate::attr::as_text;
use crate::convert::{Convert, Counterpart, Direction, Service, other_name};
use crate::options::OptionName;

/// The conversions of a model.
pub(crate) fn model(model: &Model<'_>, convert: &Convert, counterparts: &[Counterpart<'_>]) -> TokenStream {
    let krate = &convert.krate;
    let of = Conversion { model, counterparts, bounds: bounds(model) };
    let from = convert.from.as_ref().map(|path| of.answer(path));
    let into = convert.into.iter().map(|service| of.request(service));
    let patch = convert.patch.as_ref().map(|service| of.patch(service));
    quote! {
        const _: () = {
            use #krate::model::{self as __model, macro_support as __support};
            #from
            #(#into)*
            #patch
        };
    }
}

struct Conversion<'a> {
    model: &'a Model<'a>,
    counterparts: &'a [Counterpart<'a>],
    bounds: TokenStream,
}

impl Conversion<'_> {
    fn converted<'d>(
        &self,
        direction: Direction<'d>,
    ) -> impl Iterator<Item = &Counterpart<'_>> + use<'_, 'd> {
        self.counterparts.iter().filter(move |it| it.is_converted(direction))
    }

    /// The flattened model that makes the rest of a type of the service; there is one at most.
    fn spread(&self, direction: Direction<'_>) -> Option<&Counterpart<'_>> {
        self.counterparts.iter().find(|it| it.is_spread(direction))
    }

    fn answer(&self, service: &Path) -> TokenStream {
        let (ident, bounds) = (self.model.ident, &self.bounds);
        if service.is_ident(ident) {
            return quote! {
                #[automatically_derived]
                impl __model::FromService<Self> for #ident #bounds {
                    fn from_service(__service: Self) -> __support::Result<Self> {
                        ::core::result::Result::Ok(__service)
                    }
                }
            };
        }
        let (mut bindings, mut steps, mut spread) = (Vec::new(), Vec::new(), Vec::new());
        for it in self.counterparts {
            let (to, field) = (to(it.field), it.field);
            if it.is_spread(Direction::From) {
                let (from, ty) = (of(field), field.ty);
                let call =
                    quote_spanned!(place(ty)=> <#ty as __model::FromService<#service>>::from_service(#from));
                spread.push(quote!(let #from = ::core::clone::Clone::clone(&__service);));
                steps.push(quote!(let #to = __convert.spread(#call);));
                continue;
            }
            if !it.is_converted(Direction::From) {
                let value = unreturned(field);
                let ty = field.ty;
                steps.push(
                    quote!(let #to: ::core::option::Option<#ty> = ::core::option::Option::Some(#value);),
                );
                continue;
            }
            let (other, from, name) = (&it.other, of(field), &field.name);
            bindings.push(quote!(#other: #from));
            let ty = field.attribute();
            let call = if let Some(with) = it.options.value(OptionName::FromWith) {
                let (span, ty) = (place(with), field.ty);
                let call = quote_spanned!(span=> __convert.with(#name, #with, &mut #from, &mut #to));
                quote!(let mut #to: ::core::option::Option<#ty> = ::core::option::Option::None; #call;)
            } else {
                let method = if field.wrapper.is_option() { quote!(optional) } else { quote!(required) };
                let span = place(&ty);
                let call = quote_spanned!(span=> __convert.#method::<#ty, _, _>(#name, &mut #from, &mut #to));
                let plain = field.adapter_bound().map(|_| {
                    let wrapped = field.wrapped();
                    quote!(let #to = #to.map(<#wrapped as __support::Adapted>::plain);)
                });
                quote!(let mut #to = ::core::option::Option::None; #call; #plain)
            };
            steps.push(quote!(let mut #from = ::core::option::Option::Some(#from); #call));
        }
        let fields = self.counterparts.iter().map(|it| it.field.ident);
        let tos: Vec<_> = self.counterparts.iter().map(|it| to(it.field)).collect();
        let observe = [View::Planned, View::Prior].map(|view| self.observe(service, view));
        let body = quote! {
            #(#spread)*
            let #service { #(#bindings,)* .. } = __service;
            #[allow(unused_mut)]
            let mut __convert = __support::Convert::new();
            #(#steps)*
            let (#(::core::option::Option::Some(#tos),)*) = (#(#tos,)*) else {
                return ::core::result::Result::Err(__convert.mistakes());
            };
            ::core::result::Result::Ok(Self { #(#fields: #tos,)* })
        };
        let impls = from_service(service, ident, bounds, &body);
        quote!(#impls #(#observe)*)
    }

    /// The method of a view that fills in what the service does not return.
    fn observe(&self, service: &Path, view: View) -> TokenStream {
        let (of, view_ident, vis, bounds) =
            (self.model.ident, view.ident(self.model), self.model.vis, &self.bounds);
        let spread = self.counterparts.iter().filter(|it| it.is_spread(Direction::From));
        let (observed, spread): (Vec<_>, Vec<_>) = spread
            .map(|it| {
                let (to, ident) = (to(it.field), it.field.ident);
                let observed =
                    quote!(let #to = self.#ident.observe(::core::clone::Clone::clone(&__service)););
                (observed, quote!(__object.#ident = #to?;))
            })
            .unzip();
        let kept = self
            .counterparts
            .iter()
            .filter(|it| !it.is_converted(Direction::From) && !it.is_spread(Direction::From));
        let kept: Vec<_> = kept
            .filter(|it| !it.field.wrapper.is_write_only())
            .map(|it| {
                let (ident, name) = (it.field.ident, &it.field.name);
                if it.field.adapter_bound().is_none() {
                    return quote!(__convert.keep(#name, &self.#ident, &mut __object.#ident););
                }
                let (ty, wrapped) = (views::ty(it.field, view, &quote!(__model)), it.field.wrapped());
                quote! {
                    let __view = <#ty as __support::Adapted>::adapt(::core::clone::Clone::clone(&self.#ident));
                    let mut __field = <#wrapped as __support::Adapted>::adapt(__object.#ident);
                    __convert.keep(#name, &__view, &mut __field);
                    __object.#ident = <#wrapped as __support::Adapted>::plain(__field);
                }
            })
            .collect();
        let body = if kept.is_empty() && spread.is_empty() {
            quote!(__model::FromService::from_service(__service))
        } else {
            quote! {
                #(#observed)*
                let mut __object: #of = __model::FromService::from_service(__service)?;
                #(#spread)*
                #[allow(unused_mut)]
                let mut __convert = __support::Convert::new();
                #(#kept)*
                __convert.finish()?;
                ::core::result::Result::Ok(__object)
            }
        };
        let doc = match view {
            View::Planned => "The object that the service returned; what it does not return is as planned.",
            _ => "The object that the service returned; what it does not return is as stored.",
        };
        quote! {
            #[automatically_derived]
            #[allow(dead_code, private_interfaces)]
            impl #view_ident #bounds {
                #[doc = #doc]
                ///
                /// # Errors
                /// What cannot be represented, at its path.
                #vis fn observe(&self, __service: #service) -> __support::Result<#of> {
                    #body
                }
            }
        }
    }

    fn request(&self, service: &Service) -> TokenStream {
        let (planned, bounds) = (View::Planned.ident(self.model), &self.bounds);
        let direction = Direction::Into(service);
        let steps = self.converted(direction).map(|it| {
            let from = of(it.field);
            let value = adapted(it.field, quote!(#from));
            let (value, method) = match (it.field.may_be_unknown(), it.field.wrapper.is_option()) {
                _ if it.options.has(OptionName::IntoWith) => (quote!(#from), "with"),
                (false, false) => (value, "sent"),
                (false, true) => (value, "sent_if_set"),
                (true, false) => (quote!(#value.known()), "sent_if_set"),
                (true, true) => (quote!(#value.known().flatten()), "sent_if_set"),
            };
            step(it, &quote!(::core::option::Option::Some(#value)), method, Span::call_site())
        });
        let spread = self.spread(direction).map(|it| {
            let (from, span) = (of(it.field), place(it.field.ty));
            quote_spanned!(span=> __model::IntoService::<#service>::into_service(#from))
        });
        let body = self.build(service, direction, &quote!(self), steps, spread);
        let impls = into_service(service, &planned, bounds, &body);
        quote! {
            #impls
            #[automatically_derived]
            impl ::core::convert::TryFrom<&#planned> for #service #bounds {
                type Error = __support::Error;
                fn try_from(__planned: &#planned) -> __support::Result<Self> {
                    __model::IntoService::into_service(::core::clone::Clone::clone(__planned))
                }
            }
        }
    }

    fn patch(&self, service: &Service) -> TokenStream {
        let (planned, prior) = (View::Planned.ident(self.model), View::Prior.ident(self.model));
        let (vis, bounds) = (self.model.vis, &self.bounds);
        let direction = Direction::Patch(service);
        let steps = self.converted(direction).map(|it| {
            let (ident, from, at) = (it.field.ident, of(it.field), place(it.field.inner));
            if it.options.has(OptionName::IntoWith) {
                return step(it, &quote!(__changed.#ident.then_some(#from)), "changed_with", at);
            }
            let value = adapted(it.field, quote!(#from));
            let known = it.field.may_be_unknown().then(|| quote!(.and_then(__model::Computed::known)));
            let value = quote!(::core::option::Option::Some(__changed.#ident.then_some(#value)#known));
            step(it, &value, "sent_if_set", at)
        });
        let spread = self.spread(direction).map(|it| {
            let (ident, from, span) = (it.field.ident, of(it.field), place(it.field.ty));
            quote_spanned!(span=> #from.patch(&__prior.#ident))
        });
        let body = self.build(service, direction, &quote!(::core::clone::Clone::clone(self)), steps, spread);
        quote! {
            #[automatically_derived]
            #[allow(dead_code, private_interfaces)]
            impl #planned #bounds {
                /// What the service is asked to change: each attribute that differs from the prior state.
                ///
                /// # Errors
                /// What the service cannot represent, at its path.
                #vis fn patch(&self, __prior: &#prior) -> __support::Result<#service> {
                    let __changed = self.changed(__prior);
                    #body
                }
            }
        }
    }

    /// OptionValue a plan apart, converts its fields, and makes the type of the service of them.
    fn build(
        &self,
        service: &Service,
        direction: Direction<'_>,
        planned: &TokenStream,
        steps: impl Iterator<Item = TokenStream>,
        spread: Option<TokenStream>,
    ) -> TokenStream {
        let (mut bindings, mut tos, mut others) = (Vec::new(), Vec::new(), Vec::new());
        for it in self.converted(direction) {
            let (ident, from) = (it.field.ident, of(it.field));
            bindings.push(quote!(#ident: #from));
            tos.push(to(it.field));
            others.push(&it.other);
        }
        let filled = &service.fields;
        let mut rest = service.rest.as_ref().map(|rest| quote!(..#rest));
        let spread = spread.zip(self.spread(direction)).map(|(call, it)| {
            let (ident, from, to) = (it.field.ident, of(it.field), to(it.field));
            bindings.push(quote!(#ident: #from));
            rest = Some(quote!(..#to));
            tos.push(to.clone());
            quote!(let #to = __convert.spread(#call);)
        });
        let made = tos.iter().take(others.len());
        quote! {
            let Self { #(#bindings,)* .. } = #planned;
            #[allow(unused_mut)]
            let mut __convert = __support::Convert::new();
            #(#steps)*
            #spread
            let (#(::core::option::Option::Some(#tos),)*) = (#(#tos,)*) else {
                return ::core::result::Result::Err(__convert.mistakes());
            };
            #[allow(clippy::needless_update)]
            let __service = #service { #(#others: #made,)* #(#filled,)* #rest };
            ::core::result::Result::Ok(__service)
        }
    }
}

/// The impls for a value that the service returned, in `__service`.
fn from_service(service: &Path, ident: &Ident, bounds: &TokenStream, body: &TokenStream) -> TokenStream {
    quote! {
        #[automatically_derived]
        impl __model::FromService<#service> for #ident #bounds {
            fn from_service(__service: #service) -> __support::Result<Self> {
                #body
            }
        }
        #[automatically_derived]
        impl ::core::convert::TryFrom<#service> for #ident #bounds {
            type Error = __support::Error;
            fn try_from(__service: #service) -> __support::Result<Self> {
                __model::FromService::from_service(__service)
            }
        }
    }
}

/// The impls for a value that is sent to the service, in `self`.
fn into_service(service: &Service, planned: &Ident, bounds: &TokenStream, body: &TokenStream) -> TokenStream {
    quote! {
        #[automatically_derived]
        impl __model::IntoService<#service> for #planned #bounds {
            fn into_service(self) -> __support::Result<#service> {
                #body
            }
        }
        #[automatically_derived]
        impl ::core::convert::TryFrom<#planned> for #service #bounds {
            type Error = __support::Error;
            fn try_from(__planned: #planned) -> __support::Result<Self> {
                __model::IntoService::into_service(__planned)
            }
        }
    }
}

/// The conversion of a planned value by a method, which is given the function of the field if that has one. A method
/// without one is blamed at that place.
fn step(it: &Counterpart<'_>, value: &TokenStream, method: &str, at: Span) -> TokenStream {
    let (from, to, name) = (of(it.field), to(it.field), &it.field.name);
    let with = it.options.value(OptionName::IntoWith);
    let span = with.map_or_else(|| place(it.field.inner), place);
    let method = Ident::new(method, with.map_or(at, |_| span));
    let with = with.map(|with| quote!(#with,));
    let call = quote_spanned!(span=> __convert.#method(#name, #with &mut #from, &mut #to));
    quote! {
        let mut #from = #value;
        let mut #to = ::core::option::Option::None;
        #call;
    }
}

/// A planned value in its adapter, if it has one.
fn adapted(field: &Field<'_>, value: TokenStream) -> TokenStream {
    match field.adapter_bound() {
        None => value,
        Some(_) => {
            let ty = views::ty(field, View::Planned, &quote!(__model));
            quote!(<#ty as __support::Adapted>::adapt(#value))
        }
    }
}

/// The value of a field that the service does not return, where nothing else is known.
fn unreturned(field: &Field<'_>) -> TokenStream {
    match field.options.value(OptionName::Default) {
        Some(value) => match as_text(value) {
            Some(text) => quote!(::core::convert::From::from(#text)),
            None => quote!(#value),
        },
        None => quote!(::core::default::Default::default()),
    }
}

/// The variable for a value to be converted.
fn of(field: &Field<'_>) -> Ident {
    format_ident!("__of_{}", field.ident.unraw())
}

/// The variable for a converted value.
fn to(field: &Field<'_>) -> Ident {
    format_ident!("__to_{}", field.ident.unraw())
}

/// The conversions of an enum, variant by variant.
pub(crate) fn variants(input: &Enum<'_>, convert: &Convert, options: &[crate::attr::Options]) -> TokenStream {
    let krate = &convert.krate;
    let ident = input.ident;
    let planned = if input.has_values() { format_ident!("{ident}Planned") } else { ident.clone() };
    let pairs: Vec<_> = input.variants.iter().zip(options).collect();
    let arms = |from: &dyn Fn(&Ident) -> TokenStream, to: &dyn Fn(&Ident) -> TokenStream, is_into: bool| {
        let arms = pairs.iter().map(|((variant, _, name), options)| {
            let (own, other) = (&variant.ident, other_name(options, &variant.ident));
            let (from, to) = if is_into { (from(own), to(&other)) } else { (from(&other), to(own)) };
            let Some(field) = variant.fields.iter().next() else {
                return quote!(#from => ::core::result::Result::Ok(#to));
            };
            let (span, ty) = (place(&field.ty), &field.ty);
            let call = if is_into {
                quote_spanned!(span=> __model::IntoService::into_service(__value))
            } else {
                quote_spanned!(span=> <#ty as __model::FromService<_>>::from_service(__value))
            };
            quote!(#from(__value) => __support::member(#name, #call).map(#to))
        });
        quote!(#(#arms,)*)
    };
    let from = convert.from.as_ref().map(|service| {
        let arms = arms(&|other| quote!(#service::#other), &|own| quote!(#ident::#own), false);
        from_service(service, ident, &quote!(), &quote!(match __service { #arms }))
    });
    let into = convert.into.iter().map(|service| {
        let arms = arms(&|own| quote!(#planned::#own), &|other| quote!(#service::#other), true);
        into_service(service, &planned, &quote!(), &quote!(match self { #arms }))
    });
    quote! {
        const _: () = {
            use #krate::model::{self as __model, macro_support as __support};
            #from
            #(#into)*
        };
    }
}
