"""The design-judgment suite: can an LLM tell when a simulator's flaw overturns its recommendation?"""

DEFAULT_SUITE = "serving-v1"
