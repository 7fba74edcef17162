//! Provider functions: the derive for a struct of parameters, and the attribute macro that makes such a struct of the
//! parameters of a Rust function.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::{Attribute, Data, DeriveInput, Fields, FnArg, ItemFn, Pat, ReturnType, Type, parse_quote};

use crate::attr::{Options, docs};
use crate::check::blame_name;
use crate::ctxt::Ctxt;
use crate::expand::{elements, krate, place};
use crate::options::{OptionName, Scope};
use crate::ty::argument;

/// A struct that derives `Parameters`.
pub(crate) struct Parameters<'a> {
    ident: &'a Ident,
    docs: String,
    options: Options,
    all: Vec<Parameter<'a>>,
}

/// A field of it.
struct Parameter<'a> {
    ident: &'a Ident,
    name: String,
    docs: String,
    options: Options,
    ty: &'a Type,
    /// The type of one argument, when the parameter is variadic.
    element: Option<&'a Type>,
}

/// The derive.
pub(crate) fn derive(input: &DeriveInput) -> TokenStream {
    let cx = Ctxt::new();
    let options = Options::parse(&cx, &input.attrs, Scope::Function);
    if let Some(name) = options.entry(OptionName::Name) {
        cx.error(name, "the name of a function is the constant `Function::NAME`: remove `name`");
    }
    let krate = krate(&options);
    let parameters = Parameters::parse(&cx, input, options);
    let errors = cx.finish();
    match parameters {
        Some(parameters) if errors.is_empty() => parameters.expand(),
        Some(_) => {
            let stub = stub(&input.ident, &krate);
            quote!(#errors #stub)
        }
        None => errors,
    }
}

/// What stands in for the parameters of a function with mistakes, so that there are no further errors.
fn stub(ident: &Ident, krate: &TokenStream) -> TokenStream {
    quote! {
        impl #krate::function::Parameters for #ident {
            const SUMMARY: &'static str = "";
            const DESCRIPTION: &'static str = "";
            fn parameters() -> ::std::vec::Vec<#krate::schema::FunctionParameter> {
                ::core::unreachable!()
            }
            fn from_arguments(_: ::std::vec::Vec<#krate::value::Value>) -> #krate::diag::Result<Self> {
                ::core::unreachable!()
            }
        }
    }
}

impl<'a> Parameters<'a> {
    /// The tree of the input; `None` when it is no struct with named fields.
    fn parse(cx: &Ctxt, input: &'a DeriveInput, options: Options) -> Option<Self> {
        const NEEDED: &str = "the parameters of a function are the named fields of a struct";
        if !input.generics.params.is_empty() {
            cx.error(&input.generics, GENERIC);
            return None;
        }
        let Data::Struct(data) = &input.data else {
            cx.error(&input.ident, NEEDED);
            return None;
        };
        let all = match &data.fields {
            Fields::Unit => Vec::new(),
            Fields::Named(fields) => fields
                .named
                .iter()
                .filter_map(|field| Parameter::parse(cx, field.ident.as_ref()?, &field.attrs, &field.ty))
                .collect(),
            Fields::Unnamed(fields) => {
                cx.error(fields, NEEDED);
                return None;
            }
        };
        check(cx, &all);
        Some(Self { ident: &input.ident, docs: docs(&input.attrs), options, all })
    }

    fn fields(&self) -> Vec<&Ident> {
        self.all.iter().map(|parameter| parameter.ident).collect()
    }

    /// Variables for the fields; the prefix keeps them apart from the function, which may have the name of a parameter.
    fn locals(&self) -> Vec<Ident> {
        self.all.iter().map(|parameter| format_ident!("__field_{}", parameter.ident.unraw())).collect()
    }

