//! Scenarios out of a number.

use super::syntax::{Block, Expr, File, Item, Scenario, Step};
use crate::generated::Random;

/// The types of values that are generated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Type {
    Number,
    String,
    Bool,
    List,
    Set,
    Map,
    Object,
    Objects,
}

const TYPES: [Type; 8] =
    [Type::Number, Type::String, Type::Bool, Type::List, Type::Set, Type::Map, Type::Object, Type::Objects];

impl Type {
    pub(super) fn constraint(self) -> &'static str {
        match self {
            Self::Number => "number",
            Self::String => "string",
            Self::Bool => "bool",
            Self::List => "list(string)",
            Self::Set => "set(string)",
            Self::Objects => "list(object({ a = number, b = optional(string, \"d\") }))",
            Self::Map => "map(number)",
            Self::Object => "object({ a = number, b = optional(string) })",
        }
    }

    /// Literals that are so in both syntaxes.
    pub(super) fn literals(self) -> &'static [&'static str] {
        match self {
            Self::Number => &["0", "1", "2", "1.5", "3"],
            Self::String => &["\"\"", "\"a\"", "\"b\"", "\"true\"", "\"7\""],
            Self::Bool => &["true", "false"],
            Self::List => &["[]", "[\"a\"]", "[\"a\", \"b\"]", "[\"b\", \"a\", \"b\"]"],
            Self::Set => &["[]", "[\"a\"]", "[\"b\", \"a\"]"],
            Self::Objects => &["[]", "[{\"a\": 1}]", "[{\"a\": 1, \"b\": \"x\"}, {\"a\": 2, \"b\": \"y\"}]"],
            Self::Map => &["{}", "{\"a\": 1}", "{\"a\": 1, \"b\": 2}"],
            Self::Object => &["{\"a\": 1}", "{\"a\": 2, \"b\": \"x\"}"],
        }
    }

    /// Templates that make a value of this type from values of others.
    fn templates(self) -> &'static [(&'static str, &'static [Type])] {
        use Type::{Bool, List, Map, Number, Object, Objects, Set, String};
        match self {
            Self::Number => &[
                ("@ + @", &[Number, Number]),
                ("-(@)", &[Number]),
                ("length(@)", &[List]),
                ("length(@)", &[Map]),
                ("@.a", &[Object]),
                ("lookup(@, \"a\", @)", &[Map, Number]),
                ("max(@, @)", &[Number, Number]),
                ("try(@[\"a\"], @)", &[Map, Number]),
                ("sum([@, @])", &[Number, Number]),
                ("length(@)", &[Set]),
                ("try(@[0].a, @)", &[Objects, Number]),
                ("sum(concat([0], @[*].a))", &[Objects]),
                ("(issensitive(@) ? 1 : @)", &[String, Number]),
            ],
            Self::String => &[
                ("\"x-${@}\"", &[String]),
                ("\"${@}${@}\"", &[Number, String]),
                ("upper(@)", &[String]),
                ("join(\",\", @)", &[List]),
                ("try(@[0], @)", &[List, String]),
                ("jsonencode(@)", &[Object]),
                ("jsonencode(@)", &[Map]),
                ("coalesce(@, \"c\")", &[String]),
                ("@.b", &[Object]),
                ("format(\"%s-%d\", @, @)", &[String, Number]),
                ("tostring(@)", &[Number]),
                ("nonsensitive(sensitive(@))", &[String]),
                ("ephemeralasnull(@)", &[String]),
                ("one(toset([@]))", &[String]),
                ("\"%{ for it in @ }${it}%{ endfor }\"", &[Set]),
                ("\"%{ if @ }${@}%{ else }n%{ endif }\"", &[Bool, String]),
                ("element(concat(@, [\"e\"]), @)", &[List, Number]),
            ],
            Self::Bool => &[
                ("@ == @", &[Number, Number]),
                ("@ != @", &[String, String]),
                ("@ > @", &[Number, Number]),
                ("!@", &[Bool]),
                ("(@ && @)", &[Bool, Bool]),
                ("(@ || @)", &[Bool, Bool]),
                ("contains(@, @)", &[List, String]),
                ("can(@[0])", &[List]),
                ("alltrue([@, @])", &[Bool, Bool]),
                ("@ == null", &[Object]),
                ("@ == @", &[Objects, Objects]),
                ("contains(@, @)", &[Set, String]),
                ("can(tonumber(@))", &[String]),
            ],
            Self::List => &[
                ("[@, @]", &[String, String]),
                ("concat(@, [@])", &[List, String]),
                ("[for it in @ : \"${it}!\"]", &[List]),
                ("[for it in @ : it if it != @]", &[List, String]),
                ("keys(@)", &[Map]),
                ("compact([@, \"\"])", &[String]),
                ("split(\",\", @)", &[String]),
                ("sort(@)", &[List]),
                ("distinct(@)", &[List]),
                ("tolist(toset(@))", &[List]),
                ("tolist(@)", &[Set]),
                ("@[*].b", &[Objects]),
                ("[for k, v in @ : \"${k}=${v}\"]", &[Map]),
            ],
            Self::Set => &[
                ("toset(@)", &[List]),
                ("setunion(@, [@])", &[Set, String]),
                ("setsubtract(@, [@])", &[Set, String]),
                ("toset(keys(@))", &[Map]),
            ],
            Self::Objects => &[
                ("[@]", &[Object]),
                ("[for it in @ : { a = it.a, b = upper(it.b) }]", &[Objects]),
                ("[for k, v in @ : { a = v, b = k }]", &[Map]),
                ("concat(@, [@])", &[Objects, Object]),
            ],
            Self::Map => &[
                ("{ a = @, c = @ }", &[Number, Number]),
                ("merge(@, { b = @ })", &[Map, Number]),
                ("{ for it in @ : it => @... if false }", &[List, Number]),
                ("{ for k, v in @ : \"${k}2\" => v + 1 }", &[Map]),
                ("tomap({ (@) = @ })", &[String, Number]),
                ("{ for it in toset(@) : it => 1 }", &[List]),
            ],
            Self::Object => &[
                ("{ a = @, b = @ }", &[Number, String]),
                ("merge(@, { b = @ })", &[Object, String]),
                ("{ a = @, b = null }", &[Number]),
                ("try(@[0], @)", &[Objects, Object]),
                ("one([@])", &[Object]),
            ],
        }
    }
}

