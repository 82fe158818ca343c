//! Pages as HTML: what they must say, and must never say.

use lakeglass_api::catalog::{Backing, Bucket, Namespace, Properties, Table, TableState};
use lakeglass_api::formats::{FormatCard, Serving};
use lakeglass_api::jobs::{Job, JobState, Progress};
use lakeglass_api::{FormatId, NamespacePath};

use super::{bucket, buckets, errors, jobs, namespace, new_bucket};
use crate::frame::render_part;
use crate::parts::{Endpoint, Form, Listing};

fn a_bucket(rows: Option<u64>) -> Bucket {
    Bucket {
        name: "media".parse().unwrap(),
        format: Some(FormatId::lance()),
        backing: Backing::Managed,
        storage: "local".into(),
        root: "file:///data/media".into(),
        description: "<img src=x onerror=alert(1)>".into(),
        properties: Properties::new(),
        protected: false,
        created_at_ms: 0,
        tables: 3,
        rows,
        bytes: rows,
        unobserved: 2,
        health: None,
    }
}

fn endpoint() -> Endpoint {
    Endpoint {
        address: "http://127.0.0.1:8080/lance".into(),
        namespace: Some("media".into()),
        served_by: "Lance Namespace REST".into(),
    }
}

fn a_card(id: &str, usable: bool) -> FormatCard {
    FormatCard {
        id: FormatId::new(id),
        title: id.to_uppercase(),
        headline: "Tables".into(),
        summary: "What it is.".into(),
        clients: vec!["a client".into()],
        serving: if usable {
            Serving::Usable { observer: format!("native {id} 1") }
        } else {
            Serving::Unavailable { reason: "Nothing here reads it.".into() }
        },
        served_by: "Read by location".into(),
        endpoint_path: None,
        can_create_tables: usable,
        can_preview: usable,
        can_time_travel: false,
        claims: vec![],
    }
}

#[test]
fn what_was_never_looked_at_is_a_dash_and_a_partial_sum_says_so() {
    let list = |rows| {
        render_part(move || {
            let rows = vec![buckets::Row { bucket: a_bucket(rows), endpoint: endpoint() }];
            buckets::page(buckets::Buckets { rows, list: Listing::default(), may_create: true })
        })
    };
    let unknown = list(None);
    assert!(unknown.contains('—') && !unknown.contains("2 not observed"), "{unknown}");
    let partial = list(Some(7));
    assert!(partial.contains("2 not observed"), "{partial}");
}

#[test]
fn markup_in_a_description_is_text() {
    let html = render_part(|| {
        let head = bucket::Head {
            bucket: a_bucket(None),
            endpoint: endpoint(),
            scans: false,
            may_edit: true,
            may_administer: true,
            now_ms: 0,
        };
        let list = Listing::default();
        bucket::page(bucket::BucketPage { head, namespaces: vec![], list, form: Form::default() })
    });
    assert!(!html.contains("<img"), "{html}");
    assert!(html.contains("&lt;img src=x onerror=alert(1)&gt;"), "{html}");
    assert!(html.contains("No namespaces yet"), "{html}");
}

#[test]
fn the_only_usable_card_is_chosen_and_nothing_typed_is_lost() {
    let html = render_part(|| {
        let form = Form::with([("name", "Bad Name"), ("description", "mine")]).error("name", "Use a to z");
        new_bucket::page(new_bucket::NewBucket {
            cards: vec![a_card("lance", true), a_card("iceberg", false)],
            storages: vec![new_bucket::StorageChoice {
                name: "local".into(),
                kind: "local folder",
                free_bytes: Some(1 << 30),
            }],
            origin: "http://127.0.0.1:8080".into(),
            form,
            server_admin: true,
        })
    });
    assert_eq!(html.matches("type=\"radio\"").count(), 1, "{html}");
    assert_eq!(html.matches(" checked").count(), 1, "{html}");
    for text in ["value=\"Bad Name\"", "value=\"mine\"", "Use a to z", "1 GiB free", "Nothing here reads it."]
    {
        assert!(html.contains(text), "{text} in {html}");
    }
}

fn a_namespace() -> Namespace {
    Namespace {
        bucket: "media".parse().unwrap(),
        path: NamespacePath::from_dotted("vision").unwrap(),
        properties: Properties::new(),
        created_at_ms: 0,
        tables: 1,
        namespaces: 0,
    }
}

#[test]
fn declared_and_never_observed_look_different_from_empty() {
    let page = |tables, search: &str| {
        let search = search.to_owned();
        render_part(move || {
            namespace::page(namespace::NamespacePage {
                health: None,
                namespace: a_namespace(),
                tables,
                list: Listing { search, ..Listing::default() },
                children: vec![],
                more_children: false,
                create: Ok(()),
                may_edit: true,
                now_ms: 0,
                form: Form::default(),
            })
        })
    };
    let declared = page(
        vec![Table {
            bucket: "media".parse().unwrap(),
            namespace: NamespacePath::from_dotted("vision").unwrap(),
            name: "digits".parse().unwrap(),
            format: FormatId::lance(),
            state: TableState::Declared,
            location: String::new(),
            properties: Properties::new(),
            protected: false,
            created_at_ms: 0,
            updated_at_ms: 0,
            rows: None,
            bytes: None,
            observed_at_ms: None,
        }],
        "",
    );
    assert!(declared.contains("Declared") && declared.contains("never") && declared.contains('—'));
    assert!(page(vec![], "").contains("No tables here yet"));
    assert!(page(vec![], "x").contains("No table matches"));
}

fn a_job(state: JobState) -> Job {
    Job {
        id: "1".into(),
        kind: "observe-sweep".into(),
        title: "Observe tables".into(),
        object: "server".into(),
        state,
        progress: Progress { done: 3, total: Some(4), unit: "tables".into(), message: "reading".into() },
        parameters: std::collections::BTreeMap::new(),
        owner: "ada".into(),
        created_at_ms: 0,
        started_at_ms: None,
        ended_at_ms: None,
        cause: (state == JobState::Failed).then(|| "The disk is full".to_owned()),
        attempts: vec![],
        cancelling: false,
    }
}

#[test]
fn a_job_can_be_cancelled_while_it_runs_by_who_may() {
    let page = |state, may_cancel| {
        render_part(move || {
            let job = a_job(state);
            jobs::job::page(jobs::job::JobPage { job, log: vec![], may_cancel, object_href: None, now_ms: 0 })
        })
    };
    assert!(page(JobState::Running, true).contains("Cancel job"));
    assert!(page(JobState::Running, true).contains("3 of 4 tables, reading"));
    assert!(!page(JobState::Running, false).contains("Cancel job"));
    let failed = page(JobState::Failed, true);
    assert!(!failed.contains("Cancel job") && failed.contains("The disk is full"), "{failed}");
}

#[test]
fn an_error_page_offers_ways_on() {
    let html = render_part(|| {
        errors::page(errors::ErrorPage {
            status: 404,
            detail: "There is no table x".into(),
            fields: vec![],
            request_id: "r1".into(),
            ways: vec![errors::Way {
                label: "Namespace vision".into(),
                href: "/buckets/media/ns/vision".into(),
            }],
            retry_after: None,
        })
    });
    for text in ["Nothing is here", "There is no table x", "/buckets/media/ns/vision", "r1", "href=\"/\""] {
        assert!(html.contains(text), "{text} in {html}");
    }
}
