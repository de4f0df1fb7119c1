//! One number that decides most comparisons of two blocks.
//!
//! Sorting compares each block some five times, field by field: place, depth, order, id. Those branches no processor can
//! guess, and with 24 blocks they cost more than the rest of the sort. So the four are packed into one integer, in a way that
//! never puts two blocks the wrong way round: unequal numbers are in the right order, equal ones are compared in full.
//!
//! A field that does not fit gets a code that no fitting value has, and then nothing below it is packed: blocks that share
//! such a code are all alike to the number.

use crate::block::Order;
use crate::text::{Text, Unit, in_width};

const DEPTH_SHIFT: u32 = ORDER_BITS;
const ORDER_BITS: u32 = 24;
const DEPTH_BITS: u32 = 16;
const PLACE_SHIFT: u32 = DEPTH_BITS + ORDER_BITS;
/// The code of every place that does not fit the upper 24 bits: two million messages.
const PLACE_TOO_LARGE: u64 = (1 << 24) - 1;

/// A code, and whether it stands for one value alone.
struct Packed {
    code: u64,
    is_exact: bool,
}

/// `within` is near 0 (most blocks, the ranks of markers) or near the top (deeper comes first, so depths count down).
fn pack_within(within: u64) -> Packed {
    const HALF: u64 = 1 << (DEPTH_BITS - 1);
    let from_top = u64::MAX - within;
    if within < HALF - 1 {
        Packed { code: within, is_exact: true }
    } else if from_top < HALF - 1 {
        Packed { code: 2 * HALF - 1 - from_top, is_exact: true }
    } else {
        Packed { code: if within < from_top { HALF - 1 } else { HALF }, is_exact: false }
    }
}

/// Even codes for whole numbers, odd ones for what lies between them or outside.
fn pack_order(order: Order) -> Packed {
    const MIDDLE: i64 = 1 << (ORDER_BITS - 2);
    let (floor, is_whole) = match order {
        Order::Int(int) => (int, true),
        // A cast of a float saturates, and what saturates is outside anyway.
        #[allow(clippy::cast_possible_truncation)]
        #[allow(clippy::float_cmp)] // whether anything was cut off is asked exactly
        Order::Float(float) => (float.floor() as i64, float.floor() == float),
    };
    match u64::try_from(floor.saturating_add(MIDDLE)) {
        Ok(number @ 1..) if floor < MIDDLE => Packed { code: number * 2 + u64::from(!is_whole), is_exact: is_whole },
        Ok(1..) => Packed { code: (1 << ORDER_BITS) - 1, is_exact: false },
        _ => Packed { code: 0, is_exact: false },
    }
}

/// The first eight code points of an id, a byte each: made once for each block, and what decides between most ids.
///
/// After the first code point that needs more than a byte nothing may decide, for there the bytes are alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IdPrefix(u64);

impl IdPrefix {
    /// The prefix of an id.
    pub fn of(id: Text<'_>) -> Self {
        fn pack<U: Unit>(units: &[U]) -> u64 {
            let mut bytes = [0_u8; 8];
            for (byte, &unit) in bytes.iter_mut().zip(units) {
                *byte = u8::try_from(unit.into()).unwrap_or(u8::MAX);
                if *byte == u8::MAX {
                    break;
                }
            }
            u64::from_be_bytes(bytes)
        }
        Self(in_width!(id, units => pack(units)))
    }
}

/// The number. `place` and `within` are the first two fields of the full comparison.
pub fn prompt_number(place: u64, within: u64, order: Order, id: IdPrefix) -> u128 {
    if place >= PLACE_TOO_LARGE {
        return u128::from(PLACE_TOO_LARGE << PLACE_SHIFT) << 64;
    }
    let within = pack_within(within);
    let upper = (place << PLACE_SHIFT) | (within.code << DEPTH_SHIFT);
    if !within.is_exact {
        return u128::from(upper) << 64;
    }
    let order = pack_order(order);
    let upper = u128::from(upper | order.code) << 64;
    if order.is_exact { upper | u128::from(id.0) } else { upper }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unequal_numbers_are_in_the_right_order() {
        use Order::{Float, Int};
        let places = [0, 1, 7, 8, PLACE_TOO_LARGE - 1, PLACE_TOO_LARGE, u64::MAX >> 3];
        let withins = [
            0,
            1,
            32_766,
            32_767,
            1 << 40,
            u64::MAX - (1 << 40),
            u64::MAX - 32_768,
            u64::MAX - 32_767,
            u64::MAX - 32_766,
            u64::MAX - 1_000,
            u64::MAX - 1,
            u64::MAX,
        ];
        let orders = [
            Float(-1e300),
            Int(i64::MIN),
            Int(-4_194_304),
            Float(-4_194_303.5),
            Int(-4_194_303),
            Int(-1),
            Float(-0.5),
            Int(0),
            Float(0.25),
            Float(0.5),
            Int(1),
            Int(4_194_303),
            Float(4_194_303.5),
            Int(4_194_304),
            Int(i64::MAX),
            Float(1e300),
        ];
        let ids: [&[u32]; 9] = [
            &[0],
            &[0x61],
            &[0x61, 0],
            &[0x61, 0x62],
            &[0xFE, 0x7A],
            &[0xFF],
            &[0xFF, 0x7A],
            &[0x100, 0x41],
            &[0x1_F600],
        ];
        let mut all = Vec::new();
        for &place in &places {
            for &within in &withins {
                for &order in &orders {
                    for id in ids {
                        all.push((place, within, order, Text::Four(id)));
                    }
                }
            }
        }
        // Ascending by construction, so it is enough to compare each with some that follow it.
        let number = |&(place, within, order, id): &(u64, u64, Order, Text<'_>)| {
            prompt_number(place, within, order, IdPrefix::of(id))
        };
        for (index, first) in all.iter().enumerate() {
            for second in all[index..].iter().step_by(61).chain(all.get(index + 1)) {
                assert!(number(first) <= number(second), "{first:?} {second:?}");
            }
        }
    }

    #[test]
    fn common_blocks_are_told_apart_by_the_number_alone() {
        let number = |place, within, order, id: &[u8]| {
            prompt_number(place, within, Order::Int(order), IdPrefix::of(Text::One(id)))
        };
        assert!(number(8, 0, 100, b"lore-001") < number(8, 0, 100, b"lore-002"));
        assert!(number(8, 0, 99, b"z") < number(8, 0, 100, b"a"));
        assert!(number(8, u64::MAX - 4, 5, b"a") < number(8, u64::MAX - 3, 1, b"a"));
        assert!(prompt_number(8, 0, Order::Float(1.0), IdPrefix::of(Text::One(b"a"))) == number(8, 0, 1, b"a"));
    }
}
