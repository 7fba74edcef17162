//! `cargo ferroform package`: a release as registries want it.

use std::fmt::Write as _;
use std::fs;
use std::io::{Cursor, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;
use ferroform::Protocol;
use sha2::{Digest as _, Sha256};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::failure::{Failure, Outcome};
use crate::files::Folders;
use crate::provider::{Location, Provider};
use crate::target::Target;

/// Build a release: an archive for each target, the manifest, the checksums and their signature.
///
/// The files have the names that the registries of Terraform and OpenTofu demand. The same program gives the same bytes,
/// whenever it is packed. Nothing is written before everything is built and signed.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    location: Location,
    /// A target triple, such as x86_64-unknown-linux-musl; may be given several times [default: this machine].
    #[arg(long = "target", value_name = "TRIPLE")]
    targets: Vec<String>,
    /// The folder to write to.
    #[arg(long, value_name = "DIR", default_value = "dist")]
    out: PathBuf,
    /// Sign the checksums with GnuPG, with this key or with the default one.
    #[arg(long, value_name = "KEY", num_args = 0..=1, default_missing_value = "")]
    sign: Option<String>,
    /// The profile of cargo to build with.
    #[arg(long, value_name = "PROFILE", default_value = "release")]
    profile: String,
}

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let provider = arguments.location.find()?;
    // What needs no build first: a build takes minutes.
    let targets = arguments.targets.iter().map(|triple| Ok((Target::installed(triple)?, triple)));
    let targets = targets.collect::<Outcome<Vec<_>>>()?;
    different_platforms(&targets)?;
    if arguments.out.exists() && !arguments.out.is_dir() {
        let out = arguments.out.display();
        return Err(Failure::new(format!("{out} is not a folder; choose another folder with --out")));
    }
    if let Some(key) = &arguments.sign {
        find_key(key)?;
    }
    let mut files = Vec::new();
    let mut runs_here = None;
    if targets.is_empty() {
        let program = provider.build(&arguments.profile, None)?;
        files.push(archive(&provider, &Target::host()?, &program)?);
        runs_here = Some(program);
    }
    for (at, (target, triple)) in targets.iter().enumerate() {
        eprintln!("Building for {triple} ({} of {})", at + 1, targets.len());
        let program = provider.build(&arguments.profile, Some(triple))?;
        files.push(archive(&provider, target, &program)?);
        if Target::host().is_ok_and(|host| host == *target) {
            runs_here = Some(program);
        }
    }
    eprintln!("Asking the provider which protocols it speaks");
    files.push(manifest(&provider, &provider.protocols(runs_here)?));
    write_release(&provider, &files, &arguments.out, arguments.sign.as_deref())
}

/// Two targets of one platform, such as gnu and musl, would make archives of one name.
fn different_platforms(targets: &[(Target, &String)]) -> Outcome {
    for (at, (target, second)) in targets.iter().enumerate() {
        let mut before = targets.iter().take(at);
        if let Some((Target { os, arch }, first)) = before.find(|(first, _)| first == target) {
            return Err(Failure::new(format!(
                "the targets `{first}` and `{second}` are both the platform {os}_{arch}, for which a release has one \
                 archive; choose one of them"
            )));
        }
    }
    Ok(())
}

/// A file of a release.
pub(crate) struct File {
    pub(crate) name: String,
    pub(crate) content: Vec<u8>,
}

/// The program as registries want it: alone in an archive, with its version in its name. The same program gives the same
/// bytes.
///
/// # Errors
/// The program cannot be read.
pub(crate) fn archive(provider: &Provider, target: &Target, program: &Path) -> Outcome<File> {
    let content = fs::read(program).map_err(|error| Failure::io("read", program, &error))?;
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    // The default time of an entry is the earliest that the format knows, whatever the clock says.
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .last_modified_time(zip::DateTime::default())
        .unix_permissions(0o755);
    let name = target.program(&provider.name, &provider.version);
    let written = zip
        .start_file(name, options)
        .and_then(|()| zip.write_all(&content).map_err(Into::into))
        .and_then(|()| zip.finish());
    let written = written.map_err(|error| Failure::new(format!("cannot make the archive: {error}")))?;
    Ok(File { name: target.archive(&provider.name, &provider.version), content: written.into_inner() })
}

/// What a registry wants to know besides: the protocols that the provider speaks.
fn manifest(provider: &Provider, protocols: &[Protocol]) -> File {
    let versions: Vec<_> = protocols.iter().map(|protocol| format!("{}.0", protocol.number())).collect();
    let json = serde_json::json!({"version": 1, "metadata": {"protocol_versions": versions}});
    File {
        name: format!("terraform-provider-{}_{}_manifest.json", provider.name, provider.version),
        content: format!("{json:#}\n").into_bytes(),
    }
}

/// Writes everything to a new folder and moves it from there when it is whole, the checksums last: who finds them finds
/// the rest.
fn write_release(provider: &Provider, files: &[File], out: &Path, sign: Option<&str>) -> Outcome {
    let mut folders = Folders::default();
    folders.create(out).map_err(|error| Failure::io("create", out, &error))?;
    let made = tempfile::Builder::new().prefix(".release-").tempdir_in(out);
    let made = made.map_err(|error| Failure::io("write to", out, &error))?;
    let mut names = Vec::new();
    let mut write = |name: &str, content: &[u8]| {
        let path = made.path().join(name);
        names.push(name.to_owned());
        fs::write(&path, content).map_err(|error| Failure::io("write", &path, &error))
    };
    let mut sums = String::new();
    for file in files {
        write(&file.name, &file.content)?;
        let _ = writeln!(sums, "{}  {}", hex(&Sha256::digest(&file.content)), file.name);
    }
    let sums_name = format!("terraform-provider-{}_{}_SHA256SUMS", provider.name, provider.version);
    if let Some(key) = sign {
        let path = made.path().join(&sums_name);
        fs::write(&path, &sums).map_err(|error| Failure::io("write", &path, &error))?;
        signed(&path, key)?;
        names.push(format!("{sums_name}.sig"));
        names.push(sums_name);
    } else {
        write(&sums_name, sums.as_bytes())?;
    }
    for name in names {
        let path = out.join(&name);
        fs::rename(made.path().join(&name), &path).map_err(|error| Failure::io("write", &path, &error))?;
        println!("{}", path.display());
    }
    Ok(())
}

