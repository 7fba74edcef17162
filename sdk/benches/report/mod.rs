//! What a bench found: a table on standard output, and the same as lines of JSON in `target/bench/results.jsonl`.

use std::io::Write as _;
use std::path::Path;
use std::{fmt, fs, io};

/// The measures of one bench.
#[derive(Default)]
pub(crate) struct Report {
    measures: Vec<Measure>,
}

/// One figure.
pub(crate) struct Measure {
    name: &'static str,
    value: f64,
    unit: &'static str,
    bound: Option<f64>,
}

impl Report {
    /// Adds a figure, which has no bound yet.
    pub(crate) fn add(&mut self, name: &'static str, value: f64, unit: &'static str) -> &mut Measure {
        self.measures.push(Measure { name, value, unit, bound: None });
        let last = self.measures.len() - 1;
        &mut self.measures[last]
    }

    /// Prints the table and writes the lines; a line of an earlier run with the same measure is replaced.
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
        self.measures.iter().try_for_each(|measure| writeln!(file, "{}", measure.json()))
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

/// The value in the middle, and zero of none.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}
