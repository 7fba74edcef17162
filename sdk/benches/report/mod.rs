//! What a bench found: a table on standard output, and the same as lines of JSON in `target/bench/results.jsonl`.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::io::Write as _;
use std::path::Path;
use std::time::Instant;
use std::{fmt, fs, io};

/// How often a part of a bench is tried before a bound of it counts as missed.
const TRIES: usize = 3;

/// The measures of one bench.
#[derive(Default)]
pub(crate) struct Report {
    measures: Vec<Measure>,
}

/// One figure.
pub(crate) struct Measure {
    name: String,
    value: f64,
    unit: &'static str,
    bound: Option<f64>,
}

impl Report {
    /// Adds a figure, which has no bound yet.
    pub(crate) fn add(&mut self, name: &'static str, value: f64, unit: &'static str) -> &mut Measure {
        self.push(name.to_owned(), value, unit)
    }

    fn push(&mut self, name: String, value: f64, unit: &'static str) -> &mut Measure {
        self.measures.push(Measure { name, value, unit, bound: None });
        let last = self.measures.len() - 1;
        &mut self.measures[last]
    }

    /// Adds a time, and how many runs of the calibrating loop it is, to which the bound belongs: the speed of the machine
    /// is in both. The loop was timed by the same clock, in seconds.
    #[allow(dead_code, reason = "some benches have no times with bounds")]
    pub(crate) fn add_time(
        &mut self,
        name: &'static str,
        (value, unit): (f64, &'static str),
        in_a_loop: f64,
    ) -> &mut Measure {
        let seconds = match unit {
            "s" => value,
            "ms" => value / 1e3,
            _ => value / 1e6,
        };
        self.add(name, value, unit);
        self.push(format!("{name}_in_loops"), seconds / in_a_loop, "")
    }

    /// Measures a part of a bench, and again while a bound is missed. The least value counts.
    #[allow(dead_code, reason = "some benches are asynchronous")]
    pub(crate) fn part<E>(&mut self, mut measure: impl FnMut(&mut Self) -> Result<(), E>) -> Result<(), E> {
        let mut best = Self::default();
        for _ in 0..TRIES {
            let mut tried = Self::default();
            measure(&mut tried)?;
            best = best.improved_by(tried);
            if best.missed().next().is_none() {
                break;
            }
        }
        self.measures.extend(best.measures);
        Ok(())
    }

    /// The same as [`part`](Self::part).
    #[allow(dead_code, reason = "some benches are not asynchronous")]
    pub(crate) async fn part_of<E>(
        &mut self,
        mut measure: impl AsyncFnMut(&mut Self) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut best = Self::default();
        for _ in 0..TRIES {
            let mut tried = Self::default();
            measure(&mut tried).await?;
            best = best.improved_by(tried);
            if best.missed().next().is_none() {
                break;
            }
        }
        self.measures.extend(best.measures);
        Ok(())
    }

    /// The measures of another try, each with a bound as it was best.
    fn improved_by(self, tried: Self) -> Self {
        let improved = |measure: Measure| {
            let before = self.measures.iter().find(|it| it.name == measure.name && it.bound.is_some());
            let value = before.map_or(measure.value, |before| before.value.min(measure.value));
            Measure { value, ..measure }
        };
        Self { measures: tried.measures.into_iter().map(improved).collect() }
    }

    fn missed(&self) -> impl Iterator<Item = &Measure> {
        self.measures.iter().filter(|measure| measure.holds() == Some(false))
    }

    /// Prints the table and writes the lines; a line of an earlier run with the same measure is replaced.
    ///
    /// # Errors
    /// A bound is missed, or the file cannot be written.
    pub(crate) fn finish(&self) -> io::Result<()> {
        for measure in &self.measures {
            println!("{measure}");
        }
        // Cargo gives benches the directory `tmp` in the target directory.
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap_or(Path::new("target"));
        fs::create_dir_all(target.join("bench"))?;
        let path = target.join("bench/results.jsonl");
        let earlier = match fs::read_to_string(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            earlier => earlier?,
        };
        let mut file = fs::File::create(path)?;
        let replaced = |line: &str| self.measures.iter().any(|measure| line.starts_with(&measure.key()));
        for line in earlier.lines().filter(|line| !replaced(line)) {
            writeln!(file, "{line}")?;
        }
        self.measures.iter().try_for_each(|measure| writeln!(file, "{}", measure.json()))?;
        let missed: Vec<&str> = self.missed().map(|measure| measure.name.as_str()).collect();
        if missed.is_empty() {
            return Ok(());
        }
        Err(io::Error::other(format!("missed in {TRIES} tries: {}", missed.join(", "))))
    }
}

impl Measure {
    /// Says that the figure is not to be larger.
    pub(crate) fn at_most(&mut self, bound: f64) {
        self.bound = Some(bound);
    }

    fn holds(&self) -> Option<bool> {
        self.bound.map(|bound| self.value <= bound)
    }

    /// How the line of JSON starts.
    fn key(&self) -> String {
        format!(r#"{{"measure":"{}","#, self.name)
    }

    fn json(&self) -> String {
        let Self { value, unit, .. } = self;
        let bound = self.bound.map_or("null".to_owned(), |bound| bound.to_string());
        let holds = self.holds().map_or("null".to_owned(), |holds| holds.to_string());
        format!(r#"{}"value":{value:.3},"unit":"{unit}","bound":{bound},"holds":{holds}}}"#, self.key())
    }
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, value, unit, .. } = self;
        write!(f, "{name:40} {value:10.3} {unit:4}")?;
        match (self.bound, self.holds()) {
            (Some(bound), Some(true)) => write!(f, " at most {bound} {unit}: holds"),
            (Some(bound), _) => write!(f, " at most {bound} {unit}: FAILS"),
            (None, _) => Ok(()),
        }
    }
}

/// How many runs of the loop are timed at once, so that another load on the machine meets them like what is measured.
#[allow(dead_code, reason = "some benches have no times with bounds")]
pub(crate) const LOOPS: usize = 100;

/// Runs the calibrating loop: texts are made, hashed and sorted, as most of what is measured does. It has no code of this
/// project.
#[allow(dead_code, reason = "some benches have no times with bounds")]
pub(crate) fn run_loops() {
    for _ in 0..LOOPS {
        let mut number = 0x9e37_79b9_7f4a_7c15_u64;
        let mut texts = BTreeMap::new();
        for _ in 0..2_000 {
            number = (number ^ (number >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9).rotate_left(17);
            texts.insert(format!("{number:016x}"), number);
        }
        let hash = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        black_box(texts.keys().fold(0, |sum: u64, text| sum ^ text.as_bytes().iter().fold(sum, hash)));
    }
}

/// The wall time of one run of the calibrating loop, in seconds.
#[allow(dead_code, reason = "some benches have no times with bounds")]
pub(crate) fn wall_time_of_a_loop() -> f64 {
    let start = Instant::now();
    run_loops();
    start.elapsed().as_secs_f64() / LOOPS as f64
}

/// The value in the middle, and zero of none.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}
