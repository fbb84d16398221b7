"""The tools of the agents in Python; they work on the current folder for real."""

import subprocess


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
    """Each tool's name, description and JSON schema."""
    for name, (_, description, keys) in TOOLS.items():
        properties = {key: {"type": "string"} for key in keys}
        yield name, description, {"type": "object", "properties": properties, "required": keys}