/// Something that an expression can refer to.
#[derive(Clone)]
pub(super) struct Named {
    pub(super) text: String,
    pub(super) ty: Type,
}

/// What a module has so far.
#[derive(Default)]
pub(super) struct Module {
    pub(super) blocks: Vec<Block>,
    pub(super) named: Vec<Named>,
    /// Addresses that `depends_on`, `moved`, targets and so on can name.
    pub(super) resources: Vec<String>,
    calls: Vec<String>,
    outputs: Vec<(String, Type)>,
    variables: Vec<(String, Type)>,
    /// What is ephemeral, and which actions there are, where a provider has such things.
    pub(super) ephemeral: Vec<Named>,
    pub(super) actions: Vec<String>,
}

pub(super) struct Generator {
    pub(super) random: Random,
    files: Vec<File>,
    /// Whether there is a provider beside the built-in one.
    pub(super) provided: bool,
    /// Whether providers are passed to modules, and imports go into them.
    between_modules: bool,
}

/// The number of the first scenario with a provider.
const PROVIDED: u64 = 10_000_000;

/// The number of the first scenario with more between its modules.
const BETWEEN_MODULES: u64 = 20_000_000;

/// The scenario of a number.
pub(crate) fn scenario(seed: u64) -> Scenario {
    let mut generator = Generator {
        random: Random(seed),
        files: Vec::new(),
        provided: seed >= PROVIDED,
        between_modules: seed >= BETWEEN_MODULES,
    };
    generator.random.next();
    let root = generator.module("main.tf", 0);
    let mut files = std::mem::take(&mut generator.files);
    files.sort_by_key(|file| file.path != "main.tf");
    if generator.between_modules {
        generator.pass_providers(&root, &mut files);
    }
    let mut steps = vec![Step { heading: "then", files, arguments: Vec::new() }];
    generator.arguments(&root, &mut steps[0]);
    if generator.between_modules && generator.random.one_in(4) {
        generator.import_into_module(&mut steps[0]);
    }
    for _ in 0..generator.random.below(3) {
        let last = steps.last().cloned().expect("there is one");
        steps.push(generator.change(&root, last));
    }
    Scenario(steps)
}

