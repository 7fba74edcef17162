//! Function calls.

use ferroform::ty::Type;
use hcl_edit::Span as _;
use hcl_edit::expr::{Expression, FuncCall};

use super::{Evaluator, Outcome, span_of, start_of};
use crate::language::convert::{convert, without_optional};
use crate::language::functions::{self, Call, DropsMarks, Failure, Signature};
use crate::language::marked::MarkSet;
use crate::language::rule::Rule;
use crate::language::scope::{FunctionCalls, ProviderFunction};
use crate::language::{Diagnostic, Marked, Span, types};

impl Evaluator<'_> {
    pub(super) fn function_call(self, call: &FuncCall) -> Outcome {
        let span = span_of(call.span());
        match self.scope.function_calls() {
            FunctionCalls::Rejected if Rule::ConstantWithoutCalls.holds() => {
                let detail = "Functions may not be called here.";
                return Err(self.error("Function calls not allowed", detail, span));
            }
            FunctionCalls::Unknown => {
                self.add_unresolved(1);
                return Ok(Marked::unknown(Type::Dynamic));
            }
            FunctionCalls::Evaluated | FunctionCalls::Rejected => {}
        }
        let namespace: Vec<&str> = call.name.namespace.iter().map(|name| name.as_str()).collect();
        let name = call.name.name.as_str();
        match (namespace.as_slice(), name) {
            ([] | ["core"], "try") => return self.try_each(call),
            ([] | ["core"], "can") => return self.can(call),
            ([] | ["core"], "convert") => return self.convert_to(call),
            ([] | ["core"], _) => {}
            (namespace, _) => return self.of_provider(call, namespace, span),
        }
        if name == "templatestring" {
            self.check_template(call)?;
        }
        let Some(function) = functions::find(name) else {
            if !Rule::UnknownFunction.holds() {
                return Ok(Marked::null());
            }
            let summary =
                if namespace.is_empty() { "Call to unknown function" } else { "Unknown provider function" };
            return Err(self.error(
                summary,
                format!("There is no function named {name:?}."),
                named(call, span),
            ));
        };
        let signature = &function.signature;
        self.call_with(call, (signature, span), |arguments| {
            (function.call)(&Call { arguments, scope: self.scope, result: &signature.result })
        })
    }

    /// Calls a function of a provider.
    fn of_provider(self, call: &FuncCall, namespace: &[&str], span: Span) -> Outcome {
        let name = call.name.name.as_str();
        let whole = format!("{}::{name}", namespace.join("::"));
        let unknown =
            |detail: String| Err(self.error("Unknown provider function", detail, named(call, span)));
        let provider = match namespace {
            ["provider", provider] => *provider,
            ["provider"] => {
                return unknown(
                    "The call has no name of a provider. Write \"provider::PROVIDER::FUNCTION\".".to_owned(),
                );
            }
            ["provider", ..] => {
                let detail = "has too many parts. Write \"provider::PROVIDER::FUNCTION\".";
                return unknown(format!("The name {whole:?} {detail}"));
            }
            _ => {
                let first = namespace.first().copied().unwrap_or_default();
                return unknown(format!(
                    "There are no functions below {first:?}. Those of providers begin with \"provider::\"."
                ));
            }
        };
        match self.scope.provider_function(provider, name) {
            ProviderFunction::UnknownProvider => unknown(format!(
                "There is no function {whole:?}, because {provider:?} is not among the required_providers of this \
                 module."
            )),
            ProviderFunction::UnknownFunction => {
                unknown(format!("The provider {provider:?} has no function named {name:?}."))
            }
            ProviderFunction::NotCallable => Ok(match self.arguments(call)? {
                Ok((arguments, _)) => {
                    super::all(arguments.into_iter().map(|(argument, _)| argument))?;
                    Marked::unknown(Type::Dynamic)
                }
                Err(unknown) => unknown,
            }),
            ProviderFunction::Known(address, signature) => {
                let signature = Signature::of_provider(whole, &signature);
                self.call_with(call, (&signature, span), |arguments| {
                    let arguments = arguments
                        .iter()
                        .enumerate()
                        .map(|(at, argument)| argument.clone().into_value(&signature.parameter(at).ty));
                    let result = self.scope.call(&address, name, arguments.collect())?;
                    Ok(Marked::new(result, &signature.result))
                })
            }
        }
    }

    /// Calls a function with arguments that fit its signature; with unknown ones only if it accepts them.
    fn call_with(
        self,
        call: &FuncCall,
        (signature, span): (&Signature, Span),
        run: impl FnOnce(&[Marked]) -> Result<Marked, Failure>,
    ) -> Outcome {
        let count = |count| {
            let found = signature.check_count(count);
            found.map_err(|(summary, detail)| {
                self.error(summary, detail, miscounted(call, signature.wanted()))
            })
        };
        if !call.args.expand_final() {
            count(call.args.iter().count())?;
        }
        let (arguments, spans) = match self.arguments(call)? {
            Ok(arguments) => arguments,
            Err(unknown) => return Ok(unknown),
        };
        count(arguments.len())?;
        let failed = |failure| {
            let (summary, detail, at) = signature.failed(&failure);
            let place = at.and_then(|at| spans.get(at)).copied();
            self.error(summary, detail, place.unwrap_or_else(|| opening(call)))
        };
        let invalid = |at: usize, message: String| {
            let detail =
                format!("Invalid value for {:?} parameter: {message}.", signature.parameter(at).name);
            self.error("Invalid function argument", detail, spans.get(at).copied().unwrap_or(span))
        };
        let converted = arguments.into_iter().enumerate().map(|(at, (argument, ty))| {
            let fit = |argument| {
                convert(argument, &signature.parameter(at).ty).map_err(|error| invalid(at, error.to_string()))
            };
            // The type of an argument counts also where its value is an error.
            argument.map_or_else(
                |mut errors| {
                    errors.extend(fit(Marked::unknown(ty)).err().into_iter().flatten());
                    Err(errors)
                },
                fit,
            )
        });
        let arguments = super::all(converted)?;
        let drops = Rule::DroppedMarks.holds()
            && arguments.iter().enumerate().any(|(at, it)| signature.parameter(at).drops_marks(it));
        let mut prepared = Vec::with_capacity(arguments.len());
        let (mut marks, mut unknown) = (MarkSet::default(), false);
        let (mut untyped, mut result_untyped) = (false, false);
        for (at, argument) in arguments.into_iter().enumerate() {
            let parameter = signature.parameter(at);
            let is_untyped = argument.ty == Type::Dynamic && argument.is_unknown();
            if argument.is_null() && !parameter.null && !untyped {
                return Err(invalid(at, "argument must not be null".to_owned()));
            }
            let dropped = drops && parameter.drops_marks != DropsMarks::Never;
            let argument = if parameter.marked && !dropped {
                argument
            } else {
                let (argument, own) = argument.unmark_deep();
                marks = if dropped { marks } else { marks.and(own) };
                argument
            };
            let open =
                if parameter.wholly { !argument.value.is_wholly_known() } else { argument.is_unknown() };
            unknown = unknown || (open && !parameter.unknown);
            // After an argument of which the type is not known, where any type would do, core looks at no other.
            untyped |= is_untyped && parameter.ty == Type::Dynamic;
            result_untyped |= is_untyped && parameter.spreads_unknown_type;
            prepared.push(argument);
        }
        if result_untyped {
            let marks = prepared.iter().fold(marks, |marks, argument| marks.and(argument.marks.all()));
            return Ok(Marked::unknown(Type::Dynamic).mark(marks));
        }
        if unknown {
            return Ok(signature.unknown().mark(marks));
        }
        run(&prepared).map(|result| result.mark(marks)).map_err(failed)
    }

    /// The arguments, with the types that they have where they are errors and with the places they come from, the last one spread
    /// if that is asked for; the result of the whole call when what is to be spread is unknown.
    #[expect(clippy::type_complexity, reason = "used once, and each part says what it is")]
    fn arguments(
        self,
        call: &FuncCall,
    ) -> Result<Result<(Vec<(Outcome, Type)>, Vec<Span>), Marked>, Vec<Diagnostic>> {
        let mut spans: Vec<Span> = call.args.iter().map(start_of).collect();
        let mut arguments: Vec<(Outcome, Type)> =
            call.args.iter().map(|argument| self.with_type(argument)).collect();
        if !call.args.expand_final() || !Rule::Spread.holds() {
            return Ok(Ok((arguments, spans)));
        }
        let (Some((last, _)), Some(start)) = (arguments.pop(), spans.pop()) else {
            return Ok(Ok((arguments, spans)));
        };
        let span = call.args.iter().last().map_or(start, |last| span_of(last.span()));
        let (last, marks) = last?.unmark();
        if last.is_null() {
            let detail = "The expanding argument (indicated by ...) must not be null.";
            return Err(self.error("Invalid expanding argument value", detail, span));
        }
        match last.ty {
            Type::List(_) | Type::Set(_) | Type::Tuple(_) | Type::Dynamic => {}
            _ => {
                let detail =
                    "The expanding argument (indicated by ...) must be of a tuple, list, or set type.";
                return Err(self.error("Invalid expanding argument value", detail, span));
            }
        }
        if last.is_unknown() {
            let unknown = Marked::unknown(Type::Dynamic);
            return Ok(Err(if Rule::DroppedMarks.holds() { unknown } else { unknown.mark(marks) }));
        }
        for element in last.elements() {
            arguments.push((Ok(element.mark(marks.clone())), Type::Dynamic));
            spans.push(start);
        }
        Ok(Ok((arguments, spans)))
    }

    /// The first of several expressions that has no error.
    fn try_each(self, call: &FuncCall) -> Outcome {
        let (mut errors, span) = (Vec::new(), opening(call));
        if call.args.is_empty() {
            return Err(self.error("Error in function call", "At least one argument is required.", span));
        }
        call.args.iter().try_for_each(|expr| self.check_references(expr))?;
        for expr in call.args.iter() {
            match self.expression(expr) {
                // Whether it will succeed is not certain yet.
                Ok(value) if !value.value.is_wholly_known() => return Ok(Marked::unknown(Type::Dynamic)),
                Ok(value) => return Ok(value),
                Err(found) => errors.extend(found),
            }
        }
        let list: Vec<String> = errors.iter().map(|error| format!("- {}", error.summary)).collect();
        let detail = format!("No expression succeeded:\n{}", list.join("\n"));
        Err(self.error("Error in function call", detail, span))
    }

    /// Whether an expression has no error.
    fn can(self, call: &FuncCall) -> Outcome {
        let arguments: Vec<&Expression> = call.args.iter().collect();
        let [expr] = arguments.as_slice() else {
            let summary = if arguments.is_empty() {
                "Not enough function arguments"
            } else {
                "Too many function arguments"
            };
            let span = miscounted(call, 1);
            return Err(self.error(summary, "Function \"can\" expects one argument.", span));
        };
        self.check_references(expr)?;
        Ok(match self.expression(expr) {
            Err(_) => Marked::bool(false),
            // Whether it will succeed is not certain yet.
            Ok(value) if !value.value.is_wholly_known() => Marked::unknown_not_null(Type::Bool),
            Ok(_) => Marked::bool(true),
        })
    }

    /// A value in a type that is written as the second argument.
    fn convert_to(self, call: &FuncCall) -> Outcome {
        let arguments: Vec<&Expression> = call.args.iter().collect();
        let [value, ty] = arguments.as_slice() else {
            let summary = if arguments.len() < 2 {
                "Not enough function arguments"
            } else {
                "Too many function arguments"
            };
            let span = miscounted(call, 2);
            return Err(self.error(summary, "Function \"convert\" expects two arguments.", span));
        };
        let span = start_of(value);
        let value = self.expression(value)?;
        let constraint = types::parse(ty, self.scope.source()).map_err(|error| vec![error])?;
        if constraint.ty == Type::Dynamic {
            let (value, marks) = value.unmark_deep();
            let value = if value.is_unknown() { Marked::unknown(Type::Dynamic) } else { value };
            return Ok(value.mark(marks));
        }
        if value.is_unknown() {
            // Whether there is a conversion is not looked at before there is a value.
            let marks = value.marks.whole();
            return Ok(Marked::unknown(without_optional(&constraint.ty)).mark(marks));
        }
        let (value, marks) = value.unmark_deep();
        let converted = constraint.apply(value).map_err(|error| {
            self.error("Invalid function argument", format!("Cannot convert the value: {error}."), span)
        })?;
        Ok(converted.mark(marks))
    }

    /// A template that is rendered has to be a string from elsewhere; one that is written there needs no rendering.
    fn check_template(self, call: &FuncCall) -> Result<(), Vec<Diagnostic>> {
        let Some(template) = call.args.iter().next() else { return Ok(()) };
        let invalid = |problem: &str| {
            let detail = format!("Invalid value for \"template\" parameter: {problem}.");
            Err(self.error("Invalid function argument", detail, start_of(template)))
        };
        match template {
            Expression::String(_) | Expression::StringTemplate(_) | Expression::HeredocTemplate(_) => {
                return invalid("a template that is written here needs no function; write it as a string");
            }
            Expression::Variable(_) => {}
            Expression::Traversal(it) if super::references::is_constant(it) => {}
            _ => return invalid("it must be a direct reference to a string from elsewhere"),
        }
        let value = self.expression(template)?;
        match value.ty {
            Type::String => Ok(()),
            Type::Dynamic if value.is_unknown() => Ok(()),
            _ => invalid("a string is required"),
        }
    }
}

/// Where the name of the function stands.
fn named(call: &FuncCall, span: Span) -> Span {
    Span { start: span.start, end: span.start + super::name_length(call) }
}

/// The name of a function with the parenthesis after it, by which core points at a call that fails.
fn opening(call: &FuncCall) -> Span {
    let start = span_of(call.span()).start;
    Span { start, end: start + super::name_length(call) + 1 }
}

/// Where too few or too many arguments are told of: at the end, or at the first that is too many.
fn miscounted(call: &FuncCall, wanted: usize) -> Span {
    let end = span_of(call.span()).end;
    let end = Span { start: end.saturating_sub(1), end };
    call.args.iter().nth(wanted).map_or(end, start_of)
}
