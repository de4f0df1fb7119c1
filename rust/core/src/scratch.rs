//! Working memory of a call: from the stack where it is little, as for most requests, from the heap where it is more.

use std::ops::{Deref, DerefMut};

/// A list of a length that is known when it is made: up to `N` items lie in the value itself.
///
/// Made at once and then written by index, which takes fewer instructions than pushing items one by one.
#[derive(Debug)]
pub struct Scratch<T, const N: usize> {
    few: [T; N],
    /// Empty unless there are more than `N`.
    many: Vec<T>,
    len: usize,
}

impl<T: Copy, const N: usize> Scratch<T, N> {
    /// A list of `len` times `value`.
    #[inline]
    pub fn new(value: T, len: usize) -> Self {
        let many = if len > N { vec![value; len] } else { Vec::new() };
        Self { few: [value; N], many, len }
    }
}

impl<T, const N: usize> Deref for Scratch<T, N> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        if self.len > N { &self.many } else { &self.few[..self.len] }
    }
}

impl<T, const N: usize> DerefMut for Scratch<T, N> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        if self.len > N { &mut self.many } else { &mut self.few[..self.len] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_and_long_lists_have_their_length_and_keep_what_is_written() {
        for len in [0, 1, 3, 4, 5, 100] {
            let mut scratch: Scratch<usize, 4> = Scratch::new(7, len);
            assert_eq!(*scratch, vec![7; len]);
            for (index, slot) in scratch.iter_mut().enumerate() {
                *slot = index;
            }
            assert_eq!(*scratch, (0..len).collect::<Vec<_>>());
        }
    }
}
