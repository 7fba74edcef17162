//! The process side of a provider: how core starts it, connects to it and ends it.
//!
//! Core speaks the go-plugin protocol: environment variables in, one handshake line out, then gRPC over a local
//! socket. Nothing here knows of resources; the calls of the provider protocol reach a [`grpc::Router`] as bytes.

pub mod grpc;
