//! Names that are never given twice.

use ring::rand::{SecureRandom, SystemRandom};

/// A random UUID (version 4).
pub(super) fn uuid() -> String {
    let mut bytes = [0_u8; 16];
    if SystemRandom::new().fill(&mut bytes).is_err() {
        // The operating system has no random numbers so early after its start; a name is needed all the same.
        bytes = std::process::id().to_be_bytes().repeat(4).try_into().unwrap_or(bytes);
    }
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let mut uuid = hex;
    for at in [20, 16, 12, 8] {
        uuid.insert(at, '-');
    }
    uuid
}
