//! Hashes and identifiers.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ferroform::ty::Type;
use md5::Md5;
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha512};

use super::{Call, Entry, Failure, Stage, needs_core};
use crate::language::Marked;

pub(super) const TABLE: &[Entry] = &[
    ("md5(str: string) -> string", |call| Ok(Marked::string(hex(&Md5::digest(call.text(0)))))),
    ("sha1(str: string) -> string", |call| Ok(Marked::string(hex(&Sha1::digest(call.text(0)))))),
    ("sha256(str: string) -> string", |call| Ok(Marked::string(hex(&Sha256::digest(call.text(0)))))),
    ("sha512(str: string) -> string", |call| Ok(Marked::string(hex(&Sha512::digest(call.text(0)))))),
    ("base64sha256(str: string) -> string", |call| {
        Ok(Marked::string(STANDARD.encode(Sha256::digest(call.text(0)))))
    }),
    ("base64sha512(str: string) -> string", |call| {
        Ok(Marked::string(STANDARD.encode(Sha512::digest(call.text(0)))))
    }),
    ("uuidv5(namespace: string, name: string) -> string", uuid_of_name),
    ("uuid() -> string", |call| random(call, |_| uuid())),
    ("bcrypt(str: string, cost: number...) -> string", |call| {
        if call.arguments.len() > 2 {
            return Err(Failure::call("bcrypt() takes no more than two arguments"));
        }
        random(call, |_| Err(needs_core("hashing with bcrypt")))
    }),
    ("rsadecrypt(ciphertext: string, privatekey: string) -> string", |_| Err(needs_core("RSA decryption"))),
];

/// Bytes as digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Something that is different each time, so that it is unknown before apply.
fn random(call: &Call<'_>, make: fn(&Call<'_>) -> Result<String, Failure>) -> Result<Marked, Failure> {
    match call.scope.stage() {
        Stage::Plan => Ok(Marked::unknown_not_null(Type::String)),
        Stage::Apply => make(call).map(Marked::string),
    }
}

fn uuid() -> Result<String, Failure> {
    use ring::rand::{SecureRandom as _, SystemRandom};
    let mut bytes = [0; 16];
    SystemRandom::new().fill(&mut bytes).map_err(|_| Failure::call("the system gave no random bytes"))?;
    Ok(with_version(bytes, 4))
}

/// The text of an identifier with version and variant put in (RFC 9562).
fn with_version(bytes: [u8; 16], version: u128) -> String {
    let bits = u128::from_be_bytes(bytes);
    let bits = (bits & !(0xf << 76)) | (version << 76);
    let bits = (bits & !(0x3 << 62)) | (0x2 << 62);
    let text = format!("{bits:032x}");
    let part = |from: usize, to: usize| text.get(from..to).unwrap_or_default();
    format!("{}-{}-{}-{}-{}", part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32))
}

fn uuid_of_name(call: &Call<'_>) -> Result<Marked, Failure> {
    let namespace = match call.text(0) {
        "dns" => 0x6ba7_b810_9dad_11d1_80b4_00c0_4fd4_30c8,
        "url" => 0x6ba7_b811_9dad_11d1_80b4_00c0_4fd4_30c8,
        "oid" => 0x6ba7_b812_9dad_11d1_80b4_00c0_4fd4_30c8,
        "x500" => 0x6ba7_b814_9dad_11d1_80b4_00c0_4fd4_30c8,
        text => parse_uuid(text)
            .ok_or_else(|| Failure::call("the namespace must be a UUID or one of dns, url, oid and x500"))?,
    };
    let hash = Sha1::new().chain_update(namespace.to_be_bytes()).chain_update(call.text(1)).finalize();
    let mut bytes = [0; 16];
    bytes.iter_mut().zip(hash).for_each(|(byte, hash)| *byte = hash);
    Ok(Marked::string(with_version(bytes, 5)))
}

/// Core looks at how long a text is, and not at the braces that may be around it.
fn parse_uuid(text: &str) -> Option<u128> {
    let dashed = match text.len() {
        32 => return parse_hex(text),
        36 => text,
        38 => text.get(1..37)?,
        45 if text.get(..9)?.eq_ignore_ascii_case("urn:uuid:") => text.get(9..)?,
        _ => return None,
    };
    let groups: Vec<&str> = dashed.split('-').collect();
    let is_right = groups.iter().map(|group| group.len()).eq([8, 4, 4, 4, 12]);
    if is_right { parse_hex(&groups.concat()) } else { None }
}

fn parse_hex(digits: &str) -> Option<u128> {
    let are_digits = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    if are_digits { u128::from_str_radix(digits, 16).ok() } else { None }
}
