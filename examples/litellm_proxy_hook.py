"""LiteLLM proxy: a hook puts lore into every chat request before the proxy sends it to a provider.

In the proxy's config.yaml:  litellm_settings: {callbacks: litellm_proxy_hook.proxy_handler_instance}
"""

from typing import Any

from litellm.integrations.custom_logger import CustomLogger

from interleaf import ContextBlock, InterleafError, place_context_blocks

LORE = [ContextBlock(id="rain", position="at_depth", depth=1, role="system", content="It rains.")]


class LoreHook(CustomLogger):
    """Places blocks; a message may be a dict or one of LiteLLM's own objects."""

    async def async_pre_call_hook(self, *, data: dict[str, Any], call_type: str, **_: Any) -> Any:
        """Return the request with the lore in it, or a text that the proxy rejects the request with."""
        if call_type not in ("completion", "acompletion"):
            return data
        messages = data["messages"]
        layout = {"conversation": {"message_indices": range(len(messages)), "empty_index": 0}}
        try:
            # Several providers behind the proxy take a system message at the beginning only.
            roles = {"system": "user", "developer": "user"}
            result = place_context_blocks(messages, LORE, layout, mid_conversation_roles=roles)
        except InterleafError as error:
            return f"{error.code} at {error.path}: {error.message}"
        return {**data, "messages": result.messages}


proxy_handler_instance = LoreHook()
