//! The pages, each of what a registry shows about one thing.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use ferroform::schema::{FunctionSignature, Schema};
use ferroform_testing::client::Schemas;

use super::{Pages, example, reference};
use crate::failure::{Failure, Outcome};
use crate::provider::Provider;

/// The kinds of pages about a type.
struct Kind {
    /// Its folder, in the documentation as in examples and templates.
    folder: &'static str,
    /// What a title calls it.
    title: &'static str,
    /// The file of its example.
    example: &'static str,
}

/// All pages of a provider.
///
/// # Errors
/// A template cannot be read or has a placeholder that there is not.
pub(super) fn all(provider: &Provider, schemas: &Schemas) -> Outcome<Pages> {
    let mut pages = Pages::new();
    let writer = Writer { provider };
    pages.insert("index.md".into(), writer.index(&schemas.provider)?);
    for (folder, title, example, types) in [
        ("resources", "Resource", "resource.tf", &schemas.resources),
        ("data-sources", "Data Source", "data-source.tf", &schemas.data_sources),
        ("ephemeral-resources", "Ephemeral Resource", "ephemeral-resource.tf", &schemas.ephemeral_resources),
        ("list-resources", "List Resource", "list-resource.tfquery.hcl", &schemas.list_resources),
        ("actions", "Action", "action.tf", &schemas.actions),
    ] {
        let kind = Kind { folder, title, example };
        for (name, schema) in types {
            let path = Path::new(kind.folder).join(format!("{}.md", writer.short(name)));
            pages.insert(path, writer.of_type(&kind, name, schema)?);
        }
    }
    for (name, signature) in &schemas.functions {
        let path = Path::new("functions").join(format!("{name}.md"));
        pages.insert(path, writer.of_function(name, signature)?);
    }
    writer.guides(&mut pages)?;
    Ok(pages)
}

struct Writer<'a> {
    provider: &'a Provider,
}

impl Writer<'_> {
    /// The name of a type without that of the provider, which is the name of its page.
    fn short<'n>(&self, name: &'n str) -> &'n str {
        name.strip_prefix(&self.provider.name).and_then(|rest| rest.strip_prefix('_')).unwrap_or(name)
    }

    /// Under which heading registries list a page; none unless the manifest says one.
    fn subcategory(&self, name: &str) -> &str {
        self.provider.metadata["subcategories"][name].as_str().unwrap_or_default()
    }

    fn index(&self, schema: &Schema) -> Outcome<String> {
        let name = &self.provider.name;
        let parts = Parts {
            head: head(&format!("{name} Provider"), None, &schema.block.description),
            title: format!("{name} Provider"),
            description: schema.block.description.to_string(),
            example: self.code("provider/provider.tf", "terraform")?,
            schema: reference::of_block(&schema.block),
            import: String::new(),
        };
        self.rendered("index.md", &parts)
    }

    fn of_type(&self, kind: &Kind, name: &str, schema: &Schema) -> Outcome<String> {
        let title = format!("{name} ({})", kind.title);
        let parts = Parts {
            head: head(
                &format!("{name} {} - {}", kind.title, self.provider.name),
                Some(self.subcategory(name)),
                &schema.block.description,
            ),
            title,
            description: described(&schema.block.description, schema.block.deprecation.as_deref()),
            example: self.code(&format!("{}/{name}/{}", kind.folder, kind.example), "terraform")?,
            schema: reference::of_block(&schema.block),
            import: if kind.folder == "resources" { self.import(name)? } else { String::new() },
        };
        self.rendered(&format!("{}/{}.md", kind.folder, self.short(name)), &parts)
    }

    fn of_function(&self, name: &str, signature: &FunctionSignature) -> Outcome<String> {
        let summary = if signature.summary.is_empty() { &signature.description } else { &signature.summary };
        let parts = Parts {
            head: head(
                &format!("{name} Function - {}", self.provider.name),
                Some(self.subcategory(name)),
                summary,
            ),
            title: format!("{name} (Function)"),
            description: described(&signature.description, signature.deprecation.as_deref()),
            example: self.code(&format!("functions/{name}/function.tf"), "terraform")?,
            schema: reference::of_function(name, signature),
            import: String::new(),
        };
        self.rendered(&format!("functions/{name}.md"), &parts)
    }

    /// How objects are imported: by the command, by an `import` block, and by identity, where there is an example.
    fn import(&self, name: &str) -> Outcome<String> {
        let mut text = String::new();
        for (file, language, sentence) in [
            (
                "import-by-string-id.tf",
                "terraform",
                "An [`import` block](https://developer.hashicorp.com/terraform/language/import) takes the import ID:",
            ),
            (
                "import-by-identity.tf",
                "terraform",
                "From Terraform 1.12, an `import` block also takes the identity:",
            ),
            ("import.sh", "shell", "The command takes the import ID:"),
        ] {
            let code = self.code(&format!("resources/{name}/{file}"), language)?;
            if !code.is_empty() {
                let _ = write!(text, "\n{sentence}\n\n{code}");
            }
        }
        Ok(text)
    }

    /// An example as a block of code; empty without one.
    fn code(&self, file: &str, language: &str) -> Outcome<String> {
        let path = self.provider.folder.join("examples").join(file);
        match fs::read_to_string(&path) {
            Ok(text) => {
                let shown =
                    text.strip_prefix(example::ONLY_VALIDATED).unwrap_or(&text).trim_start_matches('\n');
                Ok(format!("```{language}\n{}\n```\n", shown.trim_end()))
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
            Err(error) => Err(Failure::io("read", &path, &error)),
        }
    }

    /// The page by its template, or the default one.
    fn rendered(&self, page: &str, parts: &Parts) -> Outcome<String> {
        let path = self.provider.folder.join("templates").join(page);
        match fs::read_to_string(&path) {
            Ok(template) => parts.fill(&template).map_err(|unknown| {
                Failure::new(format!(
                    "{}: there is no placeholder {{{{{unknown}}}}}; there are description, example, schema and import",
                    path.display()
                ))
            }),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(parts.page()),
            Err(error) => Err(Failure::io("read", &path, &error)),
        }
    }

    /// Guides are pages as they stand.
    fn guides(&self, pages: &mut Pages) -> Outcome {
        let folder = self.provider.folder.join("templates/guides");
        let Ok(files) = fs::read_dir(&folder) else { return Ok(()) };
        for path in files.flatten().map(|entry| entry.path()) {
            if path.extension().is_none_or(|extension| extension != "md") {
                continue;
            }
            let text = fs::read_to_string(&path).map_err(|error| Failure::io("read", &path, &error))?;
            let name = path.file_name().map(PathBuf::from).unwrap_or_default();
            pages.insert(Path::new("guides").join(name), text);
        }
        Ok(())
    }
}

