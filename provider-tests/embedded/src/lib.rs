//! The embedded core: plans and applies Terraform configurations in this process, as Terraform and OpenTofu do.
//!
//! A configuration is read as text, checked, expanded and walked in dependency order; providers answer over the plugin
//! protocol, in this process or as programs. Test cases are in `ferroform-testing`, which re-exports the modules of this
//! crate; real cores are in `ferroform-cores`.
//!
//! ```
//! use ferroform_embedded::embedded::{Core, PlanOptions};
//! use ferroform_embedded::language::SourceFile;
//! use ferroform_embedded::language::module::{Configuration, Inputs, load_texts};
//! use ferroform_embedded::state::State;
//!
//! let text = r#"
//!     variable "greeting" { default = "hello" }
//!     resource "terraform_data" "said" { input = upper(var.greeting) }
//!     output "said" { value = terraform_data.said.output }
//! "#;
//! let files = vec![SourceFile::new("main.tf", text)];
//! let configuration = load_texts(".", files).and_then(|tree| tree.prepare(&Inputs::new()));
//! let configuration: Configuration = configuration.expect("a configuration");
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! let core = Core::new();
//! let plan = core.plan(configuration, &State::default(), &PlanOptions::default()).await;
//! assert!(plan.outputs["said"].after.is_unknown());
//! let applied = core.apply(&plan).await;
//! assert!(applied.succeeded(), "{:?}", applied.diagnostics);
//! assert_eq!(applied.state.outputs["said"].value, "HELLO".into());
//! # });
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! | looking for | module |
//! |---|---|
//! | the core itself: a session on a configuration, its options | [`embedded`] |
//! | the language: parsing, evaluation, functions, modules | [`language`] |
//! | configurations as values | [`config`] |
//! | plans, what core checks in them | [`plan`], [`plan_rules`] |
//! | states, their files and locks | [`state`] |
//! | plans and states as JSON, and as text for people | [`json`], [`render`] |
//! | addresses of modules, resources and providers | [`address`] |
//! | calls of the protocol, faults, transcripts | [`client`] |
//! | providers under test | [`provider`] |
//! | what core and providers say, results of conditions | [`diagnostic`], [`checks`] |
//! | what only some cores have | [`feature`] |
//! | `.tf` files, from the command line | [`play`] |

#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod address;
pub mod checks;
pub mod client;
pub mod config;
pub mod diagnostic;
pub mod embedded;
pub mod feature;
pub mod json;
#[doc(hidden)]
pub mod json_text;
pub mod language;
pub mod plan;
pub mod plan_rules;
pub mod play;
#[doc(hidden)]
pub mod product;
pub mod provider;
pub mod render;
pub mod state;
