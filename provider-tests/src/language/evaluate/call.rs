//! Function calls.

use ferroform::ty::Type;
use hcl_edit::Span as _;
use hcl_edit::expr::{Expression, FuncCall};

use super::{Evaluator, Outcome, references, span_of, start_of};
use crate::language::convert::convert;
use crate::language::functions::{self, Call, Failure};
use crate::language::marked::MarkSet;
use crate::language::rule::Rule;
use crate::language::{Diagnostic, Marked, Span, types};

impl Evaluator<'_> {
    pub(super) fn function_call(self, call: &FuncCall) -> Outcome {
        let span = span_of(call.span());
        let namespace: Vec<&str> = call.name.namespace.iter().map(|name| name.as_str()).collect();
        let name = call.name.name.as_str();
        match (namespace.as_slice(), name) {
            ([] | ["core"], "try") => return self.try_each(call, span),
            ([] | ["core"], "can") => return self.can(call),
            ([] | ["core"], "convert") => return self.convert_to(call, span),
            ([] | ["core"], _) => {}
            _ => {
                let (arguments, _) = match self.arguments(call)? {
                    Ok(arguments) => arguments,
                    Err(unknown) => return Ok(unknown),
                };
                return self
                    .scope
                    .call(&namespace, name, arguments)
                    .map_err(|error| self.placed(error, span));
            }
        }
        let Some(function) = functions::find(name) else {
            if !Rule::UnknownFunction.holds() {
                return Ok(Marked::null());
            }
            let summary =
                if namespace.is_empty() { "Call to unknown function" } else { "Unknown provider function" };
            let detail = format!("There is no function named {name:?}.");
            let span = Span { start: span.start, end: span.start + super::name_length(call) };
            return Err(self.error(summary, detail, span));
        };
        let (arguments, spans) = match self.arguments(call)? {
            Ok(arguments) => arguments,
            Err(unknown) => return Ok(unknown),
        };
        let wanted = function.wanted();
        function
            .check_count(arguments.len())
            .map_err(|(summary, detail)| self.error(summary, detail, miscounted(call, wanted)))?;
        let mut prepared = Vec::with_capacity(arguments.len());
        let (mut marks, mut unknown) = (MarkSet::default(), false);
        for (at, argument) in arguments.into_iter().enumerate() {
            let parameter = function.parameter(at);
            let place = spans.get(at).copied().unwrap_or(span);
            let invalid = |message: &str| {
                let detail = format!("Invalid value for {:?} parameter: {message}.", parameter.name);
                self.error("Invalid function argument", detail, place)
            };
            let argument = convert(argument, &parameter.ty).map_err(|error| invalid(&error.to_string()))?;
            if argument.is_null() && !parameter.null {
                return Err(invalid("argument must not be null"));
            }
            let (argument, own) =
                if parameter.marked { (argument, MarkSet::default()) } else { argument.unmark_deep() };
            marks = marks.and(own);
            let open =
                if parameter.wholly { !argument.value.is_wholly_known() } else { argument.is_unknown() };
            unknown = unknown || (open && !parameter.unknown);
            prepared.push(argument);
        }
        if unknown {
            return Ok(Marked::unknown_not_null(function.result.clone()).mark(marks));
        }
        let result =
            (function.call)(&Call { arguments: &prepared, scope: self.scope, result: &function.result });
        let result = result.map_err(|failure| match failure {
            Failure::Argument(at, message) if !function.whole => {
                let parameter = function.parameter(at);
                let detail = format!("Invalid value for {:?} parameter: {message}.", parameter.name);
                self.error("Invalid function argument", detail, spans.get(at).copied().unwrap_or(span))
            }
            Failure::Argument(_, message) | Failure::Call(message) => {
                let detail = format!("Call to function {name:?} failed: {message}.");
                self.error("Error in function call", detail, span)
            }
        })?;
        Ok(result.mark(marks))
    }

    /// The arguments with the places they come from, the last one spread if that is asked for; the result of the whole
    /// call when what is to be spread is unknown.
    #[expect(clippy::type_complexity, reason = "used once, and each part says what it is")]
    fn arguments(self, call: &FuncCall) -> Result<Result<(Vec<Marked>, Vec<Span>), Marked>, Vec<Diagnostic>> {
        let mut spans: Vec<Span> = call.args.iter().map(start_of).collect();
        let mut arguments = super::all(call.args.iter().map(|argument| self.expression(argument)))?;
        if !call.args.expand_final() || !Rule::Spread.holds() {
            return Ok(Ok((arguments, spans)));
        }
        let (Some(last), Some(start)) = (arguments.pop(), spans.pop()) else {
            return Ok(Ok((arguments, spans)));
        };
        let span = call.args.iter().last().map_or(start, |last| span_of(last.span()));
        let (last, marks) = last.unmark();
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
            return Ok(Err(Marked::unknown(Type::Dynamic).mark(marks)));
        }
        for element in last.elements() {
            arguments.push(element.mark(marks));
            spans.push(start);
        }
        Ok(Ok((arguments, spans)))
    }

    /// The first of several expressions that has no error.
    fn try_each(self, call: &FuncCall, span: Span) -> Outcome {
        let mut errors = Vec::new();
        if call.args.is_empty() {
            return Err(self.error("Error in function call", "At least one argument is required.", span));
        }
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
        if self.depends_on_unknown(expr) {
            return Ok(Marked::unknown_not_null(Type::Bool));
        }
        Ok(Marked::bool(self.expression(expr).is_ok()))
    }

    /// Whether something that an expression refers to is not wholly known.
    fn depends_on_unknown(self, expr: &Expression) -> bool {
        references(expr)
            .iter()
            .any(|traversal| self.resolve(traversal).is_ok_and(|value| !value.value.is_wholly_known()))
    }

    /// A value in a type that is written as the second argument.
    fn convert_to(self, call: &FuncCall, span: Span) -> Outcome {
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
        let value = self.expression(value)?;
        let constraint = types::parse(ty, self.scope.source()).map_err(|error| vec![error])?;
        if value.is_unknown() {
            // Whether there is a conversion is not looked at before there is a value.
            let marks = value.marks.whole();
            let unknown = || Marked::unknown(constraint.ty.clone()).mark(marks);
            return Ok(constraint.apply(value).unwrap_or_else(|_| unknown()));
        }
        constraint.apply(value).map_err(|error| {
            self.error("Invalid function argument", format!("Cannot convert the value: {error}."), span)
        })
    }

    fn placed(self, error: Diagnostic, span: Span) -> Vec<Diagnostic> {
        let placed = error.subject.is_some();
        vec![if placed { error } else { error.at(self.scope.source(), span) }]
    }
}

/// Where too few or too many arguments are told of: at the end, or at the first that is too many.
fn miscounted(call: &FuncCall, wanted: usize) -> Span {
    let end = span_of(call.span()).end;
    let end = Span { start: end.saturating_sub(1), end };
    call.args.iter().nth(wanted).map_or(end, start_of)
}
