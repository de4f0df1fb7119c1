"""Messages of other types than dict: OpenAI and Anthropic objects, LangChain, LlamaIndex, Gemini, the caller's own.

Without an adapter each message that has to be looked at is read by its type. An adapter decides what a block on its own
becomes, and can teach the library a type it does not know. No library is imported before a message of it is met.
"""

from .anthropic import split_system
from .copies import mapping_with_item
from .google_genai import GoogleGenaiAdapter
from .langchain import LangChainAdapter
from .llama_index import LlamaIndexAdapter
from .mixed import MixedAdapter, ObjectAdapter
from .protocol import MessageAdapter
from .registry import adapter_for, messages_joined
from .roles import merge_leading_system

__all__ = [
    "GoogleGenaiAdapter",
    "LangChainAdapter",
    "LlamaIndexAdapter",
    "MessageAdapter",
    "MixedAdapter",
    "ObjectAdapter",
    "adapter_for",
    "mapping_with_item",
    "merge_leading_system",
    "messages_joined",
    "split_system",
]
