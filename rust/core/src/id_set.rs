//! A set of ids that are told apart by a hash the caller has at hand (Python keeps one in each `str`).

/// Open addressing with linear probing over a power of two of at least twice the ids.
#[derive(Debug)]
pub struct IdSet {
    /// Hash and index + 1; 0 marks a free slot.
    slots: Vec<(u64, usize)>,
    used: usize,
}

impl IdSet {
    /// Room for `ids` without growing.
    pub fn with_capacity(ids: usize) -> Self {
        Self { slots: vec![(0, 0); (ids.max(4) * 2).next_power_of_two()], used: 0 }
    }

    /// The index kept for an id of this hash for which `same` holds.
    pub fn find(&self, hash: u64, mut same: impl FnMut(usize) -> bool) -> Option<usize> {
        let mask = self.slots.len() - 1;
        let mut at = start(hash, mask);
        loop {
            match self.slots[at] {
                (_, 0) => return None,
                (kept, index) if kept == hash && same(index - 1) => return Some(index - 1),
                _ => at = (at + 1) & mask,
            }
        }
    }

    /// Keeps `index` for an id that is not in the set yet.
    pub fn insert(&mut self, hash: u64, index: usize) {
        if (self.used + 1) * 2 > self.slots.len() {
            let doubled = vec![(0, 0); self.slots.len() * 2];
            for (hash, index) in std::mem::replace(&mut self.slots, doubled) {
                if index != 0 {
                    self.put(hash, index);
                }
            }
        }
        self.put(hash, index + 1);
        self.used += 1;
    }

    fn put(&mut self, hash: u64, index: usize) {
        let mask = self.slots.len() - 1;
        let mut at = start(hash, mask);
        while self.slots[at].1 != 0 {
            at = (at + 1) & mask;
        }
        self.slots[at] = (hash, index);
    }
}

/// First slot to look at.
// Only low bits are needed, so what a 32-bit machine cuts off does not matter.
#[allow(clippy::cast_possible_truncation)]
fn start(hash: u64, mask: usize) -> usize {
    // The top bits are folded in, so that hashes that differ only there do not share a slot.
    (hash ^ (hash >> 32)) as usize & mask
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_hashes_are_told_apart_by_the_ids() {
        let ids = ["a", "b", "c"];
        let mut set = IdSet::with_capacity(0);
        for (index, id) in ids.iter().enumerate() {
            assert_eq!(set.find(7, |kept| ids[kept] == *id), None);
            set.insert(7, index);
        }
        assert_eq!(set.find(7, |kept| ids[kept] == "c"), Some(2));
        assert_eq!(set.find(8, |_| true), None);
    }

    #[test]
    fn growing_keeps_everything() {
        let mut set = IdSet::with_capacity(1);
        for index in 0..10_000_usize {
            set.insert(index as u64 * 0x1_0000_0000, index);
        }
        for index in 0..10_000_usize {
            assert_eq!(set.find(index as u64 * 0x1_0000_0000, |kept| kept == index), Some(index));
        }
    }
}
