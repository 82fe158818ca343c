//! How a plugin's misfortunes are told: one clear error, naming plugin, version and cause.

use wasmtime::Trap;

/// Why a component was not accepted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    #[error("The plugin {0} is no WebAssembly component: {1}")]
    NotAComponent(String, String),
    /// It wants something that no plugin gets.
    #[error("The plugin {0} asks for {1}, which no plugin gets")]
    ForbiddenImport(String, String),
    #[error("The plugin {0} does not fit the describer interface, version 0.1: {1}")]
    WrongWorld(String, String),
    #[error("The plugin {0} is larger than {1} MiB")]
    TooLarge(String, usize),
    #[error("The plugin {0} cannot be compiled")]
    Compile(String, #[source] Box<dyn std::error::Error + Send + Sync>),
    /// What it says of itself is not acceptable.
    #[error("The plugin {0} says something wrong of itself: {1}")]
    BadInfo(String, String),
    #[error("The plugin {0} failed when asked what it is: {1}")]
    InfoFailed(String, String),
    #[error("The folder for compiled plugins cannot be used")]
    Cache(#[source] std::io::Error),
    #[error("The WebAssembly engine cannot start")]
    Engine(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// Why a call gave no answer.
#[derive(Debug)]
pub(crate) enum Failure {
    TimedOut(u64),
    /// No turn within the queue's deadline.
    Busy,
    /// It broke: a trap, a refusal of the host, an answer against the contract.
    Broken(String),
}

impl Failure {
    pub(crate) fn into_port(self, plugin: &str) -> lakeglass_ports::Error {
        match self {
            Self::TimedOut(seconds) => lakeglass_ports::Error::TimedOut(seconds),
            Self::Busy => {
                lakeglass_ports::Error::Quota("plugin calls at once. Try again in a moment".to_owned())
            }
            Self::Broken(cause) => lakeglass_ports::Error::Plugin { plugin: plugin.to_owned(), cause },
        }
    }
}

/// What a failed call of wasmtime means, in a sentence for people.
pub(crate) fn cause(error: &wasmtime::Error, memory_refused: bool, memory_limit: usize) -> String {
    if memory_refused {
        return format!("it wanted more than {} MiB of memory", memory_limit >> 20);
    }
    match error.downcast_ref::<Trap>() {
        Some(Trap::StackOverflow) => "it called itself too deeply".to_owned(),
        Some(Trap::UnreachableCodeReached) => "it stopped itself, as on a failed check".to_owned(),
        Some(Trap::Interrupt) => "it was interrupted".to_owned(),
        Some(trap) => format!("it crashed ({trap})"),
        None => {
            let text = format!("{error:#}");
            if text.contains("fuel") {
                "it answered with more data than is allowed".to_owned()
            } else {
                "it broke the rules of the interface".to_owned()
            }
        }
    }
}
