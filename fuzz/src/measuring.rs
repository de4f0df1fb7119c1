//! Lengths against the standard library, character by character.

use arbitrary::Unstructured;
use interleaf_core::measure::{LengthUnit, measure};

use crate::texts::in_all_widths;

fn code_points(data: &mut Unstructured<'_>) -> arbitrary::Result<Vec<u32>> {
    let bound = *data.choose(&[0x80, 0x100, 0x800, 0x1_0000, 0x11_0000])?;
    let mut points = Vec::new();
    while !data.is_empty() {
        points.push(data.int_in_range(0..=bound - 1)?);
    }
    // Past the length at which the counting loop starts over.
    let times = if points.len() > 120 { 9000 / points.len().max(1) } else { 1 };
    Ok(points.repeat(times))
}

/// One text in all units and widths.
pub fn check(data: &[u8]) {
    let Ok(points) = code_points(&mut Unstructured::new(data)) else { return };
    let (mut utf16, mut utf8) = (0, 0);
    for &point in &points {
        // What is no char is a lone surrogate.
        utf16 += char::from_u32(point).map_or(1, char::len_utf16) as u64;
        utf8 += char::from_u32(point).map_or(3, char::len_utf8) as u64;
    }
    in_all_widths(&points, |text| {
        assert_eq!(measure(text, LengthUnit::Codepoint), points.len() as u64);
        assert_eq!(measure(text, LengthUnit::Utf16), utf16);
        assert_eq!(measure(text, LengthUnit::Utf8), utf8);
        assert_eq!(text.has_surrogate(), points.iter().any(|&point| char::from_u32(point).is_none()));
        assert_eq!(text.code_points().collect::<Vec<_>>(), points);
    });
}
