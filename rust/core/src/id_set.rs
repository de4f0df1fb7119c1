//! A set of ids that are told apart by a hash the caller has at hand (Python keeps one in each `str`).

use crate::scratch::Scratch;

/// Half of a hash, and index + 1; 0 marks a free slot. Eight bytes each: with 24 ids the table is 512 bytes, on the stack, and
/// clearing it costs less than one look-up.
type Table = Scratch<(u32, u32), 64>;

/// Open addressing with linear probing over a power of two of at least twice the ids.
#[derive(Debug)]
pub struct IdSet {
    slots: Table,
    used: usize,
}

impl IdSet {
    /// Room for `ids` without growing.
    pub fn with_capacity(ids: usize) -> Self {
        Self { slots: Table::new((0, 0), (ids.max(4) * 2).next_power_of_two()), used: 0 }
    }

    /// The index kept for an id of this hash for which `same` holds.
    pub fn find(&self, hash: u64, same: impl FnMut(usize) -> bool) -> Option<usize> {
        self.search(tag(hash), same).ok()
    }

    /// Keeps `index`, which must be below 2³² - 1, for an id of this hash, unless there is one for which `same` holds: the index
    /// kept for that is returned, and nothing changes.
    pub fn insert(&mut self, hash: u64, index: usize, same: impl FnMut(usize) -> bool) -> Option<usize> {
        if (self.used + 1) * 2 > self.slots.len() {
            self.double();
        }
        let tag = tag(hash);
        match self.search(tag, same) {
            Ok(before) => Some(before),
            Err(free) => {
                self.slots[free] = (tag, u32::try_from(index + 1).unwrap_or(u32::MAX));
                self.used += 1;
                None
            }
        }
    }

    /// The index kept for a tag for which `same` holds, or else the slot where such an id would go.
    fn search(&self, tag: u32, mut same: impl FnMut(usize) -> bool) -> Result<usize, usize> {
        let slots: &[(u32, u32)] = &self.slots;
        let mask = slots.len() - 1;
        let mut at = tag as usize & mask;
        loop {
            match slots[at] {
                (_, 0) => return Err(at),
                (kept, index) if kept == tag && same(index as usize - 1) => return Ok(index as usize - 1),
                _ => at = (at + 1) & mask,
            }
        }
    }

    #[cold]
    fn double(&mut self) {
        let doubled = Table::new((0, 0), self.slots.len() * 2);
        let before = std::mem::replace(&mut self.slots, doubled);
        for &kept in before.iter().filter(|kept| kept.1 != 0) {
            if let Err(free) = self.search(kept.0, |_| false) {
                self.slots[free] = kept;
            }
        }
    }
}

/// Both halves of the hash folded into one, so that hashes that differ only in one half do not meet.
// Cutting off is the purpose.
#[allow(clippy::cast_possible_truncation)]
fn tag(hash: u64) -> u32 {
    (hash ^ (hash >> 32)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_hashes_are_told_apart_by_the_ids() {
        let ids = ["a", "b", "c"];
        let mut set = IdSet::with_capacity(0);
        for (index, id) in ids.iter().enumerate() {
            assert_eq!(set.insert(7, index, |kept| ids[kept] == *id), None);
        }
        assert_eq!(set.insert(7, 3, |kept| ids[kept] == "b"), Some(1));
        assert_eq!(set.find(7, |kept| ids[kept] == "c"), Some(2));
        assert_eq!(set.find(8, |_| true), None);
    }

    #[test]
    fn growing_keeps_everything() {
        let mut set = IdSet::with_capacity(1);
        for index in 0..10_000_usize {
            assert_eq!(set.insert(index as u64 * 0x1_0000_0000, index, |kept| kept == index), None);
        }
        for index in 0..10_000_usize {
            assert_eq!(set.find(index as u64 * 0x1_0000_0000, |kept| kept == index), Some(index));
        }
    }

    #[test]
    fn there_are_twice_as_many_slots_as_ids_and_no_more_than_that_takes() {
        let mut set = IdSet::with_capacity(8);
        let slots: Vec<usize> = (0..17)
            .map(|index| {
                set.insert(index as u64, index, |_| false);
                set.slots.len()
            })
            .collect();
        // Room for eight was asked for, so the ninth is the first to make it grow.
        assert_eq!(slots[..8], [16; 8]);
        assert_eq!(slots[8..16], [32; 8]);
        assert_eq!(slots[16], 64);
        assert_eq!(IdSet::with_capacity(0).slots.len(), 8);
        assert_eq!(IdSet::with_capacity(24).slots.len(), 64);
    }

    #[test]
    fn hashes_that_differ_in_one_half_do_not_meet() {
        let halves = [0, 1, 3, 0x8000_0000, 0xFFFF_FFFF_u64];
        for one in halves {
            for other in halves.into_iter().filter(|&other| other != one) {
                for same in halves {
                    assert_ne!(tag(one << 32 | same), tag(other << 32 | same), "{one:x} {other:x} over {same:x}");
                    assert_ne!(tag(same << 32 | one), tag(same << 32 | other), "{one:x} {other:x} under {same:x}");
                }
            }
        }
    }
}
