import { isCommandName, isContentName, isPatchName, isPathName, propertiesOf } from './arguments.ts';
import type { OfferedTool } from './offered-tool.ts';

/** What a tool can be used for. */
export type Role = 'read' | 'write' | 'shell' | 'patch' | 'finish';

// The clients' names for their tools: opencode `read`, Continue `Read`, Cline `read_files`, Qwen Code
// `run_shell_command`, grok `view_file`, Codex `exec_command`, Copilot `run_in_terminal` …
const names: Readonly<Record<Role, RegExp>> = {
  read: /^(?:read|read_?files?|view_?file|open_?file|get_?file(?:_?contents?)?|fs_?read|cat|view|file_?read|read_?text_?file|load_?file)$/i,
  write:
    /^(?:write|write_?(?:to_?)?files?|create_?(?:new_?)?file|save_?file|fs_?write|file_?write|editor|str_?replace_?editor|str_?replace_?based_?edit_?tool)$/i,
  shell:
    /^(?:bash|shell|shell_?command|exec|exec_?command|execute_?command|run_?commands?|run_?shell_?command|run_?in_?terminal|run_?terminal_?(?:cmd|command)|local_?shell|terminal|powershell|cmd)$/i,
  patch: /^(?:apply_?patch|patch)$/i,
  finish: /^(?:attempt_?completion|submit_?and_?exit|final_?answer|complete_?task|finish)$/i,
};

/** The offered tool for a role, if its schema has what the role needs. */
export function toolFor(role: Role, tools: readonly OfferedTool[]): OfferedTool | undefined {
  return tools.find((tool) => names[role].test(bareName(tool.name)) && fits(role, tool));
}

/** A namespaced tool (`mcp__files__read_file`, `functions.read_file`) is matched by its last part. */
const bareName = (name: string): string => name.split(/__|\.|\//).at(-1) ?? name;

function fits(role: Role, tool: OfferedTool): boolean {
  const properties = propertiesOf(tool.schema).map(([name]) => name);
  if (role === 'read') return properties.some(isPathName);
  if (role === 'write') return properties.some(isPathName) && properties.some(isContentName);
  if (role === 'shell') return properties.some(isCommandName);
  if (role === 'patch') return properties.some(isPatchName);
  return true;
}
