//! What holds of an attribute holds of it at any depth: in nested attributes and in blocks of every nesting, and in
//! those within others.

use ferroform::diag::Diagnostics;
use ferroform::path;
use ferroform::path::Path;
use ferroform::schema::{
    Attribute, Block, BlockNesting, Default as Fallback, Equivalence, Modifier, NestedBlock, NestedObject,
    Nesting, Replace,
};
use ferroform::ty::Type;
use ferroform::validate::number::between;
use ferroform::validate::validate;
use ferroform::value::Value;
use ferroform_core::plan::{
    Drift, Plan, PlanInput, Violation, complete, plan, plan_valid, refresh, result_valid, wholly_known,
    write_only_null,
};

/// Where an object stands in another one, under the name `a`.
#[derive(Debug, Clone, Copy)]
enum Place {
    Attribute(Nesting),
    Block(BlockNesting),
}

const PLACES: [Place; 9] = [
    Place::Attribute(Nesting::Single),
    Place::Attribute(Nesting::List),
    Place::Attribute(Nesting::Set),
    Place::Attribute(Nesting::Map),
    Place::Block(BlockNesting::Single),
    Place::Block(BlockNesting::Group),
    Place::Block(BlockNesting::List),
    Place::Block(BlockNesting::Set),
    Place::Block(BlockNesting::Map),
];

impl Place {
    /// The schema of an object with that one in it, and a name of its own, by which it is known in a set.
    fn around(self, object: Block) -> Block {
        let mut outer = Block::new([key("key")]);
        match self {
            Self::Attribute(nesting) => {
                let nested = NestedObject::new(nesting, object.attributes);
                outer.attributes.push(Attribute::optional("a", nested));
            }
            Self::Block(nesting) => outer.blocks.push(NestedBlock::new("a", nesting, object)),
        }
        outer
    }

    /// One object, as it is held here.
    fn holding(self, object: Value) -> Value {
        match self {
            Self::Attribute(Nesting::Single) | Self::Block(BlockNesting::Single | BlockNesting::Group) => {
                object
            }
            Self::Attribute(Nesting::List) | Self::Block(BlockNesting::List) => Value::list([object]),
            Self::Attribute(Nesting::Set) | Self::Block(BlockNesting::Set) => Value::set([object]),
            Self::Attribute(Nesting::Map) | Self::Block(BlockNesting::Map) => Value::map([("k", object)]),
        }
    }

    const fn is_set(self) -> bool {
        matches!(self, Self::Attribute(Nesting::Set) | Self::Block(BlockNesting::Set))
    }

    /// The path of the object that is held here.
    fn path(self, outer: Path) -> Path {
        let a = outer.attribute("a");
        match self {
            Self::Attribute(Nesting::Single) | Self::Block(BlockNesting::Single | BlockNesting::Group) => a,
            Self::Attribute(Nesting::List) | Self::Block(BlockNesting::List) => a.index(0),
            Self::Attribute(Nesting::Set) | Self::Block(BlockNesting::Set) => a.element(),
            Self::Attribute(Nesting::Map) | Self::Block(BlockNesting::Map) => a.key("k"),
        }
    }
}

/// An object within an object, or within one that is within another.
#[derive(Debug)]
struct Depth(Vec<Place>);

impl Depth {
    /// All of them. Nested attributes hold no blocks.
    fn all() -> impl Iterator<Item = Self> {
        let pairs = PLACES.iter().flat_map(|outer| PLACES.iter().map(move |inner| [*outer, *inner]));
        let pairs = pairs.filter(|pair| !matches!(pair, [Place::Attribute(_), Place::Block(_)]));
        PLACES.iter().map(|place| Self(vec![*place])).chain(pairs.map(|pair| Self(pair.to_vec())))
    }

    fn block(&self, object: Block) -> Block {
        self.0.iter().rev().fold(object, |object, place| place.around(object))
    }

    fn value(&self, object: Value) -> Value {
        let around = |object, place: &Place| {
            Value::object([("key", Value::string("k")), ("a", place.holding(object))])
        };
        self.0.iter().rev().fold(object, around)
    }

    /// The path of an attribute of the object.
    fn path(&self, name: &'static str) -> Path {
        self.0.iter().fold(Path::root(), |path, place| place.path(path)).attribute(name)
    }

    fn has_set(&self) -> bool {
        self.0.iter().any(|place| place.is_set())
    }

