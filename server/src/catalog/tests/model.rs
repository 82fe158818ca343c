//! Random sequences of changes against a model that fits on a page: every outcome is the same, and so
//! are the names, the Trash and the folders at the end.

use std::collections::{BTreeMap, BTreeSet};

use lakeglass_api::NamespacePath;
use lakeglass_api::catalog::Properties;
use lakeglass_ports::InsertMode;
use proptest::prelude::*;

use super::kit::{Kit, broken_rows, files, reference, rows};
use crate::catalog::{Error, NamespaceMode, TableMode};

const NAMES: [&str; 3] = ["a", "b", "c"];
const PATHS: [&str; 4] = ["x", "y", "x.a", "x.d"];

/// A table's namespace and name, as places in [`PATHS`] and [`NAMES`].
type Spot = (usize, usize);

#[derive(Debug, Clone)]
enum Op {
    MakeNamespace(usize),
    DropNamespace(usize, bool),
    Create(Spot, TableMode),
    CreateBroken(Spot),
    Declare(Spot),
    Insert(Spot),
    Rename(Spot, Spot),
    Deregister(Spot),
    /// Of the n-th in Trash, if there are so many.
    Restore(usize),
    DeleteFromTrash(usize),
    /// The place of one table (or of the first in Trash) under another name.
    Register(Spot, Option<Spot>, bool),
    Protect(Spot, bool),
    Drop(Spot),
    Restart,
}

fn spot() -> impl Strategy<Value = Spot> {
    (0..PATHS.len(), 0..NAMES.len())
}

fn op() -> impl Strategy<Value = Op> {
    let mode = prop_oneof![Just(TableMode::Create), Just(TableMode::ExistOk), Just(TableMode::Overwrite)];
    prop_oneof![
        3 => (0..PATHS.len()).prop_map(Op::MakeNamespace),
        1 => (0..PATHS.len(), any::<bool>()).prop_map(|(path, cascade)| Op::DropNamespace(path, cascade)),
        6 => (spot(), mode).prop_map(|(spot, mode)| Op::Create(spot, mode)),
        1 => spot().prop_map(Op::CreateBroken),
        2 => spot().prop_map(Op::Declare),
        2 => spot().prop_map(Op::Insert),
        3 => (spot(), spot()).prop_map(|(from, to)| Op::Rename(from, to)),
        3 => spot().prop_map(Op::Deregister),
        2 => (0..3_usize).prop_map(Op::Restore),
        1 => (0..3_usize).prop_map(Op::DeleteFromTrash),
        3 => (spot(), proptest::option::of(spot()), any::<bool>())
            .prop_map(|(spot, of, over)| Op::Register(spot, of, over)),
        1 => (spot(), any::<bool>()).prop_map(|(spot, on)| Op::Protect(spot, on)),
        2 => spot().prop_map(Op::Drop),
        1 => Just(Op::Restart),
    ]
}

/// An outcome without its details.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Done,
    NoNamespace,
    NamespaceExists,
    NotEmpty,
    NoTable,
    TableExists,
    Protected,
    Overlaps,
    Broken,
}

fn seen<T>(result: Result<T, Error>) -> Outcome {
    match result {
        Ok(_) => Outcome::Done,
        Err(Error::NoSuchNamespace(_)) => Outcome::NoNamespace,
        Err(Error::NamespaceExists { .. }) => Outcome::NamespaceExists,
        Err(Error::NamespaceNotEmpty { .. }) => Outcome::NotEmpty,
        Err(Error::NoSuchTable(_) | Error::NotInTrash) => Outcome::NoTable,
        Err(Error::TableExists { .. }) => Outcome::TableExists,
        Err(Error::Protected(_)) => Outcome::Protected,
        Err(Error::Overlaps(_)) => Outcome::Overlaps,
        Err(Error::Engine(_)) => Outcome::Broken,
        Err(other) => panic!("{other:?}"),
    }
}

