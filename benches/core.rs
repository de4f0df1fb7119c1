//! Benches of the pure core, without Python: what the arithmetic of a call costs apart from its objects.
//!
//! `cargo bench -p interleaf-core --bench core` runs them; `-- measure` after it those whose name has that word.

// `criterion_group!` makes a public function that nobody documents.
#![allow(missing_docs)]

use std::cmp::Ordering;
use std::convert::Infallible;
use std::hint::black_box;

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use interleaf_core::assemble::{FragmentKey, assemble};
use interleaf_core::audit::{AuditKey, Comparison, audit};
use interleaf_core::block::{Order, Position, Role};
use interleaf_core::embed::{Content, Edit, Embedded, Fill, HostBlocks, embed};
use interleaf_core::fragment::{Budget, Lifetime, Trust};
use interleaf_core::layout::{Conversation, Layout, MessageIndices, MessageRange, OutletAnchor};
use interleaf_core::measure::{LengthUnit, measure};
use interleaf_core::outlet::find_markers;
use interleaf_core::place::{BlockKey, BlockKeys, IdPrefix, OutputIndices, keep_exchanges, prompt_order};
use interleaf_core::text::Text;

/// The anchors of `request_of_60` in `workloads.py`, for any number of messages.
fn layout(messages: usize) -> Layout {
    Layout {
        character: Some(MessageRange { start: 1, end: 3 }),
        examples: Some(MessageRange { start: 3, end: 11 }),
        conversation: Some(Conversation {
            message_indices: MessageIndices::Run { start: 13, step: 1, len: messages - 13 },
            empty_index: None,
        }),
        author_note: Some(12),
        outlets: vec![OutletAnchor { message_index: 0, span: None }, OutletAnchor { message_index: 11, span: None }],
    }
}

/// `count` ids of one length, as Python keeps them.
fn ids(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("entry-{number:05}")).collect()
}

struct Blocks(Vec<(String, BlockKey)>);

impl BlockKeys for Blocks {
    fn count(&self) -> usize {
        self.0.len()
    }

    fn key(&self, block: usize) -> BlockKey {
        self.0[block].1
    }

    fn compare_ids(&self, left: usize, right: usize) -> Ordering {
        self.0[left].0.cmp(&self.0[right].0)
    }
}

/// Blocks over all positions, in an order that has nothing to do with that of the prompt.
fn blocks(count: usize) -> Blocks {
    let positions = Position::ALL;
    let ids = ids(count);
    // 7919 is a prime that divides none of the counts used here, so every number comes up once.
    let shuffled = (0..count).map(|number| number * 7919 % count);
    Blocks(
        shuffled
            .map(|number| {
                let key = BlockKey {
                    position: positions[number % positions.len()],
                    depth: number as u64 % 9,
                    order: Order::Int(i64::try_from(number / 3).unwrap_or_default()),
                    id_prefix: IdPrefix::of(Text::One(ids[number].as_bytes())),
                    outlet: number % 2,
                };
                (ids[number].clone(), key)
            })
            .collect(),
    )
}

fn place(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("place");
    for (count, messages) in [(8, 16), (24, 60), (256, 20_000), (3_000, 60)] {
        let blocks = blocks(count);
        let layout = layout(messages);
        let name = format!("{messages} + {count}");
        group.bench_function(BenchmarkId::new("prompt order", &name), |bencher| {
            bencher.iter(|| prompt_order(black_box(&layout), black_box(&blocks), &[0, 0]));
        });
        let slots = prompt_order(&layout, &blocks, &[0, 0]);
        group.bench_function(BenchmarkId::new("keep exchanges", &name), |bencher| {
            // Every second gap parts a call from its result.
            bencher.iter_batched_ref(
                || slots.clone(),
                |slots| keep_exchanges(slots, |gap| Ok::<bool, Infallible>(gap % 2 == 1)),
                BatchSize::SmallInput,
            );
        });
        group.bench_function(BenchmarkId::new("layout of the result", &name), |bencher| {
            bencher.iter(|| OutputIndices::new(black_box(&slots), |_| 1).of_layout(black_box(&layout)));
        });
    }
    group.finish();
}