    /// The same up to the first set, of which elements cannot be named.
    fn path_to_set(&self, name: &'static str) -> Path {
        match self.0.iter().position(|place| place.is_set()) {
            Some(at) => {
                self.0.iter().take(at).fold(Path::root(), |path, place| place.path(path)).attribute("a")
            }
            None => self.path(name),
        }
    }
}

fn key(name: &'static str) -> Attribute {
    Attribute::required(name, Type::String).key()
}

/// An attribute for each step of planning.
fn object() -> Block {
    let caseless = Equivalence::normal(|value| Some(Value::string(value.as_str()?.to_lowercase())));
    let place = Modifier::new("", |it| {
        if it.config.is_null() {
            it.planned = Value::string(it.path.to_string());
        }
        Ok(())
    });
    let mode = Fallback::Value(Value::string("usual"));
    Block::new([
        key("name").equivalence(caseless),
        Attribute::optional("size", Type::Number).replace(Replace::OnChange),
        Attribute::computed("id", Type::String).keep(),
        Attribute::optional_computed("mode", Type::String).default(mode),
        Attribute::optional_computed("place", Type::String).modifiers([place]),
        Attribute::optional("secret", Type::String).write_only(),
    ])
}

/// Such an object with these values of `name`, `size` and `id`.
fn of(name: &str, size: i32, id: Value, [mode, place]: [Value; 2]) -> Value {
    Value::object([
        ("name", Value::string(name)),
        ("size", Value::from(size)),
        ("id", id),
        ("mode", mode),
        ("place", place),
        ("secret", Value::Null),
    ])
}

/// Such an object as it is stored.
fn stored(depth: &Depth, name: &str, size: i32, id: Value) -> Value {
    let place = Value::string(depth.path("place").to_string());
    depth.value(of(name, size, id, [Value::string("usual"), place]))
}

fn reported(drift: &Drift) -> (Vec<Path>, Vec<Path>) {
    let changed = drift.changed.iter().map(|difference| difference.path.clone());
    (drift.suppressed.clone(), changed.collect())
}

#[test]
fn refresh_and_complete_merge_alike_at_every_depth() {
    for depth in Depth::all() {
        let block = depth.block(object());
        let merged = || stored(&depth, "Name", 50, "1".into());
        let report = || (vec![depth.path("name")], vec![depth.path("size")]);

        let mut seen = stored(&depth, "nAME", 50, "1".into());
        let drift = refresh(&block, &stored(&depth, "Name", 5, "1".into()), &mut seen);
        assert_eq!((seen, reported(&drift)), (merged(), report()), "{depth:?}");

        let mut seen = stored(&depth, "nAME", 50, "1".into());
        let drift = complete(&block, &stored(&depth, "Name", 5, Value::unknown()), &mut seen);
        assert_eq!((seen, reported(&drift)), (merged(), report()), "{depth:?}");
    }
}

#[test]
fn every_step_of_planning_is_taken() {
    for depth in Depth::all() {
        let block = depth.block(object());
        let prior = stored(&depth, "Name", 5, "1".into());
        let config = |size| depth.value(of("nAME", size, Value::Null, [Value::Null, Value::Null]));
        let planned = |size, prior| {
            let config = config(size);
            let input = PlanInput { block: &block, config: &config, prior, proposed: &config };
            let made = plan(input).expect("a plan");
            assert_eq!(plan_valid(&block, prior, &config, &made.state), [], "{depth:?}");
            made
        };
        let expect = |name, size, id, replace: Vec<Path>, suppressed: Vec<Path>| Plan {
            state: stored(&depth, name, size, id),
            requires_replace: replace,
            replaced_by_modifiers: vec![],
            suppressed,
        };
        let respelled = || vec![depth.path("name")];
        assert_eq!(
            planned(6, &prior),
            expect("Name", 6, "1".into(), vec![depth.path("size")], respelled()),
            "{depth:?}"
        );
        assert_eq!(planned(5, &prior), expect("Name", 5, "1".into(), vec![], respelled()), "{depth:?}");
        let created = expect("nAME", 5, Value::unknown(), vec![], vec![]);
        assert_eq!(planned(5, &Value::Null), created, "{depth:?}");
    }
}

fn paths(violations: Vec<Violation>) -> Vec<Path> {
    violations.into_iter().map(|breach| breach.path).collect()
}