/// One table: which one it is, how often it was written, whether it is protected.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Held {
    id: u32,
    versions: u64,
    protected: bool,
}

#[derive(Debug, Default)]
struct Model {
    namespaces: BTreeSet<&'static str>,
    tables: BTreeMap<Spot, Held>,
    /// In the order they were put there.
    trash: Vec<(Spot, Held)>,
    next: u32,
}

impl Model {
    fn free(&self, (path, name): Spot) -> Option<Outcome> {
        if !self.namespaces.contains(PATHS[path]) {
            return Some(Outcome::NoNamespace);
        }
        let as_namespace = format!("{}.{}", PATHS[path], NAMES[name]);
        let taken =
            self.tables.contains_key(&(path, name)) || self.namespaces.contains(as_namespace.as_str());
        taken.then_some(Outcome::TableExists)
    }

    fn add(&mut self, spot: Spot, versions: u64) -> Outcome {
        if let Some(refused) = self.free(spot) {
            return refused;
        }
        self.next += 1;
        self.tables.insert(spot, Held { id: self.next, versions, protected: false });
        Outcome::Done
    }

    fn apply(&mut self, op: &Op) -> Outcome {
        match *op {
            Op::MakeNamespace(path) => self.make_namespace(PATHS[path]),
            Op::DropNamespace(path, cascade) => self.drop_namespace(PATHS[path], cascade),
            Op::Create(spot, mode) => match self.tables.get_mut(&spot) {
                Some(held) if held.versions == 0 => {
                    held.versions = 1;
                    Outcome::Done
                }
                Some(_) if mode == TableMode::Create => Outcome::TableExists,
                Some(held) => {
                    held.versions += u64::from(mode == TableMode::Overwrite);
                    Outcome::Done
                }
                None => self.add(spot, 1),
            },
            Op::CreateBroken(spot) => match self.tables.get(&spot) {
                Some(held) if held.versions > 0 => Outcome::TableExists,
                Some(_) => Outcome::Broken,
                None => self.free(spot).unwrap_or(Outcome::Broken),
            },
            Op::Declare(spot) => self.add(spot, 0),
            Op::Insert(spot) => self.with(spot, |held| {
                held.versions += 1;
                Outcome::Done
            }),
            Op::Rename(from, to) => self.rename(from, to),
            Op::Deregister(spot) => match self.tables.get(&spot) {
                None => Outcome::NoTable,
                Some(held) if held.protected => Outcome::Protected,
                Some(_) => {
                    self.put_in_trash(spot);
                    Outcome::Done
                }
            },
            Op::Restore(nth) => {
                let Some((spot, _)) = self.trash.get(nth) else { return Outcome::NoTable };
                if let Some(refused) = self.free(*spot) {
                    return refused;
                }
                let (spot, held) = self.trash.remove(nth);
                self.tables.insert(spot, held);
                Outcome::Done
            }
            Op::DeleteFromTrash(nth) => {
                if nth >= self.trash.len() {
                    return Outcome::NoTable;
                }
                self.trash.remove(nth);
                Outcome::Done
            }
            Op::Register(spot, of, over) => self.register(spot, of, over),
            Op::Protect(spot, on) => self.with(spot, |held| {
                held.protected = on;
                Outcome::Done
            }),
            Op::Drop(spot) => match self.tables.get(&spot) {
                None => Outcome::NoTable,
                Some(held) if held.protected => Outcome::Protected,
                Some(_) => {
                    self.tables.remove(&spot);
                    Outcome::Done
                }
            },
            Op::Restart => Outcome::Done,
        }
    }

    fn with(&mut self, spot: Spot, change: impl FnOnce(&mut Held) -> Outcome) -> Outcome {
        self.tables.get_mut(&spot).map_or(Outcome::NoTable, change)
    }

    fn put_in_trash(&mut self, spot: Spot) {
        let held = self.tables.remove(&spot).unwrap();
        self.trash.push((spot, held));
    }

