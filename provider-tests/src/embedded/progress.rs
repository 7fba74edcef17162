//! What is under way while a plan is applied.

use std::future::Future;
use std::sync::Arc;

use super::apply::ApplyWalk;
use super::walk::Fate;
use crate::address::InstanceAddress;
use crate::plan::Action;

/// A piece of news about one object.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// The instance.
    pub address: InstanceAddress,
    /// The deposed key, if it is not about the current object.
    pub deposed: Option<String>,
    /// What is done: [`Action::Create`], [`Action::Update`], [`Action::Delete`], [`Action::Read`] or
    /// [`Action::Forget`]. A replacement is a deletion and a creation.
    pub action: Action,
    /// How far it has come.
    pub stage: Stage,
}

/// How far a change has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// It begins.
    Begun,
    /// It is done.
    Done,
    /// There were errors.
    Failed,
}

/// Takes news.
pub(super) type OnProgress = Arc<dyn Fn(&Progress) + Send + Sync>;

/// Which half of a replacement it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Half {
    Make,
    Delete,
}

impl ApplyWalk {
    /// Does a change, and tells when it begins and ends.
    pub(super) async fn told(&self, (at, half): (usize, Half), change: impl Future<Output = Fate>) -> Fate {
        let on_progress = self.on_progress();
        let news = on_progress.and_then(|tell| Some((tell, self.progress(at, half)?)));
        let Some((tell, mut news)) = news else { return change.await };
        tell(&news);
        let fate = change.await;
        news.stage = if fate == Fate::Done { Stage::Done } else { Stage::Failed };
        tell(&news);
        fate
    }

    fn progress(&self, at: usize, half: Half) -> Option<Progress> {
        let change = self.change_at(at)?;
        let action = match (change.action, half) {
            (Action::NoOp, _) => return None,
            (action @ (Action::Update | Action::Read | Action::Forget), _) => action,
            (Action::CreateThenForget, Half::Delete) => Action::Forget,
            (_, Half::Make) => Action::Create,
            (_, Half::Delete) => Action::Delete,
        };
        let (address, deposed) = (change.address.clone(), change.deposed.clone());
        Some(Progress { address, deposed, action, stage: Stage::Begun })
    }
}
