//! What generators of tests have in common: numbers that only look random, and expressions that can be made smaller.

/// Numbers that only look random (splitmix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % limit.max(1) as u64).unwrap_or_default()
    }

    pub(crate) fn one_in(&mut self, number: usize) -> bool {
        self.below(number) == 0
    }

    pub(crate) fn pick<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }
}

/// An expression made of texts and other expressions, any of which may stand for the whole.
#[derive(Debug, Clone)]
pub(crate) struct Expr(pub(crate) Vec<Piece>);

#[derive(Debug, Clone)]
pub(crate) enum Piece {
    Text(String),
    Inner(Expr),
}

impl Expr {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self(vec![Piece::Text(text.into())])
    }

    /// What may stand for it: its parts, and itself with a part that is simpler.
    pub(crate) fn simpler(&self) -> Vec<Self> {
        let mut found = Vec::new();
        for (at, piece) in self.0.iter().enumerate() {
            let Piece::Inner(inner) = piece else { continue };
            found.push(inner.clone());
            found.extend(inner.simpler().into_iter().map(|simpler| {
                let mut whole = self.clone();
                whole.0[at] = Piece::Inner(simpler);
                whole
            }));
        }
        found
    }
}

impl std::fmt::Display for Expr {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|piece| match piece {
            Piece::Text(text) => f.write_str(text),
            Piece::Inner(inner) => write!(f, "{inner}"),
        })
    }
}

/// A number from a variable of the environment.
pub(crate) fn number(name: &str, default: u64) -> Result<u64, String> {
    match std::env::var(name) {
        Ok(text) => text.parse().map_err(|_| format!("{name} is no number: {text}")),
        Err(_) => Ok(default),
    }
}
