//! Rounding of long decimals to the precision of core: a binary mantissa of 512 bits, to nearest, ties to even,
//! printed as the shortest decimal that identifies the number at that precision.
//!
//! This path is rare (more than 153 significant digits), so it is written for clarity.

use std::cmp::Ordering;

const PRECISION: usize = 512;

/// Rounds `digits` times ten to the power `exponent`, and gives digits and exponent of the shortest decimal that
/// rounds to the same 512-bit number. `digits` are decimal digits without leading zeros.
pub(super) fn round(digits: &str, exponent: i32) -> (String, i32) {
    let scale = exponent.unsigned_abs();
    let number = Natural::from_digits(digits);
    let (numerator, denominator) = if exponent >= 0 {
        (number.times_power(10, scale), Natural::one())
    } else {
        (number, Natural::one().times_power(10, scale))
    };
    let binary = Binary::nearest(numerator, denominator);
    binary.shortest_decimal()
}

/// `mantissa * 2^exponent` with a mantissa of exactly 512 bits.
struct Binary {
    mantissa: Natural,
    exponent: i64,
}

impl Binary {
    /// The binary float nearest to a fraction.
    fn nearest(numerator: Natural, denominator: Natural) -> Self {
        // One bit too many rather than too few: the quotient then has 512 or 513 bits, and the remainder decides.
        let shift = PRECISION as i64 + denominator.bits() as i64 - numerator.bits() as i64;
        let (numerator, denominator) = if shift >= 0 {
            (numerator.shifted(shift.unsigned_abs() as usize), denominator)
        } else {
            (numerator, denominator.shifted(shift.unsigned_abs() as usize))
        };
        let (mut mantissa, remainder) = numerator.divided(&denominator);
        let mut exponent = -shift;
        let mut beyond_half = remainder.shifted(1).cmp(&denominator);
        if mantissa.bits() > PRECISION {
            let lowest = mantissa.is_odd();
            let exact = remainder.is_zero();
            mantissa = mantissa.halved();
            exponent += 1;
            beyond_half = match (lowest, exact) {
                (true, true) => Ordering::Equal,
                (true, false) => Ordering::Greater,
                (false, _) => Ordering::Less,
            };
        }
        if beyond_half == Ordering::Greater || (beyond_half == Ordering::Equal && mantissa.is_odd()) {
            mantissa = mantissa.plus_one();
            if mantissa.bits() > PRECISION {
                mantissa = mantissa.halved();
                exponent += 1;
            }
        }
        Self { mantissa, exponent }
    }

    /// Digits and exponent of the shortest decimal that rounds to this number.
    fn shortest_decimal(&self) -> (String, i32) {
        // Everything in halves of the last place, so that the midpoints to both neighbours are whole. Below a power of
        // two the neighbour is nearer; core's printer does not look at that, and the texts must be the same.
        let place = self.exponent - 1;
        let value = self.mantissa.shifted(1);
        let lower = value.minus_one();
        let upper = value.clone().plus_one();
        let power = usize::try_from(place.unsigned_abs()).unwrap_or(usize::MAX);
        let expand = |number: &Natural| {
            if place >= 0 {
                number.shifted(power).to_digits()
            } else {
                number.clone().times_power(5, u32::try_from(power).unwrap_or(u32::MAX)).to_digits()
            }
        };
        let (value, mut lower, upper) = (expand(&value), expand(&lower), expand(&upper));
        // The exact decimals differ by less than one part in 2^510, so their lengths differ at a power of ten only.
        let width = upper.len();
        let value = format!("{value:0>width$}");
        lower = format!("{lower:0>width$}");
        let inclusive = !self.mantissa.is_odd();
        let exponent = if place >= 0 { 0 } else { i32::try_from(place).unwrap_or(i32::MIN) };
        let within = |candidate: &str| {
            let padded = format!("{candidate:0<width$}");
            let (low, high) = (padded.cmp(&lower), padded.cmp(&upper));
            (low == Ordering::Greater && high == Ordering::Less)
                || (inclusive && (low == Ordering::Equal || high == Ordering::Equal))
        };
        for length in 1..width {
            let (kept, rest) = value.split_at(length);
            let above = increment(kept).filter(|above| within(above));
            let below = Some(kept.to_owned()).filter(|below| within(below));
            let chosen = match (below, above) {
                (Some(below), Some(above)) => {
                    if rest.as_bytes() >= b"5".as_slice() {
                        above
                    } else {
                        below
                    }
                }
                (Some(only), None) | (None, Some(only)) => only,
                (None, None) => continue,
            };
            let dropped = i32::try_from(width - length).unwrap_or(i32::MAX);
            return (chosen, exponent.saturating_add(dropped));
        }
        (value, exponent)
    }
}

