//! Teaches Lakeglass a table format: implement [`Describer`] over a [`Store`], and export it.
//!
//! A describer is ordinary Rust. Under tests it runs natively over a [`FolderStore`]; built for
//! `wasm32-unknown-unknown` the same code becomes a component with [`export_describer!`]. It has no
//! network, clock or state, and sees only the objects under the table it is asked about.
//!
//! The data types come from `plugins/wit/v0.1/describer.wit`, which documents each of them.

pub mod bindings;
#[cfg(target_family = "wasm")]
pub mod component;
mod describer;
#[cfg(not(target_family = "wasm"))]
mod folder;
mod reader;
mod rows;
mod schema;
mod store;

pub use describer::Describer;
#[cfg(not(target_family = "wasm"))]
pub use folder::FolderStore;
pub use reader::ObjectReader;
pub use rows::{ipc_stream, text_property};
pub use schema::SchemaBuilder;
pub use store::{Store, at};

pub use bindings::exports::lakeglass::describer::describer::{
    Batch, Claim, Count, Description, Detection, Facet, Field, Format, HistoryPage, LogicalType, OptionSpec,
    Page, PartitionField, PluginInfo, PreviewRequest, Schema, Snapshot, SnapshotRef, Subject, TargetKind,
    Totals,
};
pub use bindings::lakeglass::describer::log::Level;
pub use bindings::lakeglass::describer::object_store::{
    ListOptions, ListPage, ObjectMeta, Range, ReadRequest,
};
pub use bindings::lakeglass::describer::types::{Error, Note, Property, Severity, StoreError};

/// Makes a [`Describer`] the component's export. Outside wasm it expands to nothing.
#[macro_export]
macro_rules! export_describer {
    ($describer:ty) => {
        #[cfg(target_family = "wasm")]
        #[allow(unsafe_code, reason = "exported symbols")]
        const _: () = {
            use $crate::bindings::exports::lakeglass::describer::describer::Guest;
            use $crate::component::HostStore;
            use $crate::{
                Batch, Describer, Description, Detection, Error, HistoryPage, ListPage, Page, PluginInfo,
                PreviewRequest, Subject,
            };

            struct Component;

            impl Guest for Component {
                fn info() -> PluginInfo {
                    <$describer as Describer>::info()
                }

                fn detect(listing: ListPage) -> Result<Vec<Detection>, Error> {
                    <$describer as Describer>::detect(&HostStore, &listing)
                }

                fn describe(subject: Subject) -> Result<Description, Error> {
                    <$describer as Describer>::describe(&HostStore, &subject)
                }

                fn history(subject: Subject, page: Page) -> Result<HistoryPage, Error> {
                    <$describer as Describer>::history(&HostStore, &subject, &page)
                }

                fn facet_rows(subject: Subject, id: String, page: Page) -> Result<Batch, Error> {
                    <$describer as Describer>::facet_rows(&HostStore, &subject, &id, &page)
                }

                fn preview(subject: Subject, request: PreviewRequest) -> Result<Batch, Error> {
                    <$describer as Describer>::preview(&HostStore, &subject, &request)
                }
            }

    $crate::bindings::export_component!(Component with_types_in $crate::bindings);
        };
    };
}
