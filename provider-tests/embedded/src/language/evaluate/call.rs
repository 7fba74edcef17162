//! Function calls.

use std::ops::ControlFlow::{self, Break, Continue};

use ferroform::ty::Type;
use hcl_edit::Span as _;
use hcl_edit::expr::{Expression, FuncCall};

use super::{Evaluator, span_of, start_of};
use crate::language::convert::{convert, without_optional};
use crate::language::functions::{self, Call, DropsMarks, Failure, Signature};
use crate::language::marked::MarkSet;
use crate::language::rule::Rule;
use crate::language::scope::ProviderFunction;
use crate::language::{Marked, Span, types};
use crate::plan_rules::type_conforms;

/// What is said of a function that there is not.
pub(crate) const UNKNOWN_FUNCTION: &str = "Call to unknown function";
/// The same of one in a namespace.
pub(crate) const UNKNOWN_PROVIDER_FUNCTION: &str = "Unknown provider function";

impl Evaluator<'_> {
    pub(super) fn function_call(self, call: &FuncCall) -> Marked {
        let span = span_of(call.span());
        if !self.scope.allows_calls() && Rule::ConstantWithoutCalls.holds() {
            return self.report("Function calls not allowed", "Functions may not be called here.", span);
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
        if name == "templatestring" && self.with_failure(|| self.check_template(call)).1 {
            return Marked::unknown(Type::Dynamic);
        }
        let Some(function) = functions::find(name) else {
            if !Rule::UnknownFunction.holds() {
                return Marked::null();
            }
            let summary = if namespace.is_empty() { UNKNOWN_FUNCTION } else { UNKNOWN_PROVIDER_FUNCTION };
            return self.report(summary, format!("There is no function named {name:?}."), named(call, span));
        };
        let signature = &function.signature;
        self.call_with(call, (signature, span), |arguments| {
            (function.call)(&Call { arguments, scope: self.scope, result: &signature.result })
        })
    }

    /// Calls a function of a provider.
    fn of_provider(self, call: &FuncCall, namespace: &[&str], span: Span) -> Marked {
        let name = call.name.name.as_str();
        let whole = format!("{}::{name}", namespace.join("::"));
        let unknown = |detail: String| self.report(UNKNOWN_PROVIDER_FUNCTION, detail, named(call, span));
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
            ProviderFunction::NotCallable => {
                self.arguments(call, None).break_value().unwrap_or_else(|| Marked::unknown(Type::Dynamic))
            }
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
    ) -> Marked {
        let before = self.error_count();
        let (arguments, spans) = match self.arguments(call, Some(signature)) {
            Continue(arguments) => arguments,
            Break(result) => return result,
        };
        let invalid = |at: usize, message: String| {
            let detail =
                format!("Invalid value for {:?} parameter: {message}.", signature.parameter(at).name);
            self.report("Invalid function argument", detail, spans.get(at).copied().unwrap_or(span))
        };
        let converted = arguments.into_iter().enumerate().map(|(at, argument)| {
            convert(argument, &signature.parameter(at).ty)
                .unwrap_or_else(|error| invalid(at, error.to_string()))
        });
        let arguments: Vec<Marked> = converted.collect();
        if self.error_count() > before {
            return Marked::unknown(Type::Dynamic);
        }
        let drops = Rule::DroppedMarks.holds()
            && arguments.iter().enumerate().any(|(at, it)| signature.parameter(at).drops_marks(it));
        let mut prepared = Vec::with_capacity(arguments.len());
        let (mut marks, mut unknown) = (MarkSet::default(), false);
        let (mut untyped, mut result_untyped) = (false, false);
        for (at, argument) in arguments.into_iter().enumerate() {
            let parameter = signature.parameter(at);
            let is_untyped = argument.ty == Type::Dynamic && argument.is_unknown();
            if argument.is_null() && !parameter.null && !untyped {
                return invalid(at, "argument must not be null".to_owned());
            }
            // What is unknown in a set may have kept its elements from being converted.
            if !type_conforms(&argument.ty, &parameter.ty) {
                return invalid(at, format!("{} required", parameter.ty));
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
            return Marked::unknown(Type::Dynamic).mark(marks);
        }
        if unknown {
            return signature.unknown().mark(marks);
        }
        match run(&prepared) {
            Ok(result) => result.mark(marks),
            Err(failure) => {
                let (summary, detail, at) = signature.failed(&failure);
                let place = at.and_then(|at| spans.get(at)).copied();
                self.report(summary, detail, place.unwrap_or_else(|| opening(call)))
            }
        }
    }

    /// The arguments with the places they come from, the last one spread if that is asked for; the result of the whole call
    /// where it cannot be spread, or where there are too few or too many for the signature.
    fn arguments(
        self,
        call: &FuncCall,
        signature: Option<&Signature>,
    ) -> ControlFlow<Marked, (Vec<Marked>, Vec<Span>)> {
        // What is spread is evaluated first.
        let (written, spread) = self.written_and_spread(call)?;
        let mut spans: Vec<Span> = written.iter().copied().map(start_of).collect();
        if let Some(last) = call.args.iter().last() {
            // Of what is spread core points at the whole.
            spans.extend(spread.iter().map(|_| span_of(last.span())));
        }
        if let Some(signature) = signature
            && let Err((summary, detail)) = signature.check_count(written.len() + spread.len())
        {
            let surplus = spans.get(signature.wanted()).copied();
            return Break(self.report(summary, detail, surplus.unwrap_or_else(|| closing(call))));
        }
        let arguments = written.into_iter().map(|argument| self.expression(argument));
        Continue((arguments.chain(spread).collect(), spans))
    }

    /// The arguments as they are written, and the elements of the last one if it is spread; the result of the whole call
    /// where it cannot be.
    fn written_and_spread(self, call: &FuncCall) -> ControlFlow<Marked, (Vec<&Expression>, Vec<Marked>)> {
        let mut written: Vec<&Expression> = call.args.iter().collect();
        let last = written.pop_if(|_| call.args.expand_final() && Rule::Spread.holds());
        let spread = last.map_or(Continue(Vec::new()), |last| self.spread(last))?;
        Continue((written, spread))
    }

    /// The elements of the last argument; the result of the whole call where that has none.
    fn spread(self, last: &Expression) -> ControlFlow<Marked, Vec<Marked>> {
        let span = span_of(last.span());
        let (value, failed) = self.with_failure(|| self.expression(last));
        let (value, marks) = value.unmark();
        let unknown = Marked::unknown(Type::Dynamic);
        if failed {
            return Break(unknown);
        }
        let invalid = |detail: &str| self.report("Invalid expanding argument value", detail, span);
        if value.is_null() {
            return Break(invalid("The expanding argument (indicated by ...) must not be null."));
        }
        match value.ty {
            Type::List(_) | Type::Set(_) | Type::Tuple(_) | Type::Dynamic => {}
            _ => {
                let detail =
                    "The expanding argument (indicated by ...) must be of a tuple, list, or set type.";
                return Break(invalid(detail));
            }
        }
        if value.is_unknown() {
            return Break(if Rule::DroppedMarks.holds() { unknown } else { unknown.mark(marks) });
        }
        Continue(value.elements().into_iter().map(|element| element.mark(marks.clone())).collect())
    }

    /// The first of several expressions that has no error.
    fn try_each(self, call: &FuncCall) -> Marked {
        let (mut errors, span) = (Vec::new(), opening(call));
        let (written, spread) = match self.written_and_spread(call) {
            Continue(arguments) => arguments,
            Break(result) => return result,
        };
        if written.is_empty() && spread.is_empty() {
            return self.report("Error in function call", "At least one argument is required.", span);
        }
        let evaluated = written.into_iter().map(|expr| self.capture_errors(|| self.expression(expr)));
        for (value, found) in evaluated.chain(spread.into_iter().map(|value| (value, Vec::new()))) {
            match found.is_empty() {
                // Whether it will succeed is not certain yet.
                true if !value.value.is_wholly_known() => return Marked::unknown(Type::Dynamic),
                true => return value,
                false => errors.extend(found),
            }
        }
        let list: Vec<String> = errors.iter().map(|error| format!("- {}", error.summary)).collect();
        let detail = format!("No expression succeeded:\n{}", list.join("\n"));
        self.report("Error in function call", detail, span)
    }

    /// Whether an expression has no error.
    fn can(self, call: &FuncCall) -> Marked {
        let (value, errors) = match self.written_and_spread(call) {
            Continue((written, spread)) => match (written.as_slice(), spread.as_slice()) {
                ([expr], []) => self.capture_errors(|| self.expression(expr)),
                ([], [value]) => (value.clone(), Vec::new()),
                _ => return self.miscounted_call(call, 1, "Function \"can\" expects one argument."),
            },
            Break(result) => return result,
        };
        match errors.is_empty() {
            false => Marked::bool(false),
            // Whether it will succeed is not certain yet.
            true if !value.value.is_wholly_known() => Marked::unknown(Type::Bool),
            true => Marked::bool(true),
        }
    }

    fn miscounted_call(self, call: &FuncCall, wanted: usize, detail: &str) -> Marked {
        let too_few = !call.args.expand_final() && call.args.iter().count() < wanted;
        let summary = if too_few { "Not enough function arguments" } else { "Too many function arguments" };
        self.report(summary, detail, miscounted(call, wanted))
    }

    /// A value in a type that is written as the second argument.
    fn convert_to(self, call: &FuncCall) -> Marked {
        let arguments: Vec<&Expression> = call.args.iter().collect();
        let [value, ty] = arguments.as_slice() else {
            return self.miscounted_call(call, 2, "Function \"convert\" expects two arguments.");
        };
        let span = start_of(value);
        let (value, failed) = self.with_failure(|| self.expression(value));
        let constraint = match types::parse(ty, self.scope.source()) {
            Ok(constraint) if !failed => constraint,
            constraint => {
                self.add(constraint.err().into_iter().collect());
                return Marked::unknown(Type::Dynamic);
            }
        };
        if constraint.ty == Type::Dynamic {
            let (value, marks) = value.unmark_deep();
            let value = if value.is_unknown() { Marked::unknown(Type::Dynamic) } else { value };
            return value.mark(marks);
        }
        if value.is_unknown() {
            // Whether there is a conversion is not looked at before there is a value.
            let marks = value.marks.whole();
            return Marked::unknown(without_optional(&constraint.ty)).mark(marks);
        }
        let (value, marks) = value.unmark_deep();
        match constraint.apply(value) {
            Ok(value) => value.mark(marks),
            Err(error) => {
                self.report("Invalid function argument", format!("Cannot convert the value: {error}."), span)
            }
        }
    }

    /// A template that is rendered has to be a string from elsewhere; one that is written there needs no rendering.
    fn check_template(self, call: &FuncCall) {
        let Some(template) = call.args.iter().next() else { return };
        let invalid = |problem: &str| {
            let detail = format!("Invalid value for \"template\" parameter: {problem}.");
            self.report("Invalid function argument", detail, start_of(template));
        };
        match template {
            Expression::String(_) | Expression::StringTemplate(_) | Expression::HeredocTemplate(_) => {
                return invalid("a template that is written here needs no function; write it as a string");
            }
            Expression::Variable(_) | Expression::Traversal(_) => {}
            _ => return invalid("it must be a direct reference to a string from elsewhere"),
        }
        let (value, failed) = self.with_failure(|| self.expression(template));
        let is_open = value.ty == Type::Dynamic && value.is_unknown();
        if !failed && value.ty != Type::String && !is_open {
            invalid("a string is required");
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
    call.args.iter().nth(wanted).map_or_else(|| closing(call), start_of)
}

/// The parenthesis at the end.
fn closing(call: &FuncCall) -> Span {
    let end = span_of(call.span()).end;
    Span { start: end.saturating_sub(1), end }
}
