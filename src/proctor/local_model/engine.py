"""Text in, text out: OpenVINO GenAI's continuous batching, on one compute thread."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

CACHE_GB = 1  # of KV memory
THREADS = 1  # two on shared cores wait for each other at every barrier


@dataclass(frozen=True)
class Completion:
    """What the model wrote, and how many tokens went in and out. `cut` says that it did not come to an end."""

    text: str
    prompt_tokens: int
    completion_tokens: int
    cut: bool


class Engine:
    """One model. `complete` may be called from several threads at once: their requests share the steps."""

    def __init__(self, model: Path) -> None:
        """Load a GGUF file; takes a few seconds."""
        import openvino_genai as genai

        scheduler = genai.SchedulerConfig()
        scheduler.cache_size = CACHE_GB
        scheduler.enable_prefix_caching = True
        self._genai = genai
        self._pipeline = genai.ContinuousBatchingPipeline(
            str(model), scheduler, "CPU", properties={"INFERENCE_NUM_THREADS": THREADS}
        )
        self._tokenizer = self._pipeline.get_tokenizer()
        self._numbers = count()
        self._lock = threading.Lock()

    def prompt(self, messages: list[dict[str, str]]) -> str:
        """Messages of role and content in the model's own chat format, up to where the reply begins."""
        return str(self._tokenizer.apply_chat_template(messages, add_generation_prompt=True))

    def tokens(self, text: str) -> int:
        return int(self._tokenizer.encode(text).input_ids.shape[1])

    def complete(
        self, prompt: str, max_tokens: int, temperature: float, seed: int, schema: Mapping[str, Any] | None = None
    ) -> Completion:
        """Write on from a prompt; with a JSON schema, nothing but JSON of that form."""
        with self._lock:
            handle = self._pipeline.add_request(
                next(self._numbers), prompt, self._config(max_tokens, temperature, seed, schema)
            )
        running = self._genai.GenerationStatus.RUNNING
        while handle.get_status() == running:
            with self._lock:  # whoever waits moves everybody's requests on
                if handle.get_status() == running:
                    self._pipeline.step()
        output = handle.read_all()[0]
        cut = output.finish_reason != self._genai.GenerationFinishReason.STOP
        text = self._tokenizer.decode(list(output.generated_ids), skip_special_tokens=True)
        return Completion(str(text), self.tokens(prompt), len(output.generated_ids), cut)

    def _config(self, max_tokens: int, temperature: float, seed: int, schema: Mapping[str, Any] | None) -> Any:
        config = self._genai.GenerationConfig()
        config.max_new_tokens = max_tokens
        config.do_sample = temperature > 0
        if temperature > 0:
            config.temperature = temperature
            config.rng_seed = seed
        config.set_eos_token_id(self._tokenizer.get_eos_token_id())
        if schema is not None:
            config.structured_output_config = self._genai.StructuredOutputConfig(json_schema=json.dumps(schema))
        return config
