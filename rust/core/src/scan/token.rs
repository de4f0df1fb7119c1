//! Control tokens of chat templates.
//!
//! Tokens in pipes, `<|…|>`, are known by their form: every family adds names of its own (`ChatML`, Llama 3, Phi, Qwen, harmony,
//! Zephyr, GLM, Kimi, Command R, and in full-width pipes `DeepSeek`). All others are known by name.

use super::Kind;
use super::code_points::{Folded, fold};
use crate::text::Unit;

/// Letters of the longest name in pipes. No tokenizer has one nearly as long.
const NAME_MAX: usize = 64;
const TOKEN_MAX: usize = NAME_MAX + 4;

/// What a token is when it is written as it should be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Family {
    /// In pipes.
    Pipes,
    /// Known by its name.
    Named,
    /// `<s>` and its like, which other languages write as well.
    Sentence,
    Reasoning,
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b':' | b'/')
}

/// The family of a whole token in ASCII.
fn family(token: &[u8]) -> Option<Family> {
    match token {
        b"<s>" | b"</s>" | b"<bos>" | b"<eos>" | b"<pad>" | b"<unk>" => Some(Family::Sentence),
        b"<think>" | b"</think>" | b"[THINK]" | b"[/THINK]" => Some(Family::Reasoning),
        // Llama 2 and Mistral.
        b"[INST]"
        | b"[/INST]"
        | b"<<SYS>>"
        | b"<</SYS>>"
        | b"[SYSTEM_PROMPT]"
        | b"[/SYSTEM_PROMPT]"
        | b"[AVAILABLE_TOOLS]"
        | b"[/AVAILABLE_TOOLS]"
        | b"[TOOL_CALLS]"
        | b"[/TOOL_CALLS]"
        | b"[TOOL_RESULTS]"
        | b"[/TOOL_RESULTS]"
        | b"[TOOL_CONTENT]"
        | b"[CALL_ID]"
        | b"[MODEL_SETTINGS]"
        | b"[/MODEL_SETTINGS]"
        // Gemma.
        | b"<start_of_turn>"
        | b"<end_of_turn>"
        | b"<start_of_image>"
        | b"<end_of_image>"
        | b"<|turn>"
        | b"<turn|>"
        | b"<|channel>"
        | b"<channel|>"
        | b"<|tool>"
        | b"<tool|>"
        | b"<|tool_call>"
        | b"<tool_call|>"
        | b"<|tool_response>"
        | b"<tool_response|>"
        | b"<|image>"
        | b"<image|>"
        | b"<|audio>"
        | b"<audio|>"
        | b"<|\"|>"
        // Qwen and Hermes.
        | b"<tool_call>"
        | b"</tool_call>"
        | b"<tool_response>"
        | b"</tool_response>"
        // GLM and Command R.
        | b"[gMASK]"
        | b"[sMASK]"
        | b"<sop>"
        | b"<eop>"
        | b"<BOS_TOKEN>"
        | b"<EOS_TOKEN>" => Some(Family::Named),
        [b'<', b'|', name @ .., b'|', b'>']
            // One letter in bars is an absolute value in brackets.
            if (2..=NAME_MAX).contains(&name.len())
                && name[0].is_ascii_alphabetic()
                && name.iter().all(|&byte| is_name_byte(byte)) =>
        {
            Some(Family::Pipes)
        }
        _ => None,
    }
}

/// How a token is written.
struct Spelling {
    letters: [u8; TOKEN_MAX],
    length: usize,
    /// Something besides ASCII and what `DeepSeek` writes: full-width pipes, and lower blocks between words.
    beyond_deepseek: bool,
    /// Something besides ASCII and its full-width forms.
    beyond_full_width: bool,
    beyond_ascii: bool,
}

impl Spelling {
    const EMPTY: Self = Self {
        letters: [0; TOKEN_MAX],
        length: 0,
        beyond_deepseek: false,
        beyond_full_width: false,
        beyond_ascii: false,
    };

    fn letters(&self) -> &[u8] {
        &self.letters[..self.length]
    }

    /// Adds a letter, unless the token is too long to be one.
    fn push(&mut self, code_point: u32, folded: u8) -> Option<()> {
        *self.letters.get_mut(self.length)? = folded;
        self.length += 1;
        if code_point > 0x7F {
            self.beyond_ascii = true;
            self.beyond_deepseek |= !matches!(code_point, 0xFF5C | 0x2581);
            self.beyond_full_width |= !(0xFF01..=0xFF5E).contains(&code_point);
        }
        Some(())
    }

    /// Passes over a character that is not seen.
    fn skip(&mut self) {
        self.beyond_ascii = true;
        self.beyond_deepseek = true;
    }

    fn kind(&self, family: Family) -> Option<Kind> {
        match family {
            // `⟨s⟩` is a mean in physics.
            Family::Sentence if self.beyond_full_width => None,
            Family::Pipes if !self.beyond_deepseek => Some(Kind::ControlToken),
            _ if self.beyond_ascii => Some(Kind::LookAlikeToken),
            Family::Pipes | Family::Named => Some(Kind::ControlToken),
            Family::Sentence => Some(Kind::SentenceToken),
            Family::Reasoning => Some(Kind::ReasoningTag),
        }
    }
}

/// Whether a token can go on with this code point after its bracket: most tags of HTML and most lists end here.
fn can_be_second(bracket: u8, second: u32) -> bool {
    let Ok(second) = u8::try_from(second) else { return true };
    let known: &[u8] = if bracket == b'<' { b"|</sbeputciaBE" } else { b"/ITSACMgs" };
    // Beyond ASCII: a soft hyphen is passed over like anything that is not seen.
    second > 0x7F || known.contains(&second)
}

/// The kind of the token that begins with the bracket at `at`, and where it ends.
pub fn read<U: Unit>(units: &[U], at: usize) -> Option<(Kind, usize)> {
    let code_point: u32 = (*units.get(at)?).into();
    let Folded::Ascii(bracket) = fold(code_point) else { return None };
    if !can_be_second(bracket, (*units.get(at + 1)?).into()) {
        return None;
    }
    let mut spelling = Spelling::EMPTY;
    spelling.push(code_point, bracket)?;
    for (offset, &unit) in units[at + 1..].iter().enumerate() {
        let code_point: u32 = unit.into();
        let letter = match fold(code_point) {
            Folded::Ascii(letter) => letter,
            Folded::Nothing => {
                spelling.skip();
                continue;
            }
            Folded::Other => return None,
        };
        spelling.push(code_point, letter)?;
        let family = match (bracket, letter) {
            // `<<SYS>>` has its brackets in pairs.
            (b'<', b'<') if spelling.length == 2 => continue,
            (b'<', b'>') if matches!(spelling.letters(), b"<<SYS>" | b"<</SYS>") => continue,
            (b'<', b'>') | (b'[', b']') => family(spelling.letters())?,
            // `DeepSeek` opens a tool call by a tag whose name is a token in pipes: `<|DSML|invoke name="…">`.
            (b'<', b'|') if matches!(spelling.letters(), b"<|DSML|" | b"</|DSML|" | b"<||DSML|" | b"</||DSML|") => {
                Family::Pipes
            }
            (b'<', b'|' | b'"') => continue,
            _ if is_name_byte(letter) => continue,
            _ => return None,
        };
        return spelling.kind(family).map(|kind| (kind, at + offset + 2));
    }
    None
}
