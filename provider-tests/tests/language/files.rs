//! Files and templates, secrets that are not kept, and texts whose lines are taken apart.

use std::path::Path;
use std::sync::LazyLock;

use tempfile::TempDir;

/// The files by name.
pub(crate) const FILES: &[(&str, &[u8])] = &[
    ("files/a.txt", b"hello\n"),
    ("files/b.tmpl", b"Hello ${name}%{ if n > 1 } and ${n - 1} more%{ endif }!\n"),
    ("files/bad.bin", b"a\xff\xfe"),
    ("files/mark.tmpl", b"\xef\xbb\xbfHello ${name}!"),
    ("files/bad.tmpl", b"${"),
    ("files/one.tmpl", b"${value}"),
    ("files/self.tmpl", b"${templatefile(\"files/self.tmpl\", {})}"),
    ("files/text.tmpl", b"${templatestring(name, {})}"),
    ("files/read.tmpl", b"${file(\"files/a.txt\")}${upper(\"x\")}"),
    ("files/sub/c.txt", b"c"),
    ("files/sub/deep/d.md", b"d"),
    ("files/.hidden", b"h"),
];

/// The files in a folder of this process.
pub(crate) fn folder() -> &'static Path {
    static FOLDER: LazyLock<TempDir> = LazyLock::new(|| {
        let folder = tempfile::tempdir().expect("a folder");
        write(folder.path());
        folder
    });
    FOLDER.path()
}

/// Puts the files into a folder.
pub(crate) fn write(folder: &Path) {
    for (name, content) in FILES {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, content).expect("written");
    }
}

/// Functions of one path.
const READERS: &[&str] = &[
    "file",
    "filebase64",
    "filebase64sha256",
    "filebase64sha512",
    "fileexists",
    "filemd5",
    "filesha1",
    "filesha256",
    "filesha512",
];

/// What they are asked for.
const PATHS: &[&str] = &[
    "\"files/a.txt\"",
    "\"./files/sub/../a.txt\"",
    "\"files/none\"",
    "\"files/bad.bin\"",
    "\"files\"",
    "\"\"",
    "null",
    "local.us",
    "[]",
];

const PATTERNS: &[&str] =
    &["*", "**", "**/*.txt", "*.{txt,tmpl}", "[ab].t*", "?.txt", "sub/*", "*/deep/*", "none", "[", "{a,b"];

