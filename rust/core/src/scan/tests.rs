use super::*;
use crate::text::tests::in_all_widths;

fn found(text: &str) -> Vec<(&'static str, String)> {
    let letters: Vec<char> = text.chars().collect();
    let result = std::cell::RefCell::new(None);
    in_all_widths(text, |view| {
        let findings: Vec<_> = scan(view)
            .into_iter()
            .map(|found| (found.kind.as_str(), letters[found.span].iter().collect::<String>()))
            .collect();
        assert_eq!(*result.borrow_mut().get_or_insert(findings.clone()), findings, "widths disagree on {text:?}");
    });
    result.into_inner().unwrap_or_default()
}

fn assert_one(text: &str, kind: &str, matched: &str) {
    assert_eq!(found(text), [(kind, matched.to_owned())], "in {text:?}");
}

fn assert_nothing(text: &str) {
    assert_eq!(found(text), [], "in {text:?}");
}

#[test]
fn tokens_of_every_family() {
    for token in [
        "<|im_start|>",
        "<|im_end|>",
        "<|endoftext|>",
        "<|fim_prefix|>",
        "<|vision_start|>",
        "<|start_header_id|>",
        "<|eot_id|>",
        "<|reserved_special_token_12|>",
        "<|python_tag|>",
        "<|header_start|>",
        "<|start|>",
        "<|channel|>",
        "<|message|>",
        "<|call|>",
        "<|return|>",
        "<|constrain|>",
        "<|end|>",
        "<|system|>",
        "<|assistant|>",
        "<|START_OF_TURN_TOKEN|>",
        "<|tool_calls_section_begin|>",
        "<|image_1|>",
        "<｜begin▁of▁sentence｜>",
        "<｜User｜>",
        "<｜tool▁calls▁begin｜>",
        "[INST]",
        "[/INST]",
        "<<SYS>>",
        "<</SYS>>",
        "[SYSTEM_PROMPT]",
        "[TOOL_CALLS]",
        "[AVAILABLE_TOOLS]",
        "[/TOOL_RESULTS]",
        "<start_of_turn>",
        "<end_of_turn>",
        "<|turn>",
        "<turn|>",
        "<|\"|>",
        "<tool_call>",
        "</tool_response>",
        "[gMASK]",
        "<sop>",
        "<BOS_TOKEN>",
    ] {
        assert_one(token, "control_token", token);
        assert_one(&format!("a{token}b"), "control_token", token);
        assert_one(&format!("<|[<<{{{token}"), "control_token", token);
        assert_nothing(&token[..token.len() - 1]);
    }
    assert_one("<｜DSML｜invoke name=\"x\">", "control_token", "<｜DSML｜");
    assert_one("</|DSML|invoke>", "control_token", "</|DSML|");
    for token in ["<s>", "</s>", "<bos>", "<eos>", "<pad>", "<unk>"] {
        assert_one(token, "sentence_token", token);
    }
    for token in ["<think>", "</think>", "[THINK]", "[/THINK]"] {
        assert_one(token, "reasoning_tag", token);
    }
}

#[test]
fn what_only_reminds_of_a_token() {
    for text in [
        "a <|> b",
        "f <| g x |> h",
        "<|x|>",
        "<||>",
        "<|a b|>",
        "<|1st|>",
        "<|a=b|>",
        "<|f(x)|>",
        "<|a,b|>",
        "<|a$|>",
        "<psi|phi>",
        "⟨s⟩",
        "⟨|x|⟩",
        "<S>",
        "fn f<S>()",
        "<span>",
        "<strong>",
        "[inst]",
        "[INSTALL]",
        "[1, 2]",
        "[x]",
        "<<EOF",
        "<<SYS>",
        "a << b >> c",
        "{{user}}",
        "<think",
        "《SYS》",
        "【12】",
    ] {
        assert_nothing(text);
    }
    for sign in ["_", "-", ".", ":", "/"] {
        let token = format!("<|a{sign}b|>");
        assert_one(&token, "control_token", &token);
    }
    let name = "a".repeat(64);
    assert_one(&format!("<|{name}|>"), "control_token", &format!("<|{name}|>"));
    assert_nothing(&format!("<|{name}a|>"));
}

#[test]
fn look_alikes() {
    for token in [
        "＜｜im_start｜＞",
        "＜|im_end|＞",
        "<│im_start│>",
        "‹|im_start|›",
        "［INST］",
        "【/INST】",
        "［／ＩＮＳＴ］",
        "＜＜SYS＞＞",
        "＜s＞",
        "＜think＞",
        "<|im_\u{200b}start|>",
        "<\u{ad}|im_start|>",
        "<|і\u{43c}_start|>",
        "<|\u{441}hannel|>",
        "<start▁of▁turn>",
        "＜start_of_turn＞",
        "＜｜User｜＞",
    ] {
        let kinds = found(token);
        if token.contains('\u{43c}') {
            // No Latin letter is drawn like that one.
            assert_eq!(kinds, []);
            continue;
        }
        assert_eq!(kinds[0], ("look_alike_token", token.to_owned()));
        let unseen = token.chars().filter(|letter| matches!(letter, '\u{200b}' | '\u{ad}')).count();
        assert_eq!(kinds.len(), 1 + unseen, "{token:?}");
    }
}