    fn make_namespace(&mut self, path: &'static str) -> Outcome {
        if let Some((parent, leaf)) = path.rsplit_once('.') {
            if !self.namespaces.contains(parent) {
                return Outcome::NoNamespace;
            }
            let taken = self.tables.keys().any(|(at, name)| PATHS[*at] == parent && NAMES[*name] == leaf);
            if taken && !self.namespaces.contains(path) {
                return Outcome::NamespaceExists;
            }
        }
        if self.namespaces.insert(path) { Outcome::Done } else { Outcome::NamespaceExists }
    }

    fn drop_namespace(&mut self, path: &'static str, cascade: bool) -> Outcome {
        if !self.namespaces.contains(path) {
            return Outcome::NoNamespace;
        }
        let below = format!("{path}.");
        let inside = |other: &str| other == path || other.starts_with(&below);
        let children = self.namespaces.iter().any(|other| other.starts_with(&below));
        let here = |spot: &Spot| PATHS[spot.0] == path;
        let content = self.tables.keys().any(here) || self.trash.iter().any(|(spot, _)| here(spot));
        if !cascade && (children || content) {
            return Outcome::NotEmpty;
        }
        let protected = |spot: &Spot, held: &Held| inside(PATHS[spot.0]) && held.protected;
        if self.tables.iter().any(|(spot, held)| protected(spot, held)) {
            return Outcome::Protected;
        }
        self.tables.retain(|spot, _| !inside(PATHS[spot.0]));
        self.trash.retain(|(spot, _)| !inside(PATHS[spot.0]));
        self.namespaces.retain(|other| !inside(other));
        Outcome::Done
    }

    fn rename(&mut self, from: Spot, to: Spot) -> Outcome {
        if !self.tables.contains_key(&from) {
            return Outcome::NoTable;
        }
        if let Some(refused) = self.free(to) {
            return refused;
        }
        let held = self.tables.remove(&from).unwrap();
        self.tables.insert(to, held);
        Outcome::Done
    }

    /// `of`: a listed table's place, refused; none: the place of the first in Trash.
    fn register(&mut self, spot: Spot, of: Option<Spot>, over: bool) -> Outcome {
        let listed = of.and_then(|of| self.tables.get(&of)).cloned();
        if of.is_some() && listed.is_none() || of.is_none() && self.trash.is_empty() {
            return Outcome::NoTable;
        }
        let displaces = match self.tables.get(&spot) {
            Some(held) if over && listed.as_ref().is_some_and(|listed| listed.id == held.id) => {
                return Outcome::Done;
            }
            Some(held) if over && held.protected => return Outcome::Protected,
            Some(_) if over => true,
            Some(_) => return Outcome::TableExists,
            None => false,
        };
        if !displaces && let Some(refused) = self.free(spot) {
            return refused;
        }
        if listed.is_some() {
            return Outcome::Overlaps;
        }
        if displaces {
            self.put_in_trash(spot);
        }
        let (_, held) = self.trash.remove(0);
        self.tables.insert(spot, held);
        Outcome::Done
    }
}

fn table(spot: Spot) -> lakeglass_api::TableRef {
    reference(&format!("lake/{}/{}", PATHS[spot.0], NAMES[spot.1]))
}

