"""Plans with a budget in tokens, on the native implementation and on the reference."""

from __future__ import annotations

import math
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import interleaf
from comparison import attempt, same
from interleaf import BudgetExceededError, ContextFragment, ContextPlan, PlanError, reference
from interleaf.budget import TokenCounter, count_tokens
from interleaf.errors import CounterError

ASSEMBLE = [
    pytest.param(interleaf.assemble_context_plan, id="native"),
    pytest.param(reference.assemble_context_plan, id="reference"),
]


def fragment(identifier: str, value: Any = "four", **changes: Any) -> dict[str, Any]:
    fields = {"source_id": "app", "trust": "user", "lifetime": "turn", "role": "user", "max_chars": math.inf}
    return {"id": identifier, **fields, "value": value, **changes}


def letters(**options: Any) -> TokenCounter:
    return TokenCounter(len, **{"tokens_per_message": 0, "tokens_priming": 0, **options})


def plan(*fragments: Any, **changes: Any) -> dict[str, Any]:
    return {"fragments": fragments, "max_input_chars": math.inf, **changes}


@pytest.mark.parametrize("assemble", ASSEMBLE)
class TestAssembly:
    def test_without_a_counter_nothing_is_said_of_tokens(self, assemble: Any) -> None:
        built = assemble(plan(fragment("a")))
        assert (built.input_tokens, built.max_input_tokens, built.exactness, built.unpriced_parts) == (None,) * 4
        assert built.fragment_usage[0].tokens is None
        assert not {"input_tokens", "max_input_tokens", "exactness", "unpriced_parts"} & set(built.to_dict())
        assert "tokens" not in built.fragment_usage[0].to_dict()

    def test_messages_count_as_they_are_sent_and_fragments_alone(self, assemble: Any) -> None:
        counter = letters(tokens_per_message=3, tokens_priming=5)
        # Merged, the text is counted once as it is: "four", the separator, "sixsix".
        parts = plan(fragment("a"), fragment("b", "sixsix"), merge_adjacent=True, token_counter=counter)
        built = assemble(parts)
        assert built.input_tokens == 3 + 4 + len("four\n\nsixsix") + 5
        assert built.input_tokens == count_tokens(built.messages, counter).total
        assert [usage.tokens for usage in built.fragment_usage] == [4, 6]
        assert (built.max_input_tokens, built.exactness, built.unpriced_parts) == (None, "estimated", 0)
        assert built.to_dict()["input_tokens"] == built.input_tokens
        assert built.to_dict()["fragment_usage"][1]["tokens"] == 6

    def test_additional_messages_count_too(self, assemble: Any) -> None:
        image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
        extra = [
            {"role": "user", "content": "hello", "name": "Mira"},
            {"role": "user", "content": [{"type": "text", "text": "see"}, image, image, {"type": "file"}]},
            {"role": "user", "content": [{"type": "tool_result", "content": [{"type": "text", "text": "ok"}, image]}]},
        ]
        counter = letters(part_tokens={"image_url": 85}, tokens_per_name=1)
        built = assemble(plan(additional_messages=extra, token_counter=counter, max_input_tokens=1000))
        assert built.input_tokens == (4 + 5 + 1 + 4) + (4 + 3 + 170) + (4 + 2 + 85)
        assert (built.unpriced_parts, built.max_input_tokens) == (1, 1000)

    def test_a_template_sees_the_messages_that_are_sent(self, assemble: Any) -> None:
        seen: list[Any] = []

        def render(message: Any) -> str:
            seen.append(message)
            return f"<{message['content']}>"

        built = assemble(
            plan(
                fragment("a"),
                additional_messages=[{"role": "user", "content": "x"}],
                token_counter=letters(render=render),
            ),
            create_message=lambda message: {**message, "made": True},
        )
        assert (built.input_tokens, built.exactness) == (6 + 3, "rendered")
        assert all(one is other for one, other in zip(seen, built.messages, strict=True))

    def test_exactly_at_the_budget_is_within_it(self, assemble: Any) -> None:
        within = plan(fragment("a"), max_input_tokens=8, token_counter=letters())
        assert assemble(within).input_tokens == 8
        with pytest.raises(BudgetExceededError) as caught:
            assemble({**within, "max_input_tokens": 7})
        error = caught.value
        assert (error.code, error.path) == ("input_over_budget", "max_input_tokens")
        assert (error.limit, error.actual, error.unit, error.fragment_ids) == (7, 8, "tokens", ())
        assert [usage.tokens for usage in error.usage] == [4]
        assert "8 tokens" in str(error)

    def test_characters_are_checked_first(self, assemble: Any) -> None:
        both = plan(fragment("a"), max_input_chars=3, max_input_tokens=7, token_counter=letters())
        with pytest.raises(BudgetExceededError) as caught:
            assemble(both)
        assert (caught.value.path, caught.value.unit) == ("max_input_chars", "codepoint")
        with pytest.raises(BudgetExceededError) as caught:
            assemble({**both, "max_input_chars": 4})
        assert (caught.value.path, caught.value.unit) == ("max_input_tokens", "tokens")

    @pytest.mark.parametrize("keys", [("max_input_tokens", "token_counter"), ("maxInputTokens", "tokenCounter")])
    def test_a_plan_takes_both_spellings(self, assemble: Any, keys: tuple[str, str]) -> None:
        budget, counter = keys
        built = assemble(plan(fragment("a"), **{budget: math.inf, counter: letters()}))
        assert (built.input_tokens, built.max_input_tokens) == (8, math.inf)

    @pytest.mark.parametrize(
        ("changes", "code", "path"),
        [
            ({"max_input_tokens": -1, "token_counter": letters()}, "invalid_budget", "max_input_tokens"),
            ({"max_input_tokens": True, "token_counter": letters()}, "invalid_budget", "max_input_tokens"),
            ({"max_input_tokens": 1.5, "token_counter": letters()}, "invalid_budget", "max_input_tokens"),
            ({"max_input_tokens": 5}, "missing_field", "token_counter"),
            ({"token_counter": len}, "invalid_type", "token_counter"),
        ],
    )
    def test_wrong_fields_are_refused(self, assemble: Any, changes: dict[str, Any], code: str, path: str) -> None:
        with pytest.raises(PlanError, match="expected") as caught:
            assemble(plan(fragment("a"), **changes))
        assert (caught.value.code, caught.value.path) == (code, path)

    def test_a_counter_that_fails_is_told(self, assemble: Any) -> None:
        error = ValueError("no")

        def count(text: str) -> int:
            raise error

        with pytest.raises(CounterError) as caught:
            assemble(plan(fragment("a"), token_counter=TokenCounter(count)))
        assert caught.value.__cause__ is error


