//! A loaded plugin as the server's [`Describer`] port.

use std::sync::Arc;

use async_trait::async_trait;
use lakeglass_api::FormatId;
use lakeglass_api::description::Description;
use lakeglass_ports::{
    Candidate, Costed, Describer, Detection, Error, FormatInfo, Preview, PreviewRequest, Result, Subject,
    TableLocation, VersionPage, VersionRef,
};

use crate::bindings::DescriberPluginPre;
use crate::bindings::exports::lakeglass::describer::describer as wit;
use crate::bindings::lakeglass::describer::object_store::{ListPage, ObjectMeta};
use crate::bindings::lakeglass::describer::types::{Error as GuestError, Property};
use crate::call::{CallState, Question};
use crate::failure::Failure;
use crate::host::Host;
use crate::output::arrow::Bounds;
use crate::output::info::{About, Served, Target};
use crate::output::text::{SENTENCE, line};
use crate::output::{arrow, description, error};
use crate::reads::Reads;
use crate::scope::Scope;

pub(crate) struct PluginDescriber {
    host: Arc<Host>,
    instance: DescriberPluginPre<CallState>,
    about: About,
}

impl std::fmt::Debug for PluginDescriber {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PluginDescriber").field("about", &self.about).finish_non_exhaustive()
    }
}

impl PluginDescriber {
    pub(crate) fn new(host: Arc<Host>, instance: DescriberPluginPre<CallState>, about: About) -> Self {
        Self { host, instance, about }
    }

    fn served(&self, format: &FormatId) -> Result<&Served> {
        self.about
            .formats
            .iter()
            .find(|served| served.info.id == *format)
            .ok_or_else(|| Error::InvalidRequest(format!("{} does not read {format}", self.observer())))
    }

    /// What a call about the subject may see.
    async fn scope(&self, subject: &Subject) -> Result<Scope> {
        let single = match self.served(&subject.format)?.target {
            Target::Tree => false,
            Target::Object => true,
            Target::Either => {
                use object_store::ObjectStoreExt;
                subject.location.store.head(&subject.location.prefix).await.is_ok()
            }
        };
        scope(&subject.location, single)
    }

    /// The subject as the guest is told it.
    fn told(&self, subject: &Subject, scope: &Scope) -> Result<wit::Subject> {
        let snapshot = match &subject.version {
            VersionRef::Latest => None,
            VersionRef::Version(id) if self.served(&subject.format)?.info.capabilities.time_travel => {
                Some(id.clone())
            }
            VersionRef::Version(_) | VersionRef::Tag(_) | VersionRef::Branch(..) => {
                return Err(Error::Unsupported(format!("versions of {} tables", subject.format)));
            }
        };
        let options = subject.options.iter();
        Ok(wit::Subject {
            format: subject.format.to_string(),
            object: scope.object().map(str::to_owned),
            member: None,
            snapshot,
            pointer: None,
            options: options
                .map(|option| Property { key: option.key.clone(), value: option.value.clone() })
                .collect(),
        })
    }

    /// Runs a question and turns both kinds of failure into the port's error.
    async fn ask<R: Send>(
        &self,
        scope: Scope,
        time: std::time::Duration,
        ask: Box<Question<std::result::Result<R, GuestError>>>,
    ) -> Result<Costed<R>> {
        let plugin = self.observer();
        let object = scope.object().map(str::to_owned);
        let reads = Reads::new(scope, &self.host.config.limits);
        let (outcome, cost) = self.host.call(&plugin, &self.instance, Some(reads), time, ask).await;
        match outcome {
            Ok(Ok(answer)) => Ok(Costed { answer, cost }),
            Ok(Err(said)) => Err(error::converted(said, &plugin, object.as_deref())),
            Err(failure) => Err(failure.into_port(&plugin)),
        }
    }

    fn broken(&self, cause: String) -> Error {
        tracing::warn!(plugin = self.observer(), cause, "plugin broke its contract");
        Failure::Broken(cause).into_port(&self.observer())
    }
}

fn scope(location: &TableLocation, single: bool) -> Result<Scope> {
    if single { Scope::single(location).ok_or(Error::NotFound) } else { Ok(Scope::tree(location)) }
}

#[async_trait]
impl Describer for PluginDescriber {
    fn observer(&self) -> String {
        format!("plugin {} {}", self.about.id, self.about.version)
    }

    fn formats(&self) -> Vec<FormatInfo> {
        self.about.formats.iter().map(|served| served.info.clone()).collect()
    }