fn text(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("measure");
    let ascii = vec![b'a'; 1_000_000];
    let chinese = vec![0x5263_u16; 333_333];
    let emoji: Vec<u32> = (0..333_333).map(|at| if at % 18 == 0 { 0x1_F600 } else { 0x5263 }).collect();
    let texts =
        [("ASCII", Text::One(&ascii)), ("Chinese", Text::Two(&chinese)), ("Chinese with emoji", Text::Four(&emoji))];
    for (kind, text) in texts {
        for unit in [LengthUnit::Utf16, LengthUnit::Utf8] {
            group.throughput(Throughput::Elements(text.len() as u64));
            group.bench_function(BenchmarkId::new(unit.as_str(), kind), |bencher| {
                bencher.iter(|| measure(black_box(text), unit));
            });
        }
    }
    // The bound of the last: the same text read, and nothing done with it.
    group.bench_function("read alone/Chinese with emoji", |bencher| {
        bencher.iter(|| black_box(&emoji).iter().fold(0, |all, unit| all | unit));
    });
    group.finish();

    let mut group = criterion.benchmark_group("markers");
    let names = [Text::One(b"world"), Text::One(b"memory")];
    for length in [600, 60_000] {
        // A marker at the end, so that all of the text is searched, and a brace that opens none now and then.
        let mut own = b"The ferry leaves {quay} at nine. ".repeat(length / 33);
        own.extend_from_slice(b"{{outlet::world}} and {{outlet::memory}}");
        let wide: Vec<u16> = own.iter().map(|&unit| u16::from(unit)).collect();
        group.throughput(Throughput::Elements(own.len() as u64));
        for (width, text) in [("one byte", Text::One(&own)), ("two bytes", Text::Two(&wide))] {
            group.bench_function(BenchmarkId::new(width, length), |bencher| {
                bencher.iter(|| find_markers(black_box(&[text]), black_box(&names)));
            });
        }
    }
    group.finish();
}

fn embedding(criterion: &mut Criterion) {
    let edits = [
        Edit { part: 0, span: 400..417, fill: Fill::Blocks(2), outlet: 0 },
        Edit { part: 0, span: 500..518, fill: Fill::Remove, outlet: 1 },
    ];
    criterion.bench_function("embed/note with two outlets", |bencher| {
        let blocks = HostBlocks { length: |_| 160, top: 1, bottom: 1, separator: 1 };
        let mut output = Embedded::default();
        bencher.iter(|| embed(black_box(Content::Text(600)), black_box(&edits), black_box(blocks), &mut output));
    });
}

fn fragment_keys(count: usize) -> Vec<FragmentKey> {
    (0..count)
        .map(|number| FragmentKey {
            trust: Trust::ALL[number * 3 / count],
            lifetime: Lifetime::ALL[number * 3 / count],
            role: Role::ALL[number * 3 / count],
            max_chars: if number % 2 == 0 { Budget::Unlimited } else { Budget::Chars(4_000) },
            chars: 200,
            code_points: 200,
        })
        .collect()
}

/// One value differs and may.
struct OneChanged(usize);

impl Comparison for OneChanged {
    fn same_max_chars(&self, _: usize, _: usize) -> bool {
        true
    }

    fn same_value(&self, original: usize, _: usize) -> bool {
        original != self.0
    }

    fn may_change(&self, original: usize) -> bool {
        original == self.0
    }
}

fn plan(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("plan");
    for count in [30, 3_000] {
        let fragments = fragment_keys(count);
        for (name, merge) in [("assemble", false), ("assemble merged", true)] {
            group.bench_function(BenchmarkId::new(name, count), |bencher| {
                bencher.iter(|| assemble(black_box(&fragments), merge, 2));
            });
        }
        let ids = ids(count);
        let keys: Vec<AuditKey<'_>> = ids
            .iter()
            .zip(&fragments)
            .enumerate()
            .map(|(number, (id, fields))| AuditKey {
                id: Text::One(id.as_bytes()),
                // Spread as Python's hashes are; the golden ratio of 64 bits.
                id_hash: (number as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15),
                source_id: Text::One(b"source"),
                fields: *fields,
            })
            .collect();
        let reversed: Vec<AuditKey<'_>> = keys.iter().rev().copied().collect();
        let changed = OneChanged(count / 2);
        group.bench_function(BenchmarkId::new("audit", count), |bencher| {
            bencher.iter(|| audit(black_box(&keys), black_box(&keys), &changed));
        });
        group.bench_function(BenchmarkId::new("audit, reversed", count), |bencher| {
            bencher.iter(|| audit(black_box(&keys), black_box(&reversed), &changed));
        });
    }
    group.finish();
}

criterion_group!(benches, place, text, embedding, plan);
criterion_main!(benches);
