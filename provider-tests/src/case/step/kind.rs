//! The kinds of steps.

/// Plans and applies.
#[derive(Debug, Clone, Copy)]
pub enum Apply {}
/// Only plans.
#[derive(Debug, Clone, Copy)]
pub enum Plan {}
/// Reads all objects and writes the state.
#[derive(Debug, Clone, Copy)]
pub enum Refresh {}
/// Takes an object under management.
#[derive(Debug, Clone, Copy)]
pub enum Import {}
/// Destroys everything.
#[derive(Debug, Clone, Copy)]
pub enum Destroy {}
/// Lists what there is, and changes nothing.
#[derive(Debug, Clone, Copy)]
pub enum Query {}
/// Changes the backend, the time or the state, without a core.
#[derive(Debug, Clone, Copy)]
pub enum Edit {}

/// The kinds that run a core, and so have calls and diagnostics.
pub trait Walks: sealed::Sealed {}
/// The kinds that make a plan.
pub trait Plans: Walks {}
/// The kinds that apply a configuration, after which nothing is left to do.
pub trait Settles: Walks {}
/// The kinds whose plan can be limited.
pub trait Limited: Walks {}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Apply {}
    impl Sealed for super::Plan {}
    impl Sealed for super::Refresh {}
    impl Sealed for super::Import {}
    impl Sealed for super::Destroy {}
    impl Sealed for super::Query {}
}

impl<K: sealed::Sealed> Walks for K {}
impl Plans for Apply {}
impl Plans for Plan {}
impl Plans for Refresh {}
impl Plans for Import {}
impl Plans for Destroy {}
impl Settles for Apply {}
impl Settles for Import {}
impl Limited for Apply {}
impl Limited for Plan {}
