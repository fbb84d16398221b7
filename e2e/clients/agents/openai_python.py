"""An agent around the official OpenAI SDK for Python; its tools work on the current folder for real."""

import json
import os

from openai import OpenAI

from tools import TOOLS, offered


def run(call):
    try:
        return str(TOOLS[call.function.name][0](**json.loads(call.function.arguments)))
    except Exception as error:  # an error is an answer, not a crash
        return f"Error: {error}"


client = OpenAI(base_url=os.environ["AGENT_BASE_URL"], api_key=os.environ["AGENT_API_KEY"])
messages = [
    {"role": "system", "content": f"You are a coding agent. The working directory is {os.getcwd()}. Use the tools to do what the user asks."},
    {"role": "user", "content": os.environ["AGENT_PROMPT"]},
]
for _ in range(40):
    with client.chat.completions.stream(
        model=os.environ["AGENT_MODEL"],
        messages=messages,
        tools=[{"type": "function", "function": {"name": n, "description": d, "parameters": s}} for n, d, s in offered()],
        max_completion_tokens=int(os.environ["AGENT_MAX_TOKENS"]),
    ) as stream:
        choice = stream.get_final_completion().choices[0]
    messages.append(choice.message.model_dump(exclude_none=True, exclude={"parsed"}))
    if not choice.message.tool_calls:
        print(choice.message.content)
        break
    for call in choice.message.tool_calls:
        messages.append({"role": "tool", "tool_call_id": call.id, "content": run(call)})
