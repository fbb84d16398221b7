"""An agent around the official Google Gen AI SDK for Python; its tools work on the current folder for real."""

import os

from google import genai
from google.genai import types

from tools import TOOLS, offered


def run(call):
    try:
        return {"output": str(TOOLS[call.name][0](**call.args))}
    except Exception as error:  # an error is an answer, not a crash
        return {"error": str(error)}


# The SDK appends /v1beta itself.
client = genai.Client(
    api_key=os.environ["AGENT_API_KEY"],
    http_options=types.HttpOptions(base_url=os.environ["AGENT_BASE_URL"].removesuffix("/v1")),
)
system = f"You are a coding agent. The working directory is {os.getcwd()}. Use the tools to do what the user asks."
functions = [
    types.FunctionDeclaration(name=n, description=d, parameters_json_schema=s) for n, d, s in offered()
]
config = types.GenerateContentConfig(
    system_instruction=system,
    max_output_tokens=int(os.environ["AGENT_MAX_TOKENS"]),
    tools=[types.Tool(function_declarations=functions)],
    automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
)
contents = [types.Content(role="user", parts=[types.Part(text=os.environ["AGENT_PROMPT"])])]
for _ in range(40):
    parts = []
    stream = client.models.generate_content_stream(model=os.environ["AGENT_MODEL"], contents=contents, config=config)
    for chunk in stream:
        if chunk.candidates and chunk.candidates[0].content:
            parts += chunk.candidates[0].content.parts or []
    contents.append(types.Content(role="model", parts=parts))
    calls = [part.function_call for part in parts if part.function_call]
    if not calls:
        print("".join(part.text for part in parts if part.text))
        break
    results = [
        types.Part(function_response=types.FunctionResponse(id=call.id, name=call.name, response=run(call)))
        for call in calls
    ]
    contents.append(types.Content(role="user", parts=results))
