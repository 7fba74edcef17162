//! Process groups: a child that was started in a group of its own, and all that it has started.

#[cfg(unix)]
pub use self::unix::members;
#[cfg(unix)]
pub(super) use self::unix::{has_ended, kill, own};

#[cfg(not(unix))]
pub use self::other::members;
#[cfg(not(unix))]
pub(super) use self::other::{has_ended, kill, own};

#[cfg(unix)]
mod unix {
    use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
    use tokio::process::{Child, Command};

    /// Starts the child in a group of its own.
    pub(in crate::client) fn own(command: &mut Command) {
        command.process_group(0);
    }

    /// Whether a child has ended. It is not collected, so that its group keeps its id until it is killed.
    pub(in crate::client) fn has_ended(child: &mut Child) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        leader(child).is_none_or(|pid| matches!(waitid(WaitId::Pid(pid), options), Ok(Some(_))))
    }

    /// Kills a child that was not collected, and its group.
    pub(in crate::client) fn kill(child: &mut Child) {
        if let Some(pid) = leader(child) {
            // The group is there as long as the child is not collected, so this fails for no reason that could be
            // acted upon.
            let _ = kill_process_group(pid, Signal::KILL);
        }
    }

    /// The living processes of a group, as `id name`. Known on Linux only.
    #[must_use]
    pub fn members(group: u32) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
        entries
            .filter_map(|entry| {
                let entry = entry.ok()?;
                let pid: u32 = entry.file_name().to_str()?.parse().ok()?;
                let stat = std::fs::read_to_string(entry.path().join("stat")).ok()?;
                // The name is in parentheses and may hold any character; then follow state, parent and group.
                let (name, rest) = stat.rsplit_once(')')?;
                let mut fields = rest.split_whitespace();
                let state = fields.next()?;
                let of: u32 = fields.nth(1)?.parse().ok()?;
                let living = !matches!(state, "Z" | "X");
                let name = name.split_once('(')?.1;
                (of == group && living).then(|| format!("{pid} {name}"))
            })
            .collect()
    }

    /// A child's id; `None` once it was collected.
    fn leader(child: &Child) -> Option<Pid> {
        Pid::from_raw(i32::try_from(child.id()?).ok()?)
    }
}

/// Without process groups only the child itself can be ended.
#[cfg(not(unix))]
mod other {
    use tokio::process::{Child, Command};

    pub(in crate::client) fn own(_: &mut Command) {}

    pub(in crate::client) fn has_ended(child: &mut Child) -> bool {
        matches!(child.try_wait(), Ok(Some(_)) | Err(_))
    }

    pub(in crate::client) fn kill(child: &mut Child) {
        // It fails for a child that has ended, which is what is wanted.
        let _ = child.start_kill();
    }

    /// Nothing is known of them on this platform.
    #[must_use]
    pub fn members(_: u32) -> Vec<String> {
        Vec::new()
    }
}
