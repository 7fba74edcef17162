//! The parts of msgpack itself: markers, lengths and numbers.

use crate::codec::CodecError;

/// One item of msgpack: a scalar in full, a container by its length only.
#[derive(Clone, Copy)]
pub(super) enum Item<'a> {
    Nil,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Float(f64),
    Str(&'a [u8]),
    Bin(&'a [u8]),
    Array(usize),
    Map(usize),
    Ext(i8, &'a [u8]),
}

impl Item<'_> {
    /// What the item is, for texts that must not show it.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Nil => "null",
            Self::Bool(_) => "bool",
            Self::Int(_) | Self::Uint(_) | Self::Float(_) => "number",
            Self::Str(_) => "string",
            Self::Bin(_) => "binary data",
            Self::Array(_) => "list",
            Self::Map(_) => "map",
            Self::Ext(..) => "unknown",
        }
    }
}

/// Reads items from bytes.
pub(super) struct Reader<'a> {
    rest: &'a [u8],
    /// How many items the open containers have announced and not yet delivered. Every item takes a byte at least, so
    /// a length that cannot be true is found before anything is allocated for it, however deep it stands.
    owed: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes, owed: 1 }
    }

    /// The next item.
    #[inline]
    pub(super) fn item(&mut self) -> Result<Item<'a>, CodecError> {
        let [marker] = self.array()?;
        self.owed = self.owed.saturating_sub(1);
        Ok(match marker {
            0x00..=0x7f => Item::Int(i64::from(marker)),
            0xa0..=0xbf => Item::Str(self.take(usize::from(marker & 0x1f))?),
            0x80..=0x8f => self.map(usize::from(marker & 0x0f))?,
            0x90..=0x9f => self.sequence(usize::from(marker & 0x0f))?,
            0xe0..=0xff => Item::Int(i64::from(i8::from_be_bytes([marker]))),
            0xc0 => Item::Nil,
            0xc2 => Item::Bool(false),
            0xc3 => Item::Bool(true),
            _ => self.sized(marker)?,
        })
    }

    /// Items whose marker is followed by a number.
    fn sized(&mut self, marker: u8) -> Result<Item<'a>, CodecError> {
        Ok(match marker {
            0xc4..=0xc6 => {
                let length = self.length(marker - 0xc4)?;
                Item::Bin(self.take(length)?)
            }
            0xc7..=0xc9 => {
                let length = self.length(marker - 0xc7)?;
                self.extension(length)?
            }
            0xca => Item::Float(f64::from(f32::from_be_bytes(self.array()?))),
            0xcb => Item::Float(f64::from_be_bytes(self.array()?)),
            0xcc => Item::Int(i64::from(u8::from_be_bytes(self.array()?))),
            0xcd => Item::Int(i64::from(u16::from_be_bytes(self.array()?))),
            0xce => Item::Int(i64::from(u32::from_be_bytes(self.array()?))),
            0xcf => Item::Uint(u64::from_be_bytes(self.array()?)),
            0xd0 => Item::Int(i64::from(i8::from_be_bytes(self.array()?))),
            0xd1 => Item::Int(i64::from(i16::from_be_bytes(self.array()?))),
            0xd2 => Item::Int(i64::from(i32::from_be_bytes(self.array()?))),
            0xd3 => Item::Int(i64::from_be_bytes(self.array()?)),
            0xd4..=0xd8 => self.extension(1 << (marker - 0xd4))?,
            0xd9..=0xdb => {
                let length = self.length(marker - 0xd9)?;
                Item::Str(self.take(length)?)
            }
            0xdc | 0xdd => {
                let length = self.length(marker - 0xdc + 1)?;
                self.sequence(length)?
            }
            0xde | 0xdf => {
                let length = self.length(marker - 0xde + 1)?;
                self.map(length)?
            }
            _ => return Err(CodecError::decode("a byte that msgpack does not define")),
        })
    }

    /// A length of 1, 2 or 4 bytes, by the power of two.
    fn length(&mut self, width: u8) -> Result<usize, CodecError> {
        let length = match width {
            0 => u32::from(u8::from_be_bytes(self.array()?)),
            1 => u32::from(u16::from_be_bytes(self.array()?)),
            _ => u32::from_be_bytes(self.array()?),
        };
        usize::try_from(length).map_err(|_| truncated())
    }

    fn sequence(&mut self, length: usize) -> Result<Item<'a>, CodecError> {
        self.owe(length)?;
        Ok(Item::Array(length))
    }

    fn map(&mut self, length: usize) -> Result<Item<'a>, CodecError> {
        self.owe(length.saturating_mul(2))?;
        Ok(Item::Map(length))
    }

    fn extension(&mut self, length: usize) -> Result<Item<'a>, CodecError> {
        let code = i8::from_be_bytes(self.array()?);
        Ok(Item::Ext(code, self.take(length)?))
    }

    fn owe(&mut self, items: usize) -> Result<(), CodecError> {
        self.owed = self.owed.saturating_add(items);
        if self.owed > self.rest.len() { Err(truncated()) } else { Ok(()) }
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], CodecError> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or_else(truncated)?;
        self.rest = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], CodecError> {
        let (taken, rest) = self.rest.split_first_chunk().ok_or_else(truncated)?;
        self.rest = rest;
        Ok(*taken)
    }
}

