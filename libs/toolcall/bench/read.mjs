#!/usr/bin/env node
// Time to read one long argument in 4-character deltas: CPU per KB and per delta, and how it grows. Usage: node libs/toolcall/bench/read.mjs
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'vite';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const outDir = mkdtempSync(join(tmpdir(), 'callsmith-bench-'));
await build({
  configFile: false,
  root,
  logLevel: 'error',
  resolve: { conditions: ['source'] },
  ssr: { noExternal: true, resolve: { conditions: ['source'] } },
  build: {
    ssr: 'libs/toolcall/src/index.ts',
    outDir,
    target: 'node20',
    minify: false,
    rollupOptions: { output: { entryFileNames: 'toolcall.mjs' } },
  },
});
const { parseCalls, OpenTools } = await import(pathToFileURL(join(outDir, 'toolcall.mjs')).href);

const line = 'const greeting = `hello ${name}`; // a line of code, "quoted"\n';
const value = (kilobytes) => line.repeat(Math.ceil((kilobytes * 1024) / line.length)).slice(0, kilobytes * 1024);
const texts = {
  hermes: (text) => `<tool_call>\n${JSON.stringify({ name: 'write', arguments: { content: text } })}\n</tool_call>`,
  'qwen3-coder-xml': (text) =>
    `<tool_call>\n<function=write>\n<parameter=content>\n${text}\n</parameter>\n</function>\n</tool_call>`,
  'glm-4.7': (text) => `<tool_call>write<arg_key>content</arg_key><arg_value>${text}</arg_value></tool_call>`,
  'pythonic-llama': (text) => `[write(content=${JSON.stringify(text)})]`,
  prose: (text) => text,
};

/** CPU milliseconds of one reading in deltas of `size` characters. */
function read(text, dialect, size, holdBytes) {
  const options = {
    tools: new OpenTools(),
    dialect,
    strategyUsed: 'prompt',
    holdBytes,
    toolChoice: 'auto',
    parallel: true,
  };
  const before = process.cpuUsage();
  const sink = parseCalls(options)({ push: () => {}, flush: () => {}, end: () => {} });
  for (let at = 0; at < text.length; at += size)
    sink.push({ type: 'text-delta', choice: 0, text: text.slice(at, at + size) });
  sink.push({ type: 'turn-end', choice: 0, reason: 'stop' });
  sink.end();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** The plain scan that reading is compared with: every character looked at once. */
function scan(text, size) {
  const before = process.cpuUsage();
  let quotes = 0;
  for (let at = 0; at < text.length; at += size) {
    const piece = text.slice(at, at + size);
    for (let i = 0; i < piece.length; i++) if (piece.charCodeAt(i) === 34) quotes++;
  }
  const { user, system } = process.cpuUsage(before);
  return quotes < 0 ? 0 : (user + system) / 1000;
}

const best = (times, run) => Math.min(...Array.from({ length: times }, run));
console.log('dialect            hold   100 KB ms   200 KB ms   ratio   us/KB   ns/delta');
for (const [name, wrap] of Object.entries(texts)) {
  const dialect = name === 'prose' ? 'hermes' : name;
  for (const hold of [1024, null]) {
    const small = best(9, () => read(wrap(value(100)), dialect, 4, hold));
    const large = best(9, () => read(wrap(value(200)), dialect, 4, hold));
    const cells = [
      small.toFixed(2).padStart(9),
      large.toFixed(2).padStart(11),
      (large / small).toFixed(2).padStart(7),
      ((large * 1000) / 200).toFixed(1).padStart(7),
      ((large * 1e6) / (wrap(value(200)).length / 4)).toFixed(0).padStart(10),
    ];
    console.log(name.padEnd(18), String(hold).padEnd(6), cells.join(' '));
  }
}
const plain = best(9, () => scan(value(200), 4));
console.log(
  'plain scan'.padEnd(25),
  ''.padStart(9),
  plain.toFixed(2).padStart(11),
  ''.padStart(7),
  ((plain * 1000) / 200).toFixed(1).padStart(7),
);
rmSync(outDir, { recursive: true });