async fn really(kit: &mut Kit, op: &Op) -> Outcome {
    let (catalog, admin) = (kit.catalog().clone(), kit.admin.clone());
    let none = Properties::new;
    let bucket = "lake".parse().unwrap();
    match *op {
        Op::MakeNamespace(path) => {
            let path = NamespacePath::from_dotted(PATHS[path]).unwrap();
            seen(catalog.create_namespace(&admin, &bucket, &path, none(), NamespaceMode::Create).await)
        }
        Op::DropNamespace(path, cascade) => {
            let path = NamespacePath::from_dotted(PATHS[path]).unwrap();
            seen(catalog.drop_namespace(&admin, &bucket, &path, cascade).await)
        }
        Op::Create(spot, mode) => {
            seen(catalog.create_table(&admin, &table(spot), rows(1), mode, none()).await)
        }
        Op::CreateBroken(spot) => {
            let mode = TableMode::Create;
            seen(catalog.create_table(&admin, &table(spot), broken_rows(), mode, none()).await)
        }
        Op::Declare(spot) => seen(catalog.declare_table(&admin, &table(spot), None, none()).await),
        Op::Insert(spot) => {
            seen(catalog.insert(&admin, &table(spot), rows(1), InsertMode::Append, None).await)
        }
        Op::Rename(from, to) => {
            let to = table(to);
            seen(catalog.rename_table(&admin, &table(from), &to.table, Some(&to.namespace)).await)
        }
        Op::Deregister(spot) => seen(catalog.deregister_table(&admin, &table(spot)).await),
        Op::Restore(nth) => match trashed(kit).await.get(nth) {
            Some((id, _)) => seen(catalog.restore_from_trash(&admin, *id, None).await),
            None => Outcome::NoTable,
        },
        Op::DeleteFromTrash(nth) => match trashed(kit).await.get(nth) {
            Some((id, _)) => seen(catalog.delete_from_trash(&admin, *id).await),
            None => Outcome::NoTable,
        },
        Op::Register(spot, of, over) => {
            let place = match of {
                Some(of) => catalog.table(&admin, &table(of)).await.ok().map(|table| table.location),
                None => trashed(kit).await.into_iter().next().map(|(_, location)| location),
            };
            let Some(place) = place else { return Outcome::NoTable };
            seen(catalog.register_table(&admin, &table(spot), &place, over, none()).await)
        }
        Op::Protect(spot, on) => seen(catalog.protect_table(&admin, &table(spot), on).await),
        Op::Drop(spot) => seen(catalog.drop_table(&admin, &table(spot)).await),
        Op::Restart => {
            kit.restart().await;
            Outcome::Done
        }
    }
}

/// Ids and locations in Trash, in the order they were put there.
async fn trashed(kit: &Kit) -> Vec<(i64, String)> {
    let bucket = "lake".parse().unwrap();
    let page = kit.catalog().trash(&kit.admin, &bucket, &lakeglass_api::ListQuery::default()).await.unwrap();
    page.items.into_iter().map(|item| (item.id, item.table.location)).collect()
}

async fn run(ops: Vec<Op>) {
    let mut kit = Kit::new().await;
    kit.bucket("lake", Some("lance")).await.unwrap();
    let mut model = Model::default();
    for (step, op) in ops.iter().enumerate() {
        let expected = model.apply(op);
        // Trash is ordered by time in milliseconds.
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
        let happened = really(&mut kit, op).await;
        assert_eq!(happened, expected, "step {step}: {op:?} after {:?}", &ops[..step]);
    }
    for path in &model.namespaces {
        let expected: Vec<&str> =
            model.tables.keys().filter(|spot| PATHS[spot.0] == *path).map(|spot| NAMES[spot.1]).collect();
        assert_eq!(kit.names("lake", path).await, expected);
    }
    assert_eq!(kit.trash("lake").await.len(), model.trash.len());
    assert_eq!(kit.open_intents().await, 0);
    // As many manifests as there were writes of what was kept: no version lost, none left over.
    let kept = model.tables.values().chain(model.trash.iter().map(|(_, held)| held));
    let written: u64 = kept.map(|held| held.versions).sum();
    let manifests = files(&kit.path("lake")).into_iter().filter(|file| file.ends_with(".manifest")).count();
    assert_eq!(manifests as u64, written);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, max_shrink_iters: 200, ..ProptestConfig::default() })]

    #[test]
    fn the_catalog_does_what_the_model_says(ops in proptest::collection::vec(op(), 1..50)) {
        tokio::runtime::Runtime::new().unwrap().block_on(run(ops));
    }
}