/// Checks that there is a key to sign with.
fn find_key(key: &str) -> Outcome {
    let mut gpg = Command::new("gpg");
    gpg.args(["--batch", "--list-secret-keys"]).args(Some(key).filter(|key| !key.is_empty()));
    let output = gpg.output().map_err(|error| no_gpg(&error))?;
    if output.status.success() && !output.stdout.is_empty() {
        return Ok(());
    }
    let which = if key.is_empty() { String::new() } else { format!(" `{key}`") };
    Err(Failure::new(format!(
        "the key ring of gpg has no secret key{which}; import one with `gpg --import`, or omit --sign"
    )))
}

/// A detached binary signature beside the file, which is what registries check.
fn signed(sums: &Path, key: &str) -> Outcome {
    let mut gpg = Command::new("gpg");
    gpg.args(["--batch", "--yes", "--detach-sign"]);
    if !key.is_empty() {
        gpg.args(["--local-user", key]);
    }
    let status = gpg.arg(sums).status().map_err(|error| no_gpg(&error))?;
    if status.success() {
        return Ok(());
    }
    Err(Failure::new(
        "gpg did not sign the checksums; check that the key may sign and that its passphrase is known to the agent, or \
         omit --sign",
    ))
}

fn no_gpg(error: &std::io::Error) -> Failure {
    Failure::new(format!(
        "cannot start gpg, which signs the checksums: {error}; install GnuPG or omit --sign"
    ))
}

/// Lower-case hexadecimal digits.
fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Read as _};
    use std::path::PathBuf;

    use ferroform_testing::address::ProviderAddress;

    use super::{Protocol, Provider, Target, archive, different_platforms, hex, manifest, write_release};

    fn provider() -> Provider {
        let address = ProviderAddress {
            host: "registry.terraform.io".to_owned(),
            namespace: "acme".to_owned(),
            type_name: "cloud".to_owned(),
        };
        Provider::for_tests("cloud", "1.2.0", address)
    }

    #[test]
    fn two_targets_of_one_platform_are_refused() {
        let triples = ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu", "x86_64-unknown-linux-musl"];
        let triples = triples.map(str::to_owned);
        let targets = triples.iter().map(|it| (Target::from_triple(it).expect("it is known"), it));
        let targets: Vec<_> = targets.collect();
        different_platforms(&targets[..2]).expect("they differ");
        let refused = different_platforms(&targets).expect_err("two are equal").to_string();
        assert!(triples.iter().step_by(2).all(|it| refused.contains(it)), "{refused}");
        assert!(refused.contains("linux_amd64"), "{refused}");
    }

    #[test]
    fn release_has_the_names_and_sums_that_registries_check() {
        let folder = tempfile::tempdir().expect("a folder");
        let program = folder.path().join("program");
        std::fs::write(&program, "a program").expect("written");
        let target = Target::from_triple("x86_64-unknown-linux-musl").expect("it is known");
        let made = || archive(&provider(), &target, &program).expect("an archive");
        let first = made();
        std::thread::sleep(std::time::Duration::from_millis(5));
        assert_eq!(first.content, made().content, "the same program gives the same bytes");

        let mut zip = zip::ZipArchive::new(Cursor::new(first.content.clone())).expect("a zip");
        let mut entry = zip.by_index(0).expect("one file");
        assert_eq!(entry.name().expect("a name"), "terraform-provider-cloud_v1.2.0");
        assert_eq!(entry.unix_mode(), Some(0o100_755));
        let mut text = String::new();
        entry.read_to_string(&mut text).expect("a text");
        assert_eq!(text, "a program");

        let out: PathBuf = folder.path().join("dist");
        std::fs::create_dir(&out).expect("a folder");
        std::fs::write(out.join("kept"), "").expect("written");
        write_release(&provider(), &[first, manifest(&provider(), &[Protocol::V6])], &out, None)
            .expect("a release");
        let mut names: Vec<String> = std::fs::read_dir(&out)
            .expect("it is there")
            .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        assert_eq!(
            names,
            [
                "kept",
                "terraform-provider-cloud_1.2.0_SHA256SUMS",
                "terraform-provider-cloud_1.2.0_linux_amd64.zip",
                "terraform-provider-cloud_1.2.0_manifest.json",
            ]
        );
        let manifest = std::fs::read_to_string(out.join(&names[3])).expect("the manifest");
        let manifest: serde_json::Value = serde_json::from_str(&manifest).expect("JSON");
        assert_eq!(manifest["metadata"]["protocol_versions"], serde_json::json!(["6.0"]));
        let sums = std::fs::read_to_string(out.join(&names[1])).expect("the sums");
        assert_eq!(sums.lines().count(), 2);
        for line in sums.lines() {
            let (sum, name) = line.split_once("  ").expect("a sum and a name");
            let content = std::fs::read(out.join(name)).expect(name);
            assert_eq!(sum, hex(&<sha2::Sha256 as sha2::Digest>::digest(content)));
        }
    }
}