impl Generator {
    pub(super) fn literal(&mut self, ty: Type) -> Expr {
        let literals = ty.literals();
        match ty {
            // With all optional attributes.
            Type::Object | Type::Objects if self.provided => Expr::text(literals[literals.len() - 1]),
            _ => Expr::text(*self.random.pick(literals)),
        }
    }

    pub(super) fn expr(&mut self, ty: Type, module: &Module, depth: usize) -> Expr {
        let named: Vec<&Named> = module.named.iter().filter(|it| it.ty == ty).collect();
        if !named.is_empty() && !self.random.one_in(4) {
            let text = self.random.pick(&named).text.clone();
            return Expr::text(text);
        }
        if depth == 0 || self.random.one_in(4) {
            return self.literal(ty);
        }
        if self.provided && self.random.one_in(8) {
            return self.call_of_function(ty, module, depth - 1);
        }
        match self.random.below(12) {
            0 | 1 => {
                let inner = [Type::Bool, ty, ty].map(|ty| self.expr(ty, module, depth - 1));
                Expr::of("(@ ? @ : @)", inner)
            }
            2 => Expr::of("sensitive(@)", [self.expr(ty, module, depth - 1)]),
            3 if !self.provided || self.random.one_in(4) => {
                Expr::of("(@ ? @ : null)", [Type::Bool, ty].map(|ty| self.expr(ty, module, depth - 1)))
            }
            _ => {
                let (template, types) = *self.random.pick(ty.templates());
                let inner: Vec<Expr> = types.iter().map(|ty| self.expr(*ty, module, depth - 1)).collect();
                Expr::of(template, inner)
            }
        }
    }

    fn ty(&mut self) -> Type {
        *self.random.pick(&TYPES)
    }

    /// Writes a module and those that it calls.
    fn module(&mut self, path: &str, depth: usize) -> Module {
        let mut module = Module::default();
        for at in 0..self.random.below(4) {
            self.variable(&mut module, &format!("v{at}"));
        }
        if self.provided {
            self.settings(&mut module, depth);
        }
        let parts = 2 + self.random.below(5);
        for at in 0..parts {
            if self.provided && !self.random.one_in(3) {
                self.provided_part(&mut module, &format!("r{at}"));
                continue;
            }
            match self.random.below(8) {
                0 | 1 => self.local(&mut module, &format!("l{at}")),
                4 if depth == 0 && self.random.one_in(3) => self.data(&mut module, &format!("d{at}")),
                2 | 3 if depth < 2 => self.call(&mut module, &format!("m{at}"), path, depth),
                _ => self.resource(&mut module, &format!("r{at}")),
            }
        }
        for at in 0..1 + self.random.below(3) {
            self.output(&mut module, &format!("o{at}"), depth > 0);
        }
        if self.random.one_in(6) {
            let condition = self.condition(&module);
            let name = "assert";
            let assert = Block::new(name, &[], condition);
            module.blocks.push(Block::new("check", &["c"], vec![Item::Block(assert)]));
        }
        let json = self.random.one_in(6);
        self.files.push(File { path: path.to_owned(), json, blocks: module.blocks.clone() });
        if self.random.one_in(8)
            && let Some(resource) = module.resources.first()
        {
            let (ty, name) = resource.rsplit_once('.').expect("an address");
            let argument = if ty == "terraform_data" { "input" } else { "name" };
            let input = Item::Argument(argument, self.expr(Type::String, &module, 1));
            let blocks = vec![Block::new("resource", &[ty, name], vec![input])];
            let path = path.replace("main.tf", "x_override.tf");
            let json = self.provided && self.random.one_in(2);
            self.files.push(File { path, json, blocks });
        }
        if self.random.one_in(10)
            && let Some((name, ty)) = module.variables.first().cloned()
        {
            let default = (*self.random.pick(ty.literals())).to_owned();
            let blocks =
                vec![Block::new("variable", &[name.as_str()], vec![Item::Static("default", default)])];
            let path = path.replace("main.tf", "y_override.tf");
            let json = self.provided && self.random.one_in(2);
            self.files.push(File { path, json, blocks });
        }
        module
    }

