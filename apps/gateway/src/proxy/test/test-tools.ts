import { Fault, type JsonObject } from '@callsmith/turn';
import type { HostedResult, HostedTool, ToolHost } from '../agent/tool-host.ts';

/** A tool for tests: what it is, and what it does. */
export interface TestTool extends HostedTool {
  run(args: JsonObject, signal: AbortSignal): Promise<HostedResult> | HostedResult;
}

/** Runs tools in memory, and records how they were called. */
export class TestTools implements ToolHost {
  readonly called: { readonly name: string; readonly args: JsonObject }[] = [];
  /** How often somebody asked which there are. */
  listed = 0;
  /** Files of the tools that read and write them, by path. */
  readonly files = new Map<string, string>();

  constructor(private readonly tools: readonly TestTool[] = []) {}

  async list(): Promise<readonly HostedTool[]> {
    this.listed += 1;
    return [...this.fileTools(), ...this.tools];
  }

  async call(
    { name }: HostedTool,
    args: JsonObject,
    { signal }: { readonly signal: AbortSignal },
  ): Promise<HostedResult> {
    this.called.push({ name, args });
    const tool = [...this.fileTools(), ...this.tools].find((one) => one.name === name);
    if (tool === undefined) throw new Fault('not_found', `There is no tool ${name}.`);
    return tool.run(args, signal);
  }

  private fileTools(): TestTool[] {
    const text = { type: 'string' };
    const tool = (
      name: string,
      properties: JsonObject,
      run: (args: Record<string, string>) => string | undefined,
    ): TestTool => ({
      name: `files__${name}`,
      server: 'files',
      tool: name,
      description: `${name} of files`,
      parameters: { type: 'object', properties, required: Object.keys(properties) },
      run: (args) => {
        const output = run(args as Record<string, string>);
        return { text: output ?? 'no such file', isError: output === undefined };
      },
    });
    return [
      tool('list', {}, () => [...this.files.keys()].join('\n')),
      tool('read', { path: text }, ({ path = '' }) => this.files.get(path)),
      tool('write', { path: text, content: text }, ({ path = '', content = '' }) => {
        this.files.set(path, content);
        return 'written';
      }),
    ];
  }
}

/** A call as a model of the dialect `hermes` writes it. */
export const markedCall = ([name, args]: readonly [name: string, args: object]): string =>
  `<tool_call>\n${JSON.stringify({ name, arguments: args })}\n</tool_call>`;
