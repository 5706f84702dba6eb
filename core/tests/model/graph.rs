//! The graph that the checker walked. What must be possible at last is shown on it, because the checker's own
//! notion of "eventually" does not see through cycles, and a heartbeat is one.

use std::collections::HashMap;

use holdpoint::Status;

use super::model::Step;
use super::world::World;

/// Who makes a step: only these are relied upon to move an action on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mover {
    /// Time, and the reaper that it wakes.
    Clock,
    /// A person who decides or resumes.
    Person,
    /// Workers and providers: they may fall silent for ever.
    Nobody,
}

impl Mover {
    pub const fn of(step: Step) -> Self {
        match step {
            Step::Tick | Step::Reap | Step::ReaperLooks(_) | Step::ReaperWrites(_) => Self::Clock,
            Step::Look(_) | Step::Decide(..) | Step::Resume => Self::Person,
            _ => Self::Nobody,
        }
    }
}

#[derive(Debug, Default)]
pub struct Graph {
    ids: HashMap<u64, u32>,
    status: Vec<Option<Status>>,
    paused: Vec<bool>,
    edges: Vec<(u32, u32, Mover)>,
}

impl Graph {
    pub fn walked(&mut self, from: &World, to: &World, mover: Mover) {
        let (from, to) = (self.id(from), self.id(to));
        if from != to && mover != Mover::Nobody {
            self.edges.push((from, to, mover));
        }
    }

    fn id(&mut self, world: &World) -> u32 {
        let fresh = self.status.len() as u32;
        let id = *self.ids.entry(world.mark()).or_insert(fresh);
        if id == fresh {
            self.status.push(world.status());
            self.paused.push(world.paused);
        }
        id
    }

    /// How many worlds have a row from which these movers alone never bring it to one of these states.
    pub fn stuck(&self, movers: &[Mover], ends: &[Status], while_paused: bool) -> usize {
        let mut back = vec![Vec::new(); self.status.len()];
        for (from, to, mover) in &self.edges {
            if movers.contains(mover) {
                back[*to as usize].push(*from);
            }
        }
        let is_end = |id: usize| self.status[id].is_some_and(|s| ends.contains(&s));
        let mut reached: Vec<bool> = (0..self.status.len()).map(is_end).collect();
        let mut todo: Vec<usize> = (0..reached.len()).filter(|id| reached[*id]).collect();
        while let Some(id) = todo.pop() {
            for from in &back[id] {
                let from = *from as usize;
                if !reached[from] {
                    reached[from] = true;
                    todo.push(from);
                }
            }
        }
        let counts = |id: &usize| self.status[*id].is_some() && (while_paused || !self.paused[*id]);
        (0..reached.len())
            .filter(counts)
            .filter(|id| !reached[*id])
            .count()
    }
}
