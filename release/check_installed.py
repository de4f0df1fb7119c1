"""Run by the interpreter of a new environment: is what it imports the installed package, and does it work?

python -I release/check_installed.py VERSION
"""

import pathlib
import sys

import interleaf
from interleaf import _interleaf as native

for module in (interleaf, native):
    if not pathlib.Path(str(module.__file__)).resolve().is_relative_to(pathlib.Path(sys.prefix).resolve()):
        sys.exit(f"{module.__file__} is not in {sys.prefix}")
if not interleaf.__version__ == native.__version__ == sys.argv[1]:
    sys.exit(f"versions differ: {interleaf.__version__}, {native.__version__}, {sys.argv[1]}")
result = interleaf.place_context_blocks(
    [{"role": "user", "content": "{{outlet::lore}}"}],
    [{"id": "fog", "position": "outlet", "outlet_name": "lore", "content": "Fog."}],
    {"outlets": {"lore": 0}},
)
if result.messages != [{"role": "user", "content": "Fog."}]:
    sys.exit(f"wrong answer: {result.messages}")
