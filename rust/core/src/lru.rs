//! A cache that is bounded in bytes and forgets what was used longest ago.
//!
//! The caller brings the hash (Python keeps one in each `str`) and says what is equal, so a key is never hashed here and
//! never copied. Entries lie in one slab and are linked by index: a hit costs one probe and four index writes, however
//! full the cache is.

use hashbrown::HashTable;

/// No entry.
const NONE: u32 = u32::MAX;

#[derive(Debug)]
struct Entry<K, V> {
    /// `None` in a slot that is free.
    key: Option<K>,
    value: V,
    hash: u64,
    cost: usize,
    newer: u32,
    /// In a free slot: the next free one.
    older: u32,
}

/// Values by key, the least recently used given up first.
#[derive(Debug)]
pub struct Lru<K, V> {
    index: HashTable<u32>,
    entries: Vec<Entry<K, V>>,
    newest: u32,
    oldest: u32,
    free: u32,
    bytes: usize,
    limit: usize,
}

impl<K, V: Copy> Lru<K, V> {
    /// What an entry costs besides what its key holds: its slot in the slab, and its share of an index that is half full.
    pub const ENTRY_BYTES: usize = size_of::<Entry<K, V>>() + 2 * (size_of::<u32>() + 1);

    /// An empty cache that holds at most `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self { index: HashTable::new(), entries: Vec::new(), newest: NONE, oldest: NONE, free: NONE, bytes: 0, limit }
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.index.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What the entries cost together.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// What they may cost.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// The value of the key of this hash for which `same` holds; it counts as used now.
    #[inline]
    pub fn get(&mut self, hash: u64, mut same: impl FnMut(&K) -> bool) -> Option<V> {
        let entries = &self.entries;
        let &at = self.index.find(hash, |&at| {
            let entry = &entries[at as usize];
            entry.hash == hash && entry.key.as_ref().is_some_and(&mut same)
        })?;
        if at != self.newest {
            self.unlink(at);
            self.link(at);
        }
        Some(self.entries[at as usize].value)
    }

    /// Keeps a value for a key that is not there yet, and gives up the least recently used until all fits. `cost` is what
    /// the key holds in bytes. What alone is more than the limit is not kept.
    pub fn insert(&mut self, hash: u64, key: K, value: V, cost: usize) {
        let cost = cost.saturating_add(Self::ENTRY_BYTES);
        if cost > self.limit {
            return;
        }
        while self.bytes > self.limit - cost {
            self.give_up_oldest();
        }
        let entry = Entry { key: Some(key), value, hash, cost, newer: NONE, older: NONE };
        let at = if self.free == NONE {
            // At `ENTRY_BYTES` each, as many entries as an index can name would be hundreds of gigabytes.
            let Some(at) = u32::try_from(self.entries.len()).ok().filter(|&at| at != NONE) else { return };
            self.entries.push(entry);
            at
        } else {
            let at = self.free;
            let slot = &mut self.entries[at as usize];
            self.free = slot.older;
            *slot = entry;
            at
        };
        let entries = &self.entries;
        self.index.insert_unique(hash, at, |&at| entries[at as usize].hash);
        self.bytes += cost;
        self.link(at);
    }

    /// Gives up everything, and the memory with it.
    pub fn clear(&mut self) {
        *self = Self::new(self.limit);
    }

    fn link(&mut self, at: u32) {
        let before = self.newest;
        let entry = &mut self.entries[at as usize];
        entry.newer = NONE;
        entry.older = before;
        match self.entries.get_mut(before as usize) {
            Some(before) => before.newer = at,
            None => self.oldest = at,
        }
        self.newest = at;
    }

    fn unlink(&mut self, at: u32) {
        let (newer, older) = (self.entries[at as usize].newer, self.entries[at as usize].older);
        match self.entries.get_mut(newer as usize) {
            Some(entry) => entry.older = older,
            None => self.newest = older,
        }
        match self.entries.get_mut(older as usize) {
            Some(entry) => entry.newer = newer,
            None => self.oldest = newer,
        }
    }