    async fn detect(&self, candidate: &Candidate) -> Result<Vec<Detection>> {
        let only_object = match candidate.objects.as_slice() {
            [(name, _)] => candidate.location.prefix.filename() == Some(name.as_str()),
            _ => false,
        };
        let single = only_object || self.about.formats.iter().all(|served| served.target == Target::Object);
        let scope = scope(&candidate.location, single)?;
        let objects = candidate.objects.iter().filter(|(path, _)| scope.shows(path));
        let listing = ListPage {
            objects: objects
                .map(|(path, size)| ObjectMeta {
                    path: path.clone(),
                    size: *size,
                    etag: None,
                    modified_ms: None,
                })
                .collect(),
            prefixes: candidate.folders.clone(),
            next: None,
        };
        let ask: Box<Question<_>> = Box::new(move |guest, store| {
            Box::pin(async move { guest.lakeglass_describer_describer().call_detect(store, &listing).await })
        });
        let found = self.ask(scope, self.host.config.limits.detect, ask).await?.answer;
        found
            .into_iter()
            .map(|detection| {
                let format = FormatId::new(detection.format);
                match self.served(&format) {
                    Ok(_) => Ok(Detection {
                        format,
                        confidence: detection.confidence.min(100),
                        reason: line(&detection.reason, SENTENCE),
                    }),
                    Err(_) => Err(self.broken("it found a format that it does not serve".to_owned())),
                }
            })
            .collect()
    }

    async fn describe(&self, subject: &Subject) -> Result<Costed<Description>> {
        let scope = self.scope(subject).await?;
        let told = self.told(subject, &scope)?;
        let ask: Box<Question<_>> = Box::new(move |guest, store| {
            Box::pin(async move { guest.lakeglass_describer_describer().call_describe(store, &told).await })
        });
        let Costed { answer, cost } = self.ask(scope, self.host.config.limits.describe, ask).await?;
        let answer = description::checked(answer, &subject.format).map_err(|cause| self.broken(cause))?;
        Ok(Costed { answer, cost })
    }

    async fn history(
        &self,
        subject: &Subject,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Costed<VersionPage>> {
        let scope = self.scope(subject).await?;
        let told = self.told(subject, &scope)?;
        let page = wit::Page { cursor: after.map(str::to_owned), limit };
        let ask: Box<Question<_>> = Box::new(move |guest, store| {
            Box::pin(
                async move { guest.lakeglass_describer_describer().call_history(store, &told, &page).await },
            )
        });
        let Costed { answer, cost } = self.ask(scope, self.host.config.limits.describe, ask).await?;
        Ok(Costed { answer: description::history(answer), cost })
    }

    async fn preview(&self, subject: &Subject, request: &PreviewRequest) -> Result<Preview> {
        let served = self.served(&subject.format)?;
        if !served.info.capabilities.preview {
            return Err(Error::Unsupported(format!("rows of {} tables", subject.format)));
        }
        if !request.filter.is_empty() {
            return Err(Error::Unsupported(format!("filters on {} tables", subject.format)));
        }
        let scope = self.scope(subject).await?;
        let told = self.told(subject, &scope)?;
        let limits = &self.host.config.limits;
        let columns = request.columns.as_ref();
        let asked = wit::PreviewRequest {
            columns: columns.map(|names| names.iter().map(|name| vec![name.clone()]).collect()),
            offset: request.offset,
            limit: request.limit,
            max_bytes: limits.preview_bytes / 2,
        };
        let ask: Box<Question<_>> = Box::new(move |guest, store| {
            Box::pin(
                async move { guest.lakeglass_describer_describer().call_preview(store, &told, &asked).await },
            )
        });
        let Costed { answer, cost } = self.ask(scope, limits.preview, ask).await?;
        let bounds = Bounds { rows: u64::from(request.limit), bytes: limits.preview_bytes as usize };
        let (schema, batches) = arrow::rows(&answer.arrow_ipc, bounds).map_err(|cause| self.broken(cause))?;
        if columns.is_some_and(|names| !schema.fields().iter().map(|field| field.name()).eq(names)) {
            return Err(self.broken("it answered with other columns than those asked for".to_owned()));
        }
        Ok(Preview {
            schema,
            batches,
            version: answer.snapshot.map(|id| line(&id, SENTENCE)),
            more: answer.next.is_some(),
            notes: description::notes(answer.notes),
            cost,
        })
    }
}