/// What a page is made of.
struct Parts {
    head: String,
    title: String,
    description: String,
    example: String,
    schema: String,
    import: String,
}

impl Parts {
    /// The page without a template.
    fn page(&self) -> String {
        let mut page = format!("{}\n# {}\n", self.head, self.title);
        for (title, text) in [("", &self.description), ("Example Usage", &self.example)] {
            section(&mut page, title, text);
        }
        section(&mut page, "", &self.schema);
        section(&mut page, "Import", &self.import);
        page
    }

    /// The template with the parts in their places.
    ///
    /// # Errors
    /// The name of a placeholder that there is not.
    fn fill(&self, template: &str) -> Result<String, String> {
        let mut page = if template.starts_with("---\n") { String::new() } else { format!("{}\n", self.head) };
        let mut rest = template;
        while let Some((before, after)) = rest.split_once("{{") {
            let Some((name, after)) = after.split_once("}}") else { break };
            page.push_str(before);
            page.push_str(match name.trim() {
                "description" => &self.description,
                "example" => &self.example,
                "schema" => &self.schema,
                "import" => &self.import,
                other => return Err(other.to_owned()),
            });
            rest = after;
        }
        page.push_str(rest);
        Ok(page)
    }
}

fn section(page: &mut String, title: &str, text: &str) {
    let text = text.trim();
    if text.is_empty() {
        return;
    }
    if !title.is_empty() {
        let _ = write!(page, "\n## {title}\n");
    }
    let _ = write!(page, "\n{text}\n");
}

/// What registries read about a page.
fn head(title: &str, subcategory: Option<&str>, description: &str) -> String {
    let mut head = format!("---\npage_title: {}\n", serde_json::json!(title));
    if let Some(subcategory) = subcategory {
        let _ = writeln!(head, "subcategory: {}", serde_json::json!(subcategory));
    }
    head.push_str("description: |-\n");
    let first = description.split("\n\n").next().unwrap_or_default();
    for line in first.lines() {
        let _ = writeln!(head, "  {line}");
    }
    if first.is_empty() {
        head.push_str("  \n");
    }
    head.push_str("---\n");
    head
}

fn described(description: &str, deprecation: Option<&str>) -> String {
    match deprecation {
        Some(advice) if !advice.is_empty() => format!("~> **Deprecated:** {advice}\n\n{description}"),
        _ => description.to_owned(),
    }
}
