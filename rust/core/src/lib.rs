//! The arithmetic of interleaf, without Python: where blocks go, in which order, what text measures, and whether fragments
//! are the originals they claim to be.
//!
//! It decides by indices, orders, ids and lengths and never owns content: callers hand in [`text::Text`] views and build
//! their own output from the answers.

#![forbid(unsafe_code)]

pub mod assemble;
pub mod audit;
pub mod block;
pub mod embed;
pub mod error;
pub mod fragment;
pub mod id_set;
pub mod layout;
pub mod lru;
pub mod measure;
pub mod outlet;
pub mod place;
pub mod prefix;
mod prompt_key;
pub mod role_map;
pub mod scan;
pub mod scratch;
pub mod text;
pub mod trust;
