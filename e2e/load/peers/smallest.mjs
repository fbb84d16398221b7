// The smallest program on Node.js that does a gateway's work on an answer without faults: it identifies the key, checks
// the body, writes its own request, parses the answer and looks for calls in it, checks the arguments of calls, writes
// the answer under its own id, and counts and records the request. It has no strategies, retries, limits or settings.
import { createHash, randomBytes } from 'node:crypto';
import { appendFile } from 'node:fs';
import http from 'node:http';
import { devNull } from 'node:os';

const [port, upstream] = process.argv.slice(2).map(Number);
const agent = new http.Agent({ keepAlive: true, maxSockets: 4096 });
const hashed = (key) => createHash('sha256').update(key).digest('base64');
const keys = new Map([[hashed('sk-test'), { id: 'key' }]]);
const roles = new Set(['system', 'developer', 'user', 'assistant', 'tool']);
/** How calls in text begin. */
const call = /<\/?tool_call|<function|\[TOOL_CALLS|<\|tool|<invoke|Action:|```|^\s*[[{]/;
const counters = new Map();
const buckets = [5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000];
let rows = [];

http
  .createServer((request, reply) => {
    const begunAt = performance.now();
    const parts = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', () => {
      const key = keys.get(hashed((request.headers.authorization ?? '').slice(7)));
      if (key === undefined) return refuse(reply, 401, 'invalid_api_key');
      let body;
      try {
        body = JSON.parse(Buffer.concat(parts));
      } catch {
        return refuse(reply, 400, 'invalid_json');
      }
      const wrong = mistakeIn(body);
      if (wrong !== undefined) return refuse(reply, 400, wrong);
      const record = { id: `chatcmpl-${randomBytes(12).toString('hex')}`, key: key.id, model: body.model, begunAt };
      record.streamed = body.stream === true;
      forward(body, record, reply);
    });
  })
  .listen(port, '127.0.0.1', 4096);

/** The name of the first member of a body that is wrong. */
function mistakeIn({ model, messages, tools }) {
  if (typeof model !== 'string') return 'model';
  if (!Array.isArray(messages)) return 'messages';
  for (const { role, content } of messages) {
    if (!roles.has(role)) return 'role';
    if (content !== undefined && content !== null && typeof content !== 'string' && !Array.isArray(content))
      return 'content';
  }
  for (const tool of tools ?? [])
    if (typeof tool?.function?.name !== 'string' || typeof tool.function.parameters !== 'object') return 'tools';
  return undefined;
}

function refuse(reply, status, code) {
  reply.writeHead(status, { 'content-type': 'application/json' });
  reply.end(JSON.stringify({ error: { code, message: code } }));
}

function forward(body, record, reply) {
  const { model, messages, tools, stream, ...rest } = body;
  const usage = stream ? { stream_options: { include_usage: true } } : {};
  const text = JSON.stringify({ model, messages, tools, stream, ...usage, ...rest });
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
  const required = new Map(tools?.map(({ function: tool }) => [tool.name, tool.parameters.required ?? []]));
  const out = http.request(
    { host: '127.0.0.1', port: upstream, method: 'POST', path: '/v1/chat/completions', headers, agent },
    (answer) => (stream ? passEvents : passWhole)(answer, { record, reply, required }),
  );
  out.on('error', () => reply.destroy());
  reply.on('close', () => out.destroy());
  out.end(text);
}

function passWhole(answer, { record, reply, required }) {
  const parts = [];
  answer.on('data', (part) => parts.push(part));
  answer.on('end', () => {
    const value = JSON.parse(Buffer.concat(parts));
    for (const { message } of value.choices) {
      record.leaked = call.test(message.content ?? '');
      record.faults = (message.tool_calls ?? []).filter((one) => isFaulty(one.function, required)).length;
    }
    value.id = record.id;
    const text = JSON.stringify(value);
    reply.writeHead(200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
      'x-request-id': record.id,
    });
    reply.end(text);
    finish(record, value.usage);
  });
}

function passEvents(answer, { record, reply, required }) {
  reply.writeHead(200, { 'content-type': 'text/event-stream', 'x-request-id': record.id });
  answer.setEncoding('utf8');
  let rest = '';
  let tail = '';
  let usage;
  const calls = [];
  answer.on('data', (text) => {
    rest += text;
    const events = rest.split('\n\n');
    rest = events.pop();
    let out = '';
    for (const line of events) {
      if (line === 'data: [DONE]') {
        out += 'data: [DONE]\n\n';
        continue;
      }
      const event = JSON.parse(line.slice(6));
      usage = event.usage ?? usage;
      const delta = event.choices[0]?.delta;
      if (delta?.content) {
        record.firstAt ??= performance.now();
        tail = tail.slice(-16) + delta.content;
        record.leaked ||= call.test(tail);
      }
      for (const { index, function: part } of delta?.tool_calls ?? []) {
        calls[index] ??= { name: '', arguments: '' };
        calls[index].name += part.name ?? '';
        calls[index].arguments += part.arguments ?? '';
      }
      event.id = record.id;
      out += `data: ${JSON.stringify(event)}\n\n`;
    }
    if (out !== '') reply.write(out);
  });
  answer.on('end', () => {
    reply.end();
    record.faults = calls.filter((one) => isFaulty(one, required)).length;
    finish(record, usage);
  });
}

/** True if a call names no tool, or its arguments are no JSON or lack a required one. */
function isFaulty({ name, arguments: json }, required) {
  try {
    const values = JSON.parse(json);
    return !required.get(name)?.every((one) => Object.hasOwn(values, one));
  } catch {
    return true;
  }
}

function finish(record, usage) {
  const { model, begunAt, streamed, leaked, faults } = record;
  const tookMs = performance.now() - begunAt;
  add(`requests|${model}|${streamed}`, 1);
  add(`input_tokens|${model}`, usage?.prompt_tokens ?? 0);
  add(`output_tokens|${model}`, usage?.completion_tokens ?? 0);
  add(`duration|${model}|${buckets.find((bucket) => tookMs <= bucket)}`, 1);
  if (leaked || faults > 0) add(`faulty|${model}`, 1);
  rows.push({ ...record, at: Date.now(), tookMs, usage });
}

const add = (name, count) => counters.set(name, (counters.get(name) ?? 0) + count);

setInterval(() => {
  if (rows.length === 0) return;
  const text = rows.map((row) => JSON.stringify(row)).join('\n');
  rows = [];
  appendFile(devNull, `${text}\n`, () => {});
}, 250);