    /// A data source: that of another state, which is beside each configuration.
    fn data(&mut self, module: &mut Module, name: &str) {
        let mut items = Vec::new();
        let repetition = self.repetition(module, &mut items);
        items.push(Item::Static("backend", "\"local\"".to_owned()));
        items.push(Item::Argument("config", Expr::text("{ path = \"other.tfstate\" }")));
        module.blocks.push(Block::new("data", &["terraform_remote_state", name], items));
        let address = format!("data.terraform_remote_state.{name}");
        self.add_references(module, &address, repetition, ("outputs.x", Type::Number));
        self.add_references(module, &address, repetition, ("outputs.s", Type::String));
    }

    fn variable(&mut self, module: &mut Module, name: &str) {
        let ty = self.ty();
        let mut items = Vec::new();
        if !self.random.one_in(4) {
            items.push(Item::Static("type", ty.constraint().to_owned()));
        }
        let default = match self.random.below(8) {
            0 => "null".to_owned(),
            _ => (*self.random.pick(ty.literals())).to_owned(),
        };
        items.push(Item::Static("default", default));
        if self.random.one_in(6) {
            items.push(Item::Static("sensitive", "true".to_owned()));
        }
        if self.random.one_in(8) {
            items.push(Item::Static("nullable", "false".to_owned()));
        }
        if self.random.one_in(16) {
            items.push(Item::Static("ephemeral", "true".to_owned()));
        }
        if self.random.one_in(16) {
            items.push(Item::Static("deprecated", "\"Use another.\"".to_owned()));
        }
        let is_plain = |item: &Item| !matches!(item, Item::Static("sensitive" | "ephemeral", _));
        if self.provided && items.iter().all(is_plain) && self.random.one_in(10) {
            items.push(Item::Static("const", "true".to_owned()));
        }
        if self.random.one_in(6) {
            let condition =
                Expr::of("var.? != null || @".replace('?', name).as_str(), [self.literal(Type::Bool)]);
            let validation = vec![
                Item::Argument("condition", condition),
                Item::Static("error_message", "\"It is wrong.\"".to_owned()),
            ];
            items.push(Item::Block(Block::new("validation", &[], validation)));
        }
        let is_ephemeral = items.iter().any(|item| matches!(item, Item::Static("ephemeral", _)));
        module.blocks.push(Block::new("variable", &[name], items));
        let named = if self.provided && is_ephemeral { &mut module.ephemeral } else { &mut module.named };
        named.push(Named { text: format!("var.{name}"), ty });
        module.variables.push((name.to_owned(), ty));
    }

    fn local(&mut self, module: &mut Module, name: &str) {
        let ty = self.ty();
        let value = self.expr(ty, module, 3);
        // The names of arguments are static, and the number of names is small.
        let name: &'static str = name.to_owned().leak();
        module.blocks.push(Block::new("locals", &[], vec![Item::Argument(name, value)]));
        module.named.push(Named { text: format!("local.{name}"), ty });
    }