const PHRASES: &[&str] = &[
    "fileset(\"none\", \"*\")",
    "fileset(\"files/../files\", \"*.txt\")",
    "fileset(null, \"*\")",
    "fileset(\"files\", local.us)",
    "templatefile(\"files/b.tmpl\", { name = \"x\", n = 1 })",
    "templatefile(\"files/b.tmpl\", { name = \"x\", n = 3 })",
    "templatefile(\"files/b.tmpl\", { name = \"x\" })",
    "templatefile(\"files/b.tmpl\", { name = local.us, n = 3 })",
    "templatefile(\"files/b.tmpl\", tomap({ name = \"x\", n = \"2\" }))",
    "templatefile(\"files/b.tmpl\", { name = null, n = 3 })",
    "templatefile(\"files/b.tmpl\", { name = \"x\", n = 3, 7 = 1 })",
    "templatefile(\"files/b.tmpl\", \"x\")",
    "templatefile(\"files/b.tmpl\", null)",
    "templatefile(\"files/b.tmpl\", local.um)",
    "templatefile(\"files/none\", {})",
    "templatefile(local.us, {})",
    "templatefile(\"files/bad.bin\", {})",
    "templatefile(\"files/bad.tmpl\", {})",
    "templatefile(\"files/one.tmpl\", { value = [1, \"a\"] })",
    "templatefile(\"files/one.tmpl\", { value = null })",
    "templatefile(\"files/one.tmpl\", { value = 1 })",
    "templatefile(\"files/self.tmpl\", {})",
    "templatefile(\"files/text.tmpl\", { name = \"x\" })",
    "templatefile(\"files/read.tmpl\", {})",
    "base64encode(templatefile(\"files/mark.tmpl\", { name = \"x\" }))",
    "base64encode(file(\"files/mark.tmpl\"))",
    "issensitive(templatefile(\"files/one.tmpl\", { value = sensitive(1) }))",
    "issensitive(templatefile(sensitive(\"files/a.txt\"), {}))",
    "issensitive(file(sensitive(\"files/a.txt\")))",
    "ephemeralasnull(var.e)",
    "ephemeralasnull(\"${var.e}-x\")",
    "ephemeralasnull({ a = var.e, b = [1, var.e] })",
    "ephemeralasnull(\"a\")",
    "ephemeralasnull(null)",
    "ephemeralasnull(local.us)",
    "ephemeralasnull([1, local.us])",
    "issensitive(ephemeralasnull(sensitive(\"a\")))",
    "<<-EOT\n    a\n%{ if true }\n    b\n%{ endif }\n  EOT",
    "<<-EOT\n    a\n   \n    b\n  EOT",
    "<<-EOT\n    a\n    %{~ if true ~}\n    b\n    %{~ endif ~}\n    c\n  EOT",
    "<<-EOT\n    %{ if true }x\n      y\n    z%{ endif }\n    c\n  EOT",
    "<<-EOT\n    ${1}\n  %{ for x in [1, 2] }\n    ${x} a\n      b\n  %{ endfor }\n  EOT",
    "<<-EOT\n${1}\n    a\n  EOT",
    "<<-EOT\n    a\n  %{ if true ~}\n    b\n  %{ else ~}\n    c\n  %{ endif ~}\n    d\n  EOT",
    "<<-EOT\n  EOT",
    "<<-EOT\n\n  EOT",
    "<<-EOT\n  $${a}\n    %%{ b }\n  EOT",
    "[pow(3, 50), pow(2, -3), pow(1.1, 7.3), pow(7, 0.5), pow(9.5, -2.7), pow(-2, 65), pow(-2, 3), pow(2, 1000)]",
    "[pow(0, -1)]",
    "pow(-8, 1 / 3)",
    "[log(7, 3), log(10, 10), log(1000, 10)]",
    "format(\"%#o %#b %#X %#08x %-#8x| %+#d\", 8, 5, 255, 255, 255, 1)",
    "cidrsubnet(\"fd00::/16\", 16, -1)",
    "cidrsubnet(\"10.0.0.0/8\", -9, 0)",
    "cidrsubnet(\"10.0.0.0/8\", 25, 0)",
    "cidrsubnet(\"10.0.0.0/8\", 2, 4)",
    "cidrsubnet(\"10.0.0.0/8\", 2, -4)",
    "cidrsubnet(\"fd00::/16\", 112, 18446744073709551615)",
    "yamldecode(\"[on, N, 012, 0o17, 0b11, +12, .5, 5., 1_000, 1:30, 0X1F, nULL]\")",
    "yamldecode(\"[2020-1-2, 2020-01-01 12:00:00, 2020-01-01t00:00:00.5Z, 2020-13-01]\")",
    "yamldecode(\"[!!int '3', !!float 3, !!bool yes, !!binary aGk=, !!str yes]\")",
    "yamldecode(\"!!int x\")",
    "yamldecode(\"!foo 1\")",
    "yamldecode(\"a: 1\\n<<: {a: 2}\")",
    "yamldecode(\"<<: [{a: 1}]\")",
    "yamldecode(\"~: 1\")",
    "yamldecode(\"&a [*a]\")",
    "sort([local.us, null])",
    "length(local.ub ? tolist([1]) : tolist([3, 4])) <= 0",
    "length(local.ub ? tolist([1]) : tolist([3, 4])) >= 1",
    "{ a = null } == { a = 1 }",
    "[local.ud] == [1]",
    "[local.ud] == { a = 1 }",
    "true ? [local.ud] : [1]",
    "false ? toset([1]) : [\"2\"]",
    "true ? toset([true]) : [1]",
    "toset([local.ud, \"a\"])",
    "tomap({ a = local.ud, b = 1 })",
    "[for s in [local.ub ? \"a\" : \"b\"] : s]",
];

pub(crate) fn all() -> impl Iterator<Item = String> {
    let calls = READERS.iter().flat_map(|name| PATHS.iter().map(move |path| format!("{name}({path})")));
    let sets = PATTERNS.iter().map(|pattern| format!("fileset(\"files\", \"{pattern}\")"));
    calls.chain(sets).chain(PHRASES.iter().map(|phrase| (*phrase).to_owned()))
}