    fn give_up_oldest(&mut self) {
        let at = self.oldest;
        let Some(entry) = self.entries.get(at as usize) else {
            // Nothing is left, so nothing costs anything.
            self.bytes = 0;
            return;
        };
        let (hash, cost) = (entry.hash, entry.cost);
        self.unlink(at);
        if let Ok(found) = self.index.find_entry(hash, |&other| other == at) {
            found.remove();
        }
        self.bytes -= cost;
        let entry = &mut self.entries[at as usize];
        entry.key = None;
        entry.older = self.free;
        self.free = at;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Small = Lru<String, u64>;

    fn of_entries(count: usize) -> Small {
        Lru::new(count * Small::ENTRY_BYTES)
    }

    fn get(cache: &mut Small, hash: u64, key: &str) -> Option<u64> {
        cache.get(hash, |other| other == key)
    }

    #[test]
    fn what_was_used_longest_ago_is_given_up() {
        let mut cache = of_entries(3);
        for (hash, key) in ["a", "b", "c"].into_iter().enumerate() {
            cache.insert(hash as u64, String::from(key), hash as u64, 0);
        }
        assert_eq!(get(&mut cache, 0, "a"), Some(0));
        cache.insert(3, String::from("d"), 3, 0);
        assert_eq!(get(&mut cache, 1, "b"), None);
        assert_eq!([0, 2, 3].map(|hash| cache.get(hash, |_| true)), [Some(0), Some(2), Some(3)]);
        assert_eq!((cache.len(), cache.bytes()), (3, cache.limit()));
    }

    #[test]
    fn keys_of_one_hash_are_told_apart() {
        let mut cache = of_entries(3);
        cache.insert(7, String::from("a"), 1, 0);
        cache.insert(7, String::from("b"), 2, 0);
        assert_eq!(
            (get(&mut cache, 7, "a"), get(&mut cache, 7, "b"), get(&mut cache, 7, "c")),
            (Some(1), Some(2), None)
        );
    }

    #[test]
    fn what_is_larger_than_the_cache_is_not_kept_and_drives_nothing_out() {
        let mut cache = of_entries(2);
        cache.insert(1, String::from("a"), 1, 0);
        cache.insert(2, String::from("huge"), 2, 2 * Small::ENTRY_BYTES);
        cache.insert(3, String::from("endless"), 3, usize::MAX);
        assert_eq!((cache.len(), get(&mut cache, 1, "a")), (1, Some(1)));
        let mut none = Small::new(0);
        none.insert(1, String::from("a"), 1, 0);
        assert!(none.is_empty());
    }

    #[test]
    fn what_fills_the_cache_alone_is_kept() {
        let mut cache = of_entries(1);
        assert!(cache.is_empty());
        cache.insert(1, String::from("a"), 1, 0);
        cache.insert(2, String::from("b"), 2, 1);
        assert_eq!((get(&mut cache, 1, "a"), get(&mut cache, 2, "b")), (Some(1), None));
        cache.insert(3, String::from("c"), 3, 0);
        assert_eq!((get(&mut cache, 1, "a"), get(&mut cache, 3, "c")), (None, Some(3)));
        assert!(!cache.is_empty());
    }

    #[test]
    #[cfg(target_pointer_width = "64")]
    fn an_entry_costs_its_slot_and_two_places_in_the_index() {
        // A string, its number of tokens, a hash, a cost and two links; in the index four bytes and one of control, twice.
        assert_eq!(Small::ENTRY_BYTES, 24 + 8 + 8 + 8 + 2 * 4 + 2 * 5);
    }

    #[test]
    fn a_long_run_agrees_with_a_plain_list() {
        // The model: a list of keys, the most recently used at the end. Costs differ, so one insertion may drive out several.
        let limit = 20 * Small::ENTRY_BYTES;
        let mut cache = Small::new(limit);
        let mut model: Vec<(u64, usize)> = Vec::new();
        let mut state = 1_u64;
        for _ in 0..20_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let key = (state >> 40) % 60;
            // Few hashes, so that many keys share one.
            let hash = key % 7;
            let cost = usize::try_from(key).unwrap_or(0) * 9;
            let found = cache.get(hash, |other| *other == key.to_string());
            assert_eq!(found.is_some(), model.iter().any(|&(other, _)| other == key));
            if let Some(at) = model.iter().position(|&(other, _)| other == key) {
                let used = model.remove(at);
                model.push(used);
            } else {
                cache.insert(hash, key.to_string(), key, cost);
                let own = cost + Small::ENTRY_BYTES;
                while model.iter().map(|&(_, cost)| cost).sum::<usize>() + own > limit {
                    model.remove(0);
                }
                model.push((key, own));
            }
            assert_eq!(cache.bytes(), model.iter().map(|&(_, cost)| cost).sum::<usize>());
            assert_eq!(cache.len(), model.len());
        }
        // Slots are used again, so the slab is no longer than the cache was ever full.
        assert!(cache.entries.len() <= 20);
        cache.clear();
        assert_eq!((cache.len(), cache.bytes(), cache.limit()), (0, 0, limit));
    }
}