#[test]
fn violated_rule_reports_the_attribute() {
    for depth in Depth::all() {
        let block = depth.block(object());
        let config = depth.value(of("n", 5, Value::Null, [Value::Null, Value::Null]));
        let state = |size, id| stored(&depth, "n", size, id);

        // Like core, the rule of a plan looks into no element of a set.
        let found = paths(plan_valid(&block, &Value::Null, &config, &state(6, Value::unknown())));
        let expect = if depth.has_set() { vec![] } else { vec![depth.path("size")] };
        assert_eq!(found, expect, "{depth:?}");

        let mut found = paths(result_valid(&block, &state(5, Value::unknown()), &state(6, "1".into())));
        // One element too few, and another one too many.
        found.dedup();
        assert_eq!(found, [depth.path_to_set("size")], "{depth:?}");
        assert_eq!(result_valid(&block, &state(5, Value::unknown()), &state(5, "1".into())), [], "{depth:?}");

        assert_eq!(paths(wholly_known(&state(5, Value::unknown()))), [depth.path("id")], "{depth:?}");

        let mut said = of("n", 5, "1".into(), [Value::Null, Value::Null]);
        *said.get_mut(&path!(secret)).expect("it has a secret") = "s".into();
        let found = paths(write_only_null(&block, &depth.value(said)));
        assert_eq!(found, [depth.path("secret")], "{depth:?}");
    }
}

/// What is unknown, in part or as a whole, is refused by no validator.
#[test]
fn validators_wait_for_what_is_unknown() {
    let mut object = object();
    object.attributes = vec![Attribute::optional("size", Type::Number).validators([between(10, 20).into()])];
    for depth in Depth::all() {
        let block = depth.block(object.clone());
        let said = |config: &Value| {
            let mut found = Diagnostics::default();
            validate(&block, config, true, &mut found);
            found.iter().map(|it| it.path.clone().unwrap_or_default()).collect::<Vec<_>>()
        };
        let sized = |size: Value| depth.value(Value::object([("size", size)]));
        assert_eq!(said(&sized(15.into())), [], "{depth:?}");
        assert_eq!(said(&sized(5.into())), [depth.path("size")], "{depth:?}");
        assert_eq!(said(&sized(Value::unknown())), [], "{depth:?}");
        let whole = Value::object([("key", Value::unknown()), ("a", Value::unknown())]);
        assert_eq!(said(&whole), [], "{depth:?}");
    }
}

/// Blocks that the provider fills, in each nesting, at the root and in other blocks.
#[test]
fn computed_blocks_are_planned_and_filled() {
    // An absent single block is null for older cores as well, so that nothing is planned for it.
    let nestings = [BlockNesting::List, BlockNesting::Set, BlockNesting::Map];
    let inner = || Block::new([Attribute::optional_computed("x", Type::String)]).computed();
    let outers: Vec<Option<Place>> =
        PLACES.into_iter().filter(|it| matches!(it, Place::Block(_))).map(Some).chain([None]).collect();
    for (nesting, outer) in nestings.iter().flat_map(|nesting| outers.iter().map(move |it| (*nesting, *it))) {
        let place = Place::Block(nesting);
        let block = place.around(inner());
        let block = outer.map_or(block.clone(), |outer| outer.around(block));
        let of = |blocks: Value| {
            let object = Value::object([("key", Value::string("k")), ("a", blocks)]);
            outer.map_or(object.clone(), |outer| Depth(vec![outer]).value(object))
        };
        let filled = || of(place.holding(Value::object([("x", Value::string("made"))])));
        let config = of(Value::Null);
        let planned = |config: &Value, prior: &Value| {
            let made = plan(PlanInput { block: &block, config, prior, proposed: config }).expect("a plan");
            assert_eq!(plan_valid(&block, prior, config, &made.state), [], "{nesting:?} in {outer:?}");
            made.state
        };
        let context = format!("{nesting:?} in {outer:?}");
        let created = planned(&config, &Value::Null);
        assert_eq!(created, of(Value::unknown()), "{context}");
        let mut seen = filled();
        assert_eq!(complete(&block, &created, &mut seen), Drift::default(), "{context}");
        assert_eq!(seen, filled(), "{context}");
        assert_eq!(result_valid(&block, &created, &filled()), [], "{context}");
        assert_eq!(wholly_known(&created).len(), 1, "{context}");
        assert_eq!(planned(&config, &filled()), filled(), "{context}");
        // What is written is nobody else's.
        let written = of(place.holding(Value::object([("x", Value::string("written"))])));
        assert_eq!(planned(&written, &filled()), written, "{context}");
    }
}