#[cold]
fn truncated() -> CodecError {
    CodecError::decode("the bytes end before the value does")
}

fn write_marked(out: &mut Vec<u8>, marker: u8, bytes: &[u8]) {
    out.push(marker);
    out.extend_from_slice(bytes);
}

/// Writes an integer in its shortest form; positive ones with the codes of unsigned integers, as hosts do.
pub(super) fn write_int(out: &mut Vec<u8>, number: i64) {
    if let Ok(number) = u64::try_from(number) {
        return write_uint(out, number);
    }
    if let Ok(number) = i8::try_from(number) {
        if number < -32 {
            out.push(0xd0);
        }
        out.extend_from_slice(&number.to_be_bytes());
    } else if let Ok(number) = i16::try_from(number) {
        write_marked(out, 0xd1, &number.to_be_bytes());
    } else if let Ok(number) = i32::try_from(number) {
        write_marked(out, 0xd2, &number.to_be_bytes());
    } else {
        write_marked(out, 0xd3, &number.to_be_bytes());
    }
}

/// Writes an unsigned integer in its shortest form.
pub(super) fn write_uint(out: &mut Vec<u8>, number: u64) {
    if let Ok(number) = u8::try_from(number) {
        if number > 0x7f {
            out.push(0xcc);
        }
        out.push(number);
    } else if let Ok(number) = u16::try_from(number) {
        write_marked(out, 0xcd, &number.to_be_bytes());
    } else if let Ok(number) = u32::try_from(number) {
        write_marked(out, 0xce, &number.to_be_bytes());
    } else {
        write_marked(out, 0xcf, &number.to_be_bytes());
    }
}

/// Writes a float of 64 bits.
pub(super) fn write_float(out: &mut Vec<u8>, number: f64) {
    write_marked(out, 0xcb, &number.to_be_bytes());
}

/// The markers of one kind of item: the short one with the length in its low bits, and those that a length of 1, 2
/// or 4 bytes follows.
struct Markers {
    short: u8,
    short_limit: u32,
    wide: [Option<u8>; 3],
}

/// Writes text.
pub(super) fn write_str(out: &mut Vec<u8>, text: &str) -> Result<(), CodecError> {
    let markers = Markers { short: 0xa0, short_limit: 32, wide: [Some(0xd9), Some(0xda), Some(0xdb)] };
    write_length(out, &markers, text.len())?;
    out.extend_from_slice(text.as_bytes());
    Ok(())
}

/// Writes binary data.
pub(super) fn write_bin(out: &mut Vec<u8>, bytes: &[u8]) -> Result<(), CodecError> {
    let markers = Markers { short: 0, short_limit: 0, wide: [Some(0xc4), Some(0xc5), Some(0xc6)] };
    write_length(out, &markers, bytes.len())?;
    out.extend_from_slice(bytes);
    Ok(())
}

/// Opens an array; its elements follow.
pub(super) fn write_array(out: &mut Vec<u8>, length: usize) -> Result<(), CodecError> {
    write_length(out, &Markers { short: 0x90, short_limit: 16, wide: [None, Some(0xdc), Some(0xdd)] }, length)
}

/// Opens a map; its keys and values follow in turn.
pub(super) fn write_map(out: &mut Vec<u8>, length: usize) -> Result<(), CodecError> {
    write_length(out, &Markers { short: 0x80, short_limit: 16, wide: [None, Some(0xde), Some(0xdf)] }, length)
}

/// Writes an extension.
pub(super) fn write_ext(out: &mut Vec<u8>, code: u8, payload: &[u8]) -> Result<(), CodecError> {
    match payload.len() {
        1 => out.push(0xd4),
        2 => out.push(0xd5),
        4 => out.push(0xd6),
        8 => out.push(0xd7),
        16 => out.push(0xd8),
        length => {
            let markers = Markers { short: 0, short_limit: 0, wide: [Some(0xc7), Some(0xc8), Some(0xc9)] };
            write_length(out, &markers, length)?;
        }
    }
    out.push(code);
    out.extend_from_slice(payload);
    Ok(())
}

#[inline]
fn write_length(out: &mut Vec<u8>, markers: &Markers, length: usize) -> Result<(), CodecError> {
    let length =
        u32::try_from(length).map_err(|_| CodecError::encode("more than 4,294,967,295 bytes or elements"))?;
    let [one, two, four] = markers.wide;
    match (u8::try_from(length), u16::try_from(length), one, two, four) {
        (Ok(length), ..) if u32::from(length) < markers.short_limit => out.push(markers.short | length),
        (Ok(length), _, Some(marker), ..) => out.extend_from_slice(&[marker, length]),
        (_, Ok(length), _, Some(marker), _) => write_marked(out, marker, &length.to_be_bytes()),
        (.., four) => {
            out.extend(four);
            out.extend_from_slice(&length.to_be_bytes());
        }
    }
    Ok(())
}