/// The next decimal of the same length; `None` when all digits are nines.
pub(super) fn increment(digits: &str) -> Option<String> {
    let kept = digits.trim_end_matches('9');
    let last = *kept.as_bytes().last()?;
    let zeros = "0".repeat(digits.len() - kept.len());
    let head = kept.get(..kept.len() - 1)?;
    Some(format!("{head}{}{zeros}", char::from(last + 1)))
}

/// A natural number: 32-bit limbs, the lowest first, without zero limbs at the top.
#[derive(Clone, PartialEq, Eq)]
struct Natural {
    limbs: Vec<u32>,
}

impl Natural {
    fn one() -> Self {
        Self { limbs: vec![1] }
    }

    fn from_digits(digits: &str) -> Self {
        let mut number = Self { limbs: Vec::new() };
        for digit in digits.bytes() {
            number.multiply_add(10, u32::from(digit.wrapping_sub(b'0')));
        }
        number
    }

    fn to_digits(&self) -> String {
        const CHUNK: u64 = 1_000_000_000;
        let mut chunks = Vec::new();
        let mut limbs = self.limbs.clone();
        while !limbs.is_empty() {
            let mut remainder = 0_u64;
            for limb in limbs.iter_mut().rev() {
                let current = (remainder << 32) | u64::from(*limb);
                *limb = low(current / CHUNK);
                remainder = current % CHUNK;
            }
            trim(&mut limbs);
            chunks.push(remainder);
        }
        let mut digits = chunks.pop().unwrap_or(0).to_string();
        for chunk in chunks.iter().rev() {
            digits.push_str(&format!("{chunk:09}"));
        }
        digits
    }

    fn times_power(mut self, base: u32, exponent: u32) -> Self {
        for _ in 0..exponent {
            self.multiply_add(base, 0);
        }
        self
    }

    fn multiply_add(&mut self, factor: u32, summand: u32) {
        let mut carry = u64::from(summand);
        for limb in &mut self.limbs {
            let current = u64::from(*limb) * u64::from(factor) + carry;
            *limb = low(current);
            carry = current >> 32;
        }
        if carry > 0 {
            self.limbs.push(low(carry));
        }
    }

    fn bits(&self) -> usize {
        self.limbs.last().map_or(0, |top| self.limbs.len() * 32 - top.leading_zeros() as usize)
    }

    fn is_zero(&self) -> bool {
        self.limbs.is_empty()
    }

    fn is_odd(&self) -> bool {
        self.limbs.first().is_some_and(|limb| limb & 1 == 1)
    }

    fn shifted(&self, bits: usize) -> Self {
        let mut limbs = vec![0; bits / 32];
        let mut carry = 0_u64;
        for limb in &self.limbs {
            let current = (u64::from(*limb) << (bits % 32)) | carry;
            limbs.push(low(current));
            carry = current >> 32;
        }
        limbs.push(low(carry));
        trim(&mut limbs);
        Self { limbs }
    }

    fn halved(mut self) -> Self {
        let mut carry = 0;
        for limb in self.limbs.iter_mut().rev() {
            let next = *limb << 31;
            *limb = (*limb >> 1) | carry;
            carry = next;
        }
        trim(&mut self.limbs);
        self
    }

    fn plus_one(mut self) -> Self {
        self.multiply_add(1, 1);
        self
    }

    /// One less; the number is not zero.
    fn minus_one(&self) -> Self {
        let mut difference = self.clone();
        difference.subtract(&Self::one());
        difference
    }

    /// Takes away a number that is not greater than this one.
    fn subtract(&mut self, other: &Self) {
        let mut borrow = false;
        for (at, limb) in self.limbs.iter_mut().enumerate() {
            let (difference, first) = limb.overflowing_sub(other.limbs.get(at).copied().unwrap_or(0));
            let (difference, second) = difference.overflowing_sub(u32::from(borrow));
            *limb = difference;
            borrow = first || second;
        }
        trim(&mut self.limbs);
    }

    /// Quotient and remainder, bit by bit. The quotient has few bits here (513), so that is fast enough.
    fn divided(self, divisor: &Self) -> (Self, Self) {
        let steps = (self.bits() + 1).saturating_sub(divisor.bits());
        let mut remainder = self;
        let mut quotient = Self { limbs: Vec::new() };
        let mut part = divisor.shifted(steps);
        for _ in 0..=steps {
            let fits = part <= remainder;
            if fits {
                remainder.subtract(&part);
            }
            quotient.multiply_add(2, u32::from(fits));
            part = part.halved();
        }
        (quotient, remainder)
    }
}

impl Ord for Natural {
    fn cmp(&self, other: &Self) -> Ordering {
        self.limbs
            .len()
            .cmp(&other.limbs.len())
            .then_with(|| self.limbs.iter().rev().cmp(other.limbs.iter().rev()))
    }
}

impl PartialOrd for Natural {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

fn trim(limbs: &mut Vec<u32>) {
    while limbs.last() == Some(&0) {
        limbs.pop();
    }
}

/// The low 32 bits.
fn low(number: u64) -> u32 {
    (number & u64::from(u32::MAX)) as u32
}
