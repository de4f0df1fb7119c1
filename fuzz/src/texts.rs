//! Text in every width that can hold it.

use interleaf_core::text::Text;

/// Calls `look` with the text in each width it fits.
pub fn in_all_widths(code_points: &[u32], mut look: impl FnMut(Text<'_>)) {
    if let Ok(units) = code_points.iter().map(|&point| u8::try_from(point)).collect::<Result<Vec<_>, _>>() {
        look(Text::One(&units));
    }
    if let Ok(units) = code_points.iter().map(|&point| u16::try_from(point)).collect::<Result<Vec<_>, _>>() {
        look(Text::Two(&units));
    }
    look(Text::Four(code_points));
}
