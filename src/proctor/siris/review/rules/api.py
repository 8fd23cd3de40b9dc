"""The rules as an Inspect model provider: `--model rule/follow`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from inspect_ai.model import ChatMessage, ChatMessageAssistant, GenerateConfig, ModelAPI, ModelOutput
from inspect_ai.tool import ToolChoice, ToolInfo

from proctor.errors import InputError, nearest
from proctor.siris.review.rules import analyst, annotators, broken, oracle, plain
from proctor.siris.review.rules.dialogue import Answer, Dialogue, Need

Rule = Callable[..., Answer | ModelOutput]

RULES: dict[str, Rule] = {
    "follow": plain.follow,
    "reject": plain.reject,
    "random": plain.random,
    "constant-b": plain.constant_b,
    "reference": oracle.reference,
    "analyst": analyst.analyst,
    "annotator": annotators.annotator,
    "annotator-strict": annotators.annotator_strict,
    "broken-silent": broken.silent,
    "broken-endless": broken.endless,
    "broken-unknown-tool": broken.unknown_tool,
    "broken-malformed": broken.malformed,
    "broken-late": broken.late,
    "broken-early": broken.early,
    "broken-surrogates": broken.surrogates,
    "broken-boundless": broken.boundless,
}


class RuleAPI(ModelAPI):
    """Answers from the messages alone. Model argument `seed` (`-M seed=1`) goes to rules that take one."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = GenerateConfig(),  # noqa: B008 - Inspect's signature
        **model_args: Any,
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config)
        self.rule = _rule_named(model_name)
        self.model_args = model_args

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],  # noqa: ARG002 - Inspect's signature
        tool_choice: ToolChoice,  # noqa: ARG002
        config: GenerateConfig,  # noqa: ARG002
    ) -> ModelOutput:
        dialogue = Dialogue(input)
        try:
            reply = self.rule(dialogue, **self.model_args)
        except Need as need:
            reply = dialogue.call(need)
        if isinstance(reply, Answer):
            reply = ModelOutput.from_message(ChatMessageAssistant(content=reply.text(dialogue.reviewing)))
        reply.model = self.model_name
        return reply


def _rule_named(name: str) -> Rule:
    if name in RULES:
        return RULES[name]
    raise InputError(f"unknown model 'rule/{name}': {nearest(f'rule/{name}', [f'rule/{rule}' for rule in RULES])}")