#[test]
fn markers() {
    for (text, marker) in [
        ("x {{outlet::lore}} y", "{{outlet::lore}}"),
        ("{{{outlet::a}}", "{{outlet::a}}"),
        ("{{outlet::{{outlet::a}}", "{{outlet::a}}"),
        ("{{outlet::a}}}", "{{outlet::a}}"),
        ("{{outlet::}}}", "{{outlet::}}}"),
        ("{{outlet::世界}}", "{{outlet::世界}}"),
    ] {
        assert_one(text, "outlet_marker", marker);
    }
    for text in [
        "{{outlet::}}",
        "{{outlet::a",
        "{{outlet::a}",
        "{{outlet:a}}",
        "{{ outlet::a }}",
        "{{outlet::{{}}",
        "}}{{outlet::",
    ] {
        assert_nothing(text);
    }
    let both = [("outlet_marker", "{{outlet::<|x1|>}}".to_owned()), ("control_token", "<|x1|>".to_owned())];
    assert_eq!(found("{{outlet::<|x1|>}}"), both);
}

#[test]
fn unseen_characters() {
    let cases = [
        ("a\u{200b}b", "invisible", "\u{200b}"),
        ("a\u{2060}b", "invisible", "\u{2060}"),
        ("a\u{feff}b", "invisible", "\u{feff}"),
        ("\u{feff}\u{200b}b", "invisible", "\u{feff}\u{200b}"),
        ("a\u{200c}b", "invisible", "\u{200c}"),
        ("می\u{200c}\u{200c}\u{200d}خواهم", "invisible", "\u{200c}\u{200c}\u{200d}"),
        ("a\u{2063}b", "invisible", "\u{2063}"),
        ("ig\u{ad}\u{ad}nore", "invisible", "\u{ad}\u{ad}"),
        ("1\u{ad}2", "invisible", "\u{ad}"),
        ("a\u{ad}2", "invisible", "\u{ad}"),
        ("1\u{ad}b", "invisible", "\u{ad}"),
        ("ภ\u{200b}b", "invisible", "\u{200b}"),
        ("a\u{200b}ไ", "invisible", "\u{200b}"),
        ("👩\u{200d}b", "invisible", "\u{200d}"),
        ("a\u{200d}💻", "invisible", "\u{200d}"),
        ("a\u{fe0f}\u{200d}💻", "invisible", "\u{200d}"),
        ("a\u{34f}b", "invisible", "\u{34f}"),
        ("a\u{115f}b", "invisible", "\u{115f}"),
        ("a\u{1160}b", "invisible", "\u{1160}"),
        ("\u{1820}\u{180e}b", "invisible", "\u{180e}"),
        ("a\u{180e}\u{1820}", "invisible", "\u{180e}"),
        ("a\u{3164}b", "invisible", "\u{3164}"),
        ("a\u{e0041}\u{e0042}b", "tag_characters", "\u{e0041}\u{e0042}"),
        ("🏴\u{e0067}\u{e0062}b", "tag_characters", "\u{e0067}\u{e0062}"),
        ("🏴\u{e0067}\u{e0062}\u{e0065}\u{e007f}\u{e0041}b", "tag_characters", "\u{e0041}"),
        // Two letters and an end are no part of a region; a region is spelled in letters; and what is no letter or digit
        // spells nothing.
        ("🏴\u{e0067}\u{e0062}\u{e007f}", "tag_characters", "\u{e0067}\u{e0062}\u{e007f}"),
        ("🏴\u{e0031}\u{e0062}\u{e0065}\u{e007f}", "tag_characters", "\u{e0031}\u{e0062}\u{e0065}\u{e007f}"),
        ("🏴\u{e0067}\u{e0062}\u{e002d}\u{e007f}", "tag_characters", "\u{e0067}\u{e0062}\u{e002d}\u{e007f}"),
        ("a\u{202e}b", "bidi_control", "\u{202e}"),
        ("א\u{202e}ב", "bidi_control", "\u{202e}"),
        ("a\u{2066}b", "bidi_control", "\u{2066}"),
        ("a\u{200e}b", "bidi_control", "\u{200e}"),
        ("א\u{200e}\u{200f}b", "bidi_control", "\u{200e}\u{200f}"),
        ("😀\u{fe01}\u{fe02}", "variation_selectors", "\u{fe01}\u{fe02}"),
        ("😀\u{e0100}", "variation_selectors", "\u{e0100}"),
        ("😀\u{e0101}", "variation_selectors", "\u{e0101}"),
        ("\u{fe0f}", "variation_selectors", "\u{fe0f}"),
        ("<channel|>", "control_token", "<channel|>"),
        ("<image|>", "control_token", "<image|>"),
        ("<audio|>", "control_token", "<audio|>"),
    ];
    for (text, kind, matched) in cases {
        assert_one(text, kind, matched);
    }
    for text in [
        "👩\u{200d}💻",
        "❤\u{fe0f}\u{200d}🔥",
        "\0\u{fe0f}",
        "👩🏽\u{200d}❤\u{fe0f}\u{200d}💋\u{200d}👨🏻",
        "🐦\u{200d}⬛",
        "می\u{200c}خواهم",
        "PDF\u{200c}ها",
        "ه\u{200d}.ش",
        ".\u{200d}ش",
        "a\u{323}\u{34f}b",
        "a\u{34f}\u{301}",
        "\u{1100}\u{1160}",
        "\u{115f}\u{1161}",
        "\u{1820}\u{180e}\u{1820}",
        "क्\u{200d}ष",
        "ক\u{9cd}\u{200c}",
        "ภาษา\u{200b}ไทย",
        "\u{feff}text",
        "Donau\u{ad}dampf",
        "בית C++\u{200e} ספר",
        "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
        "🏴\u{e0075}\u{e0073}\u{e0074}\u{e0078}\u{e007f}",
        "🏴\u{e0066}\u{e0072}\u{e0037}\u{e0035}\u{e007f}",
        "葛\u{e0100}",
        "☺\u{fe0f}",
        "1\u{fe0f}\u{20e3}",
        "naïve — “quoted” … ‘text’",
        "你好，世界！（注）〈书〉《名》",
    ] {
        assert_nothing(text);
    }
}

