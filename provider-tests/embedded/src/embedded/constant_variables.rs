//! Constant variables, whose values core asks for when it loads a configuration.

use super::named_values::NamedValues;
use super::session::Session;
use super::walk_diagnostics::WalkDiagnostics;
use super::walk_state::{Time, WalkState};
use crate::diagnostic::Diagnostic;
use crate::language::module::{Declaration, ModuleId, ReferenceCheck};

/// The errors of constant variables. Core asks for their values when it loads a configuration, and validates nothing else after an
/// error.
pub(super) fn refused_constants(session: &Session) -> Vec<Diagnostic> {
    let modules = session.modules();
    if !session.core.emulated.evaluates_locals_on_load() {
        return Vec::new();
    }
    let constants = |id: ModuleId| {
        let variables = modules[id].module.variables.iter().enumerate();
        variables.filter(|(_, it)| it.constant == Some(true))
    };
    if modules.iter().all(|(id, _)| constants(id).next().is_none()) {
        return Vec::new();
    }
    let walk = WalkState::new(modules, Time::Validation);
    let (of_expansion, diagnostics) = (WalkDiagnostics::default(), WalkDiagnostics::default());
    let values = |diagnostics| NamedValues {
        loads_constants: true,
        ..NamedValues::new(&session.layout, &walk, diagnostics)
    };
    // Each module comes after the one that calls it.
    for (id, _) in modules.iter() {
        let _ = values(&of_expansion).run(Declaration::Expansion(id));
        for (at, variable) in constants(id) {
            let values = values(&diagnostics);
            let _ = values.run(Declaration::Variable(id, at));
            let wrong = ReferenceCheck::new(modules, id).validations(variable);
            if wrong.is_empty() {
                let _ = values.run(Declaration::Validation(id, at));
            }
            diagnostics.extend(wrong);
        }
    }
    let found = diagnostics.take();
    if found.iter().any(Diagnostic::is_error) { found } else { Vec::new() }
}
