//! The catalog's rules, seen from its service.

mod crash;
mod engine;
mod kit;
mod model;
mod races;
mod rules;
mod scale;
