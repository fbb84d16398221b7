"""An agent around the official OpenAI SDK for Python; its tools work on the current folder for real."""

import json
import os
import subprocess

from openai import OpenAI

TEXT = {"type": "string"}


def read_file(path):
    with open(path, encoding="utf-8", newline="") as file:
        return file.read()


def write_file(path, content):
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(content)
    return f"wrote {len(content)} characters to {path}"


def bash(command):
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=20)
    return done.stdout + done.stderr


TOOLS = {
    "read_file": (read_file, "Reads a text file and gives back its content.", ["path"]),
    "write_file": (write_file, "Writes a text file, replacing what is there.", ["path", "content"]),
    "bash": (bash, "Runs a shell command and gives back what it prints.", ["command"]),
}


def offered():
    for name, (_, description, keys) in TOOLS.items():
        schema = {"type": "object", "properties": {key: TEXT for key in keys}, "required": keys}
        yield {"type": "function", "function": {"name": name, "description": description, "parameters": schema}}


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
        tools=list(offered()),
        max_completion_tokens=int(os.environ["AGENT_MAX_TOKENS"]),
    ) as stream:
        choice = stream.get_final_completion().choices[0]
    messages.append(choice.message.model_dump(exclude_none=True, exclude={"parsed"}))
    if not choice.message.tool_calls:
        print(choice.message.content)
        break
    for call in choice.message.tool_calls:
        messages.append({"role": "tool", "tool_call_id": call.id, "content": run(call)})