    fn expand(&self) -> TokenStream {
        let krate = krate(&self.options);
        let ident = self.ident;
        let (summary, description) = summary_and_description(&self.docs);
        let deprecation = self.options.value(OptionName::Deprecated).map(|text| {
            quote!(const DEPRECATION: ::core::option::Option<&'static str> = ::core::option::Option::Some(#text);)
        });
        let plain = self.options.has(OptionName::Plain).then(|| {
            quote!(
                const PLAIN_DESCRIPTIONS: bool = true;
            )
        });
        let variadic = self.all.iter().find(|parameter| parameter.element.is_some());
        let variadic = variadic.map(|parameter| {
            let definition = parameter.definition();
            quote! {
                fn variadic_parameter() -> ::core::option::Option<__support::FunctionParameter> {
                    ::core::option::Option::Some(#definition)
                }
            }
        });
        let fixed =
            self.all.iter().filter(|parameter| parameter.element.is_none()).map(Parameter::definition);
        let (fields, locals) = (self.fields(), self.locals());
        let values = self.all.iter().map(Parameter::decoding);
        quote! {
            const _: () = {
                use #krate::function::{self as __function, macro_support as __support};
                #[automatically_derived]
                impl __function::Parameters for #ident {
                    const SUMMARY: &'static str = #summary;
                    const DESCRIPTION: &'static str = #description;
                    #plain
                    #deprecation
                    fn parameters() -> ::std::vec::Vec<__support::FunctionParameter> {
                        ::std::vec![#(#fixed),*]
                    }
                    #variadic
                    fn from_arguments(
                        __arguments: ::std::vec::Vec<__support::Value>,
                    ) -> __support::Result<Self> {
                        let mut __arguments = __support::Arguments::new(__arguments);
                        // All of them before the first mistake is reported.
                        let __decoded = (#(#values,)*);
                        match __decoded {
                            (#(::core::option::Option::Some(#locals),)*) => {
                                ::core::result::Result::Ok(Self { #(#fields: #locals),* })
                            }
                            #[allow(unreachable_patterns, reason = "there may be no parameters")]
                            _ => ::core::result::Result::Err(__arguments.into_errors()),
                        }
                    }
                }
            };
        }
    }
}

impl<'a> Parameter<'a> {
    fn parse(cx: &Ctxt, ident: &'a Ident, attributes: &[Attribute], ty: &'a Type) -> Option<Self> {
        let options = Options::parse(cx, attributes, Scope::Parameter);
        let name = options.text_or(OptionName::Name, || ident.unraw().to_string());
        let element = match options.entry(OptionName::Variadic) {
            None => None,
            Some(variadic) => match argument(ty, "Vec") {
                Some(element) => Some(element),
                None => {
                    cx.error(
                        variadic,
                        "a variadic parameter takes any number of arguments: its type is a `Vec`",
                    );
                    return None;
                }
            },
        };
        Some(Self { ident, name, docs: docs(attributes), options, ty, element })
    }

    fn definition(&self) -> TokenStream {
        let (name, docs, ty) = (&self.name, &self.docs, self.element.unwrap_or(self.ty));
        let validators = self.options.value(OptionName::Validate).map(|value| {
            elements(value, |one| quote_spanned!(place(one)=> __support::validator::<#ty, _>(#one)))
        });
        let validators = validators.unwrap_or_else(|| quote!(::std::vec![]));
        let new = quote_spanned!(place(ty)=> __support::parameter::<#ty>);
        quote!(#new(#name, #docs, #validators))
    }

    fn decoding(&self) -> TokenStream {
        let name = &self.name;
        match self.element {
            None => {
                let ty = self.ty;
                quote_spanned!(place(ty)=> __arguments.next::<#ty>(#name))
            }
            Some(ty) => quote_spanned!(place(ty)=> __arguments.rest::<#ty>(#name)),
        }
    }
}

/// The rules about several parameters.
fn check(cx: &Ctxt, all: &[Parameter<'_>]) {
    let before_last = all.len().saturating_sub(1);
    for parameter in all.iter().take(before_last).filter(|parameter| parameter.element.is_some()) {
        cx.error(
            parameter.options.entry(OptionName::Variadic),
            "only the last parameter can be variadic: it takes all further arguments",
        );
    }
    for (at, parameter) in all.iter().enumerate() {
        if all.iter().take(at).any(|other| other.name == parameter.name) {
            let message = format!("another parameter is named \"{}\": choose another name", parameter.name);
            blame_name(cx, &parameter.options, parameter.ident, &message);
        }
    }
}

/// The attribute macro: a struct of the parameters with the name of the function, which lives beside it because a
/// struct with braces is a type only.
pub(crate) fn attribute(options: &TokenStream, mut function: ItemFn) -> TokenStream {
    let cx = Ctxt::new();
    let options = Options::parse(&cx, &[parse_quote!(#[function(#options)])], Scope::Function);
    let krate = krate(&options);
    let name = options.text_or(OptionName::Name, || function.sig.ident.unraw().to_string());
    check_signature(&cx, &function);
    let output = Output::of(&cx, &function.sig.output);
    let structure = structure(&cx, &mut function);
    let parameters = Parameters::parse(&cx, &structure, options);
    let errors = cx.finish();
    if function.sig.receiver().is_some() {
        // Nothing but methods can stand beside a method.
        return quote!(#errors #function);
    }
    let (parameters, call) = match parameters {
        Some(parameters) if errors.is_empty() => (parameters.expand(), call(&function, &parameters, &output)),
        _ => (stub(&structure.ident, &krate), quote!(::core::unreachable!())),
    };
    let (ident, output, bare) = (&structure.ident, output.ty, without_annotations(&structure));
    let cfg: Vec<_> = function.attrs.iter().filter(|it| it.path().is_ident("cfg")).collect();
    quote! {
        #errors
        #[allow(clippy::needless_pass_by_value, reason = "arguments of a call are passed by value")]
        #function
        #(#cfg)*
        #[allow(non_camel_case_types, reason = "it has the name of the function")]
        #bare
        #(#cfg)*
        #parameters
        #(#cfg)*
        impl #krate::function::Function for #ident {
            type Output = #output;
            const NAME: &'static str = #name;
            async fn call(self, __cx: &#krate::function::FunctionContext) -> #krate::diag::Result<#output> {
                let _ = __cx;
                #call
            }
        }
    }
}

const GENERIC: &str = "a provider function cannot be generic: core knows one signature of it";

fn check_signature(cx: &Ctxt, function: &ItemFn) {
    let signature = &function.sig;
    if !signature.generics.params.is_empty() {
        cx.error(&signature.generics, GENERIC);
    }
    if !matches!(signature.safety, syn::Safety::Default) {
        cx.error(
            &signature.safety,
            "a provider function cannot be unsafe: configurations call it with any arguments",
        );
    }
    if let Some(receiver) = signature.receiver() {
        cx.error(receiver, "a provider function has no `self`: put it outside of the `impl`");
    }
}

/// Whether the first parameter is a reference, which can only be the context.
fn takes_context(function: &ItemFn) -> bool {
    matches!(function.sig.inputs.first(), Some(FnArg::Typed(first)) if matches!(&*first.ty, Type::Reference(_)))
}

/// The struct of the parameters, with their annotations, which the function itself cannot keep: Rust allows none on a
/// parameter.
fn structure(cx: &Ctxt, function: &mut ItemFn) -> DeriveInput {
    let skipped = usize::from(takes_context(function));
    let mut fields = Vec::new();
    for input in function.sig.inputs.iter_mut().skip(skipped) {
        let FnArg::Typed(parameter) = input else { continue };
        let (ours, others) = std::mem::take(&mut parameter.attrs)
            .into_iter()
            .partition::<Vec<_>, _>(|it| it.path().is_ident("doc") || it.path().is_ident("param"));
        parameter.attrs = others;
        match &*parameter.pat {
            Pat::Ident(pattern) => {
                let (ident, ty) = (&pattern.ident, &parameter.ty);
                fields.push(quote!(#(#ours)* #ident: #ty));
            }
            other => cx.error(
                other,
                "a parameter of a provider function is a name: take the value apart in the body",
            ),
        }
    }
    let docs = function.attrs.iter().filter(|it| it.path().is_ident("doc"));
    let (vis, ident) = (&function.vis, &function.sig.ident);
    parse_quote!(#(#docs)* #vis struct #ident { #(#fields),* })
}

fn without_annotations(structure: &DeriveInput) -> DeriveInput {
    let mut bare = structure.clone();
    if let Data::Struct(data) = &mut bare.data {
        data.fields.iter_mut().for_each(|field| field.attrs.retain(|it| it.path().is_ident("doc")));
    }
    bare
}

/// The call of the Rust function from the method of the trait.
fn call(function: &ItemFn, parameters: &Parameters<'_>, output: &Output) -> TokenStream {
    let ident = &function.sig.ident;
    let context = takes_context(function).then(|| quote!(__cx,));
    let (fields, locals) = (parameters.fields(), parameters.locals());
    let wait = function.sig.asyncness.map(|_| quote!(.await));
    let called = quote!(#ident(#context #(#locals),*) #wait);
    let krate = krate(&parameters.options);
    let result = if output.is_result {
        quote!(#krate::function::macro_support::result(#called))
    } else {
        quote!(::core::result::Result::Ok(#called))
    };
    quote! {
        let Self { #(#fields: #locals),* } = self;
        #result
    }
}

/// What a function returns.
struct Output {
    /// The type of the result.
    ty: TokenStream,
    is_result: bool,
}

impl Output {
    fn of(cx: &Ctxt, output: &ReturnType) -> Self {
        match output {
            ReturnType::Default => {
                cx.syn_error(syn::Error::new(
                    Span::call_site(),
                    "a provider function has a result: write `-> T` or `-> Result<T>`",
                ));
                Self { ty: quote!(bool), is_result: false }
            }
            ReturnType::Type(_, ty) => match result_of(ty) {
                Some(inner) => Self { ty: inner.to_token_stream(), is_result: true },
                None => Self { ty: ty.to_token_stream(), is_result: false },
            },
        }
    }
}

/// The first type argument of a `Result`.
fn result_of(ty: &Type) -> Option<&Type> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last().filter(|last| last.ident == "Result")?;
    let syn::PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    match arguments.args.first()? {
        syn::GenericArgument::Type(ty) => Some(ty),
        _ => None,
    }
}

/// The first paragraph on one line, and all the rest; the protocol has both.
fn summary_and_description(docs: &str) -> (String, String) {
    let (summary, rest) = docs.split_once("\n\n").unwrap_or((docs, ""));
    let summary = summary.split_whitespace().collect::<Vec<_>>().join(" ");
    let description = if rest.trim().is_empty() { docs } else { rest.trim() };
    (summary, description.to_owned())
}
