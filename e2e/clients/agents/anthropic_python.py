"""An agent around the official Anthropic SDK for Python; its tools work on the current folder for real."""

import os

from anthropic import Anthropic

from tools import TOOLS, offered


def run(call):
    try:
        return {"content": str(TOOLS[call.name][0](**call.input))}
    except Exception as error:  # an error is an answer, not a crash
        return {"content": str(error), "is_error": True}


# The SDK appends /v1 itself.
client = Anthropic(base_url=os.environ["AGENT_BASE_URL"].removesuffix("/v1"), api_key=os.environ["AGENT_API_KEY"])
system = f"You are a coding agent. The working directory is {os.getcwd()}. Use the tools to do what the user asks."
messages = [{"role": "user", "content": os.environ["AGENT_PROMPT"]}]
for _ in range(40):
    with client.messages.stream(
        model=os.environ["AGENT_MODEL"],
        system=system,
        messages=messages,
        tools=[{"name": n, "description": d, "input_schema": s} for n, d, s in offered()],
        max_tokens=int(os.environ["AGENT_MAX_TOKENS"]),
    ) as stream:
        message = stream.get_final_message()
    messages.append({"role": "assistant", "content": [block.model_dump(exclude_none=True) for block in message.content]})
    calls = [block for block in message.content if block.type == "tool_use"]
    if message.stop_reason != "tool_use" or not calls:
        print("".join(block.text for block in message.content if block.type == "text"))
        break
    results = [{"type": "tool_result", "tool_use_id": call.id, **run(call)} for call in calls]
    messages.append({"role": "user", "content": results})