def test_errors_of_a_fragment_say_where_it_is() -> None:
    counter = TokenCounter(lambda text: 1 // (text != "b"))
    parts = plan(fragment("a", "a"), fragment("b", "b"), merge_adjacent=True, token_counter=counter)
    with pytest.raises(CounterError) as caught:
        interleaf.assemble_context_plan(parts)
    assert caught.value.path == "fragments[1].value"


def test_texts_of_fragments_and_messages_are_counted_once_and_in_one_call() -> None:
    batches: list[list[str]] = []

    def count_batch(texts: list[str]) -> list[int]:
        batches.append(texts)
        return [len(text) for text in texts]

    counter = letters(count_batch=count_batch)
    interleaf.assemble_context_plan(plan(fragment("a"), fragment("b", "sixsix"), token_counter=counter))
    assert batches == [["user", "four", "sixsix"]]


class TestNativeObjects:
    def test_a_plan_keeps_its_budget_and_counter(self) -> None:
        counter = letters()
        parts = [ContextFragment(**fragment("a"))]
        built = ContextPlan(fragments=parts, max_input_chars=100, max_input_tokens=50, token_counter=counter)
        assert (built.max_input_tokens, built.token_counter) == (50, counter)
        assert built == built.replace() == ContextPlan.from_dict(built.to_dict())
        assert built != built.replace(max_input_tokens=51)
        assert hash(built) == hash(built.replace())
        assert "max_input_tokens=50" in repr(built)
        for assemble in (interleaf.assemble_context_plan, reference.assemble_context_plan):
            assert assemble(built).input_tokens == 8

    def test_results_pickle_and_compare_with_their_tokens(self) -> None:
        built = interleaf.assemble_context_plan(plan(fragment("a"), max_input_tokens=9, token_counter=letters()))
        copy = pickle.loads(pickle.dumps(built))  # noqa: S301
        assert copy == built
        assert (copy.input_tokens, copy.exactness, copy.fragment_usage[0].tokens) == (8, "estimated", 4)
        assert built != built.replace(input_tokens=9)
        assert built.fragment_usage[0] != built.fragment_usage[0].replace(tokens=5)


TEXT = st.text(st.characters(codec=None), max_size=6)
PART = st.one_of(
    st.fixed_dictionaries({"type": st.sampled_from(["text", "input_text", "output_text"]), "text": TEXT}),
    st.fixed_dictionaries({"type": st.sampled_from(["image_url", "file"])}),
    st.fixed_dictionaries({"type": st.just("tool_result"), "content": TEXT}),
    st.fixed_dictionaries(
        {
            "type": st.just("tool_result"),
            "content": st.lists(st.fixed_dictionaries({"type": st.sampled_from(["text", "image_url"]), "text": TEXT})),
        }
    ),
)
ADDITIONAL = st.fixed_dictionaries(
    {"role": st.just("user"), "content": st.one_of(TEXT, st.lists(PART))}, optional={"name": TEXT}
)


def strict(text: str) -> int:
    """Refuses lone surrogates; one more than the length, so that pieces that are not joined would show."""
    return len(text.encode()) + 1


@given(
    values=st.lists(TEXT, max_size=4),
    additional=st.lists(ADDITIONAL, max_size=3),
    merge=st.booleans(),
    limit=st.one_of(st.none(), st.integers(0, 80), st.just(math.inf)),
    rendered=st.booleans(),
)
def test_native_and_reference_agree(
    values: list[str], additional: list[Any], merge: bool, limit: Any, rendered: bool
) -> None:
    counter = TokenCounter(
        strict,
        part_tokens={"image_url": 7},
        render=(lambda message: f"{message['role']}:{message['content']}") if rendered else None,
    )
    given_plan = plan(
        *(fragment(str(index), value) for index, value in enumerate(values)),
        additional_messages=additional,
        merge_adjacent=merge,
        max_input_tokens=limit,
        token_counter=counter,
    )
    native = attempt(lambda: interleaf.assemble_context_plan(given_plan).to_dict())
    plain = attempt(lambda: reference.assemble_context_plan(given_plan).to_dict())
    assert same(native, plain)
