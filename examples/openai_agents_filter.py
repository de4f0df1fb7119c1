"""OpenAI Agents SDK: a filter puts lore into the input of each model call; a reasoning item keeps what follows it.

Use it as  Runner.run(agent, text, run_config=RunConfig(call_model_input_filter=add_lore))
"""

from typing import Any

from agents.run import CallModelData, ModelInputData

from interleaf import ContextBlock, place_context_blocks

LORE = [ContextBlock(id="rain", position="at_depth", depth=1, role="developer", content="It rains.")]


def add_lore(data: CallModelData[Any]) -> ModelInputData:
    """Place blocks among the input items: messages, reasoning, calls and their outputs."""
    items = data.model_data.input
    layout = {"conversation": {"message_indices": range(len(items)), "empty_index": 0}}
    result = place_context_blocks(items, LORE, layout)
    return ModelInputData(input=result.messages, instructions=data.model_data.instructions)
