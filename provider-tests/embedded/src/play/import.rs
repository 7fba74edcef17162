//! `import`

use super::arguments::Options;
use super::folder::{Files, Folder};
use super::keeper::Keeper;
use super::screen::Screen;
use super::{Ended, Play};
use crate::diagnostic::Diagnostic;
use crate::state::State;

pub(super) async fn import(play: &Play, options: &Options, screen: &Screen) -> Ended {
    let folder = Folder::new(options);
    let address = options.address(0)?;
    let configuration = folder.configuration(options, Files::Needed, screen)?;
    screen.tell(configuration.diagnostics());
    screen.begin();
    let work = async |keeper: &Keeper, state: State| -> Ended {
        screen.say(&format!("{address}: Importing from ID {:?}...", options.word(1)));
        let core = play.core().with_parallelism(options.parallelism);
        let outcome = core.import(&configuration, &state, &address, options.word(1)).await;
        screen.tell(&outcome.diagnostics);
        if outcome.diagnostics.iter().any(Diagnostic::is_error) {
            return Ok(1);
        }
        keeper.keep(&outcome.state, screen).await?;
        screen.say(&format!("{address}: Import complete"));
        Ok(0)
    };
    Keeper::during(play, (options, screen), "import", work).await
}