    /// `count` or `for_each`, perhaps.
    pub(super) fn repetition(&mut self, module: &Module, items: &mut Vec<Item>) -> Option<&'static str> {
        match self.random.below(6) {
            0 => {
                let count = match self.random.below(3) {
                    0 => self.expr(Type::Number, module, 2),
                    _ => Expr::text((*self.random.pick(&["0", "1", "2", "3"])).to_owned()),
                };
                items.push(Item::Argument("count", count));
                Some("count")
            }
            1 => {
                let each = match self.random.below(3) {
                    0 => self.expr(Type::Map, module, 2),
                    1 => Expr::of("toset(@)", [self.expr(Type::List, module, 1)]),
                    _ => Expr::text("{ a = 1, b = 2 }"),
                };
                items.push(Item::Argument("for_each", each));
                Some("for_each")
            }
            _ => None,
        }
    }

    /// What can be referred to of something that has a value of a type and perhaps many instances.
    pub(super) fn add_references(
        &mut self,
        module: &mut Module,
        address: &str,
        repetition: Option<&str>,
        (what, ty): (&str, Type),
    ) {
        for (text, all) in instances(address, repetition) {
            let text = text.replace('?', what);
            match (all, ty) {
                (false, ty) => module.named.push(Named { text, ty }),
                (true, Type::String) => module.named.push(Named { text, ty: Type::List }),
                (true, _) => module.named.push(Named { text: format!("length({text})"), ty: Type::Number }),
            }
        }
    }

    fn resource(&mut self, module: &mut Module, name: &str) {
        let ty = self.ty();
        let mut items = Vec::new();
        let repetition = self.repetition(module, &mut items);
        let input = match (repetition, self.random.below(3)) {
            (Some("count"), 0) => Expr::text("count.index"),
            (Some("for_each"), 0) => Expr::text("each.value"),
            (Some("for_each"), 1) => Expr::text("each.key"),
            _ => self.expr(ty, module, 3),
        };
        items.push(Item::Argument("input", input));
        if self.random.one_in(4) {
            let ty = self.ty();
            items.push(Item::Argument("triggers_replace", self.expr(ty, module, 2)));
        }
        if self.random.one_in(6) && !module.resources.is_empty() {
            let all = if module.calls.is_empty() { &module.resources } else { &module.calls };
            items.push(Item::Static("depends_on", format!("[{}]", self.random.pick(all))));
        }
        if self.random.one_in(4) {
            let mut lifecycle = Vec::new();
            match self.random.below(6) {
                0 => lifecycle.push(Item::Static("create_before_destroy", "true".to_owned())),
                1 => lifecycle.push(Item::Static("prevent_destroy", "true".to_owned())),
                2 => lifecycle.push(Item::Static("ignore_changes", "[input]".to_owned())),
                3 if !module.resources.is_empty() => {
                    let trigger = self.random.pick(&module.resources).clone();
                    lifecycle.push(Item::Static("replace_triggered_by", format!("[{trigger}]")));
                }
                4 => lifecycle.push(Item::Block(Block::new("precondition", &[], self.condition(module)))),
                _ => {
                    let condition = Expr::of("self.input != null || @", [self.expr(Type::Bool, module, 1)]);
                    let items = vec![
                        Item::Argument("condition", condition),
                        Item::Static("error_message", "\"It is wrong.\"".to_owned()),
                    ];
                    lifecycle.push(Item::Block(Block::new("postcondition", &[], items)));
                }
            }
            items.push(Item::Block(Block::new("lifecycle", &[], lifecycle)));
        }
        module.blocks.push(Block::new("resource", &["terraform_data", name], items));
        let address = format!("terraform_data.{name}");
        self.add_references(module, &address, repetition, ("output", ty));
        self.add_references(module, &address, repetition, ("id", Type::String));
        self.add_references(module, &address, repetition, ("input", ty));
        module.resources.push(address);
    }

    pub(super) fn condition(&mut self, module: &Module) -> Vec<Item> {
        let condition = match self.expr(Type::Bool, module, 2) {
            condition if self.provided && !self.random.one_in(6) => Expr::of("(@ || true)", [condition]),
            condition => condition,
        };
        let always = module.named.first().map_or("path.module", |named| named.text.as_str());
        vec![
            Item::Argument("condition", Expr::of("@ || @ == null", [condition, Expr::text(always)])),
            Item::Static("error_message", "\"It is wrong.\"".to_owned()),
        ]
    }

    fn call(&mut self, module: &mut Module, name: &str, path: &str, depth: usize) {
        let folder = path.trim_end_matches("main.tf");
        let child = self.module(&format!("{folder}{name}/main.tf"), depth + 1);
        let mut items = vec![Item::Static("source", format!("\"./{name}\""))];
        let repetition = self.repetition(module, &mut items);
        for (variable, ty) in &child.variables {
            if self.random.one_in(3) {
                continue;
            }
            let variable: &'static str = variable.clone().leak();
            let value = match (repetition, self.random.below(4)) {
                (Some("count"), 0) => Expr::text("count.index"),
                (Some("for_each"), 0) => Expr::text("each.key"),
                _ => self.expr(*ty, module, 2),
            };
            items.push(Item::Argument(variable, value));
        }
        if self.random.one_in(8) && !module.resources.is_empty() {
            items.push(Item::Static("depends_on", format!("[{}]", self.random.pick(&module.resources))));
        }
        module.blocks.push(Block::new("module", &[name], items));
        let address = format!("module.{name}");
        for (output, ty) in &child.outputs {
            self.add_references(module, &address, repetition, (output, *ty));
        }
        module.calls.push(address);
    }

    fn output(&mut self, module: &mut Module, name: &str, inner: bool) {
        let ty = self.ty();
        let mut items = vec![Item::Argument("value", self.expr(ty, module, 3))];
        if self.random.one_in(8) {
            items.push(Item::Static("type", ty.constraint().to_owned()));
        }
        // Outputs of the root that hold something sensitive have to say so.
        if self.random.below(5) < if inner { 1 } else { 3 + usize::from(self.provided) } {
            items.push(Item::Static("sensitive", "true".to_owned()));
        }
        if self.random.one_in(8) {
            items.push(Item::Block(Block::new("precondition", &[], self.condition(module))));
        }
        if self.provided && inner && self.random.one_in(8) {
            items.push(Item::Static("ephemeral", "true".to_owned()));
        }
        module.blocks.push(Block::new("output", &[name], items));
        module.outputs.push((name.to_owned(), ty));
    }

    fn arguments(&mut self, root: &Module, step: &mut Step) {
        if self.random.one_in(6)
            && let Some((name, ty)) = root.variables.first()
        {
            let value = self.random.pick(ty.literals()).trim_matches('"');
            step.arguments.push(format!("-var={name}={value}"));
        }
        let addresses: Vec<&String> = root.resources.iter().chain(&root.calls).collect();
        if self.random.one_in(8) && !addresses.is_empty() {
            step.arguments.push(format!("-target={}", self.random.pick(&addresses)));
        }
        if self.random.one_in(12)
            && let Some(resource) = root.resources.last()
        {
            let key = *self.random.pick(&["[0]", "[1]", "[\"a\"]", ""]);
            step.arguments.push(format!("-target={resource}{key}"));
        }
        if self.random.one_in(12)
            && let Some(call) = root.calls.last()
        {
            let key = *self.random.pick(&["[0]", "[\"a\"]", ""]);
            step.arguments.push(format!("-target={call}{key}"));
        }
        if self.random.one_in(10)
            && let Some(resource) = root.resources.first()
        {
            step.arguments.push(format!("-replace={resource}"));
        }
    }

    /// The next step: the same configuration with a few changes.
    fn change(&mut self, root: &Module, last: Step) -> Step {
        let heading = match self.random.below(8) {
            0 => "then destroy",
            1 => "then refresh",
            _ => "then",
        };
        let mut step = Step { heading, arguments: Vec::new(), ..last };
        self.arguments(root, &mut step);
        if heading != "then" && self.random.one_in(2) {
            return step;
        }
        for _ in 0..1 + self.random.below(2) {
            if self.between_modules && self.random.one_in(5) {
                self.import_into_module(&mut step);
            } else if self.provided && !self.random.one_in(3) {
                self.edit_provided(root, &mut step);
            } else {
                self.edit(root, &mut step);
            }
        }
        step
    }

    fn edit(&mut self, root: &Module, step: &mut Step) {
        let Some(mut resource) =
            (!root.resources.is_empty()).then(|| self.random.pick(&root.resources).clone())
        else {
            return;
        };
        if self.provided && !self.random.one_in(3) {
            // What comes last is referred to least.
            resource.clone_from(&root.resources[root.resources.len() - 1]);
        }
        let name = resource.split('.').next_back().unwrap_or_default().to_owned();
        let kind = self.random.below(9);
        let new_input = self.literal(Type::String);
        let main = &mut step.files[0].blocks;
        let is_it = |block: &Block| block.kind == "resource" && block.labels.last() == Some(&name);
        let statement = |kind, items| Block::new(kind, &[], items);
        match kind {
            0 | 1 => {
                for block in main.iter_mut().filter(|block| is_it(block)) {
                    for item in &mut block.items {
                        if let Item::Argument("input" | "name" | "text" | "query", input) = item {
                            *input = new_input.clone();
                        }
                    }
                }
            }
            2 => main.retain(|block| !is_it(block)),
            3 => {
                main.retain(|block| !is_it(block));
                let destroy =
                    Item::Static("destroy", if self.random.one_in(2) { "true" } else { "false" }.to_owned());
                let lifecycle = Item::Block(Block::new("lifecycle", &[], vec![destroy]));
                main.push(statement("removed", vec![Item::Static("from", resource), lifecycle]));
            }
            4 => {
                let count = Expr::text((*self.random.pick(&["0", "1", "2"])).to_owned());
                for block in main.iter_mut().filter(|block| is_it(block)) {
                    block.items.retain(|item| !matches!(item, Item::Argument("count" | "for_each", _)));
                    block.items.insert(0, Item::Argument("count", count.clone()));
                }
            }
            5 => {
                let items =
                    vec![Item::Static("to", resource.clone()), Item::Static("id", "\"imported\"".to_owned())];
                main.push(statement("import", items));
            }
            6 => {
                let key = *self.random.pick(&["[0]", "[\"a\"]"]);
                let items = vec![
                    Item::Static("from", resource.clone()),
                    Item::Static("to", format!("{resource}{key}")),
                ];
                main.push(statement("moved", items));
            }
            7 => {
                main.retain(|block| !is_it(block));
                let provisioner = vec![
                    Item::Static("when", "destroy".to_owned()),
                    Item::Argument("command", Expr::text("\"test -n ${self.id}\"")),
                ];
                let provisioner = Item::Block(Block::new("provisioner", &["local-exec"], provisioner));
                main.push(statement("removed", vec![Item::Static("from", resource), provisioner]));
            }
            _ => {
                let to = format!("{name}x");
                for block in main.iter_mut().filter(|block| is_it(block)) {
                    *block.labels.last_mut().expect("a name") = to.clone();
                }
                let ty = resource.rsplit_once('.').map_or("", |(ty, _)| ty);
                let to = format!("{ty}.{to}");
                for block in main.iter_mut() {
                    block.rename(&resource, &to);
                }
                let items = vec![Item::Static("from", resource), Item::Static("to", to)];
                main.push(statement("moved", items));
            }
        }
    }
}

/// How an instance and all instances are named, with `?` for what is asked of them.
pub(super) fn instances(address: &str, repetition: Option<&str>) -> Vec<(String, bool)> {
    match repetition {
        None => vec![(format!("{address}.?"), false)],
        Some("count") => vec![
            (format!("{address}[*].?"), true),
            (format!("try({address}[0].?, null)"), false),
            (format!("one({address}[*].?)"), false),
        ],
        Some(_) => vec![
            (format!("[for it in {address} : it.?]"), true),
            (format!("values({address})[*].?"), true),
            (format!("try({address}[\"a\"].?, null)"), false),
        ],
    }
}