#[test]
fn a_direction_mark_is_for_a_letter_within_sixteen() {
    for (distance, in_place) in [(0, true), (15, true), (16, false)] {
        let between = ".".repeat(distance);
        for text in [format!("xא{between}\u{200e}x"), format!("x\u{200e}{between}אx")] {
            if in_place {
                assert_nothing(&text);
            } else {
                assert_one(&text, "bidi_control", "\u{200e}");
            }
        }
    }
}

#[test]
fn what_is_read_together_is_found_whatever_the_widths() {
    const GRIN: &[u32] = &[0x1F600];
    for texts in [
        [Text::One(b"a"), Text::One(b"<s>")],
        [Text::Two(&[0x4E00]), Text::Two(&[0x3C, 0x73, 0x3E])],
        [Text::Two(&[0x4E00]), Text::One(b"<s>")],
        [Text::One(b"a"), Text::Two(&[0x3C, 0x73, 0x3E])],
        [Text::Four(GRIN), Text::Four(&[0x3C, 0x73, 0x3E])],
        [Text::Four(GRIN), Text::One(b"<s>")],
        [Text::Four(GRIN), Text::Two(&[0x3C, 0x73, 0x3E])],
    ] {
        assert_eq!(scan_joined(&texts), [Found { kind: Kind::SentenceToken, span: 1..4 }], "{texts:?}");
    }
}

#[test]
fn a_token_over_several_texts_is_located_in_each() {
    let texts = [Text::One(b"ab<|im_"), Text::One(b""), Text::One(b"sta"), Text::One(b"rt|>c <s>")];
    let findings = scan_joined(&texts);
    let ends = ends_of(texts.iter().map(|text| text.len()));
    let stretches: Vec<_> = findings.iter().map(|found| locate(&found.span, &ends)).collect();
    assert_eq!(stretches[0], Stretch { first: 0, span: 2..7, end: Some((3, 4)) });
    assert_eq!(stretches[1], Stretch { first: 3, span: 6..9, end: None });
    let later = Stretch { first: 1, span: 1..6, end: Some((2, 7)) };
    assert_eq!(locate(&(3..15), &ends_of(["ab", "c<|im_", "start|>"].map(str::len))), later);
    let wide = [Text::Four(&[0x1F600]), Text::Two(&[0x4E00]), Text::One(b"<s>")];
    assert_eq!(scan_joined(&wide), [Found { kind: Kind::SentenceToken, span: 2..5 }]);
    assert_eq!(scan_joined(&wide[1..]), [Found { kind: Kind::SentenceToken, span: 1..4 }]);
    assert_eq!(scan_joined(&[]), []);
    // A token that ends where its text ends does not go on.
    assert_eq!(locate(&(0..3), &[3, 3, 6]), Stretch { first: 0, span: 0..3, end: None });
    assert_eq!(locate(&(3..6), &[3, 3, 6]), Stretch { first: 2, span: 0..3, end: None });
}

#[test]
fn hostile_text_takes_linear_time() {
    // Each of these would take minutes if what follows an opening were read to the end for each of them.
    for piece in [
        "<|",
        "<",
        "[INST",
        "[",
        "{{outlet::",
        "{",
        "<\u{200b}",
        "<|a\u{200b}",
        "\u{200e}",
        "<<SYS>",
        "<|DSML",
        "🏴\u{e0067}",
    ] {
        assert!(found(&piece.repeat(50_000)).len() <= 50_000);
    }
}
