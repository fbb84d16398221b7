import { cpuMs } from '@callsmith/testing';
import { createParser } from 'eventsource-parser';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sse } from './sse.ts';
import { pipe, runSync } from './stage.ts';
import { utf8 } from './utf8.ts';

const payloads = () => pipe(utf8(), sse());

const read = (text: string): string[] => runSync(sse(), [text]).out;

it('accepts data with and without a space, CRLF, CR, comments, ids and event names', () => {
  expect(
    read('data: {"a":1}\n\ndata:{"b":2}\r\n\r\n: hello\n\nid: 7\nevent: chunk\ndata: 3\r\rdata: [DONE]\n\n'),
  ).toEqual(['{"a":1}', '{"b":2}', '3', '[DONE]']);
});

it('joins several data lines, keeps a second space, treats a bare data line as an empty one', () => {
  expect(read('data: a\ndata:  b\ndata\n\n')).toEqual(['a\n b\n']);
});

it('emits the last event without its empty line, and drops a byte order mark', () => {
  expect(read('\uFEFFdata: 1\n\ndata: 2')).toEqual(['1', '2']);
});

it('reports an event: error as an error if its payload does not', () => {
  expect(
    read(
      'event: error\ndata: {"message":"x"}\n\nevent: error\ndata: {"error":1}\n\nevent: error\ndata: oh\n\ndata: {"message":"y"}\n\n',
    ),
  ).toEqual(['{"error":{"message":"x"}}', '{"error":1}', '{"error":"oh"}', '{"message":"y"}']);
});

it('ends with a fault at an oversized event, once, and ignores the rest', () => {
  const { out, fault } = runSync(sse(100), [
    'data: 1\n\n',
    'data: '.padEnd(60, 'x'),
    ''.padEnd(60, 'x'),
    '\n\ndata: 2\n\n',
  ]);
  expect(out).toEqual(['1']);
  expect(fault?.code).toBe('upstream_invalid_answer');
});

it('limits an event of many data lines too', () => {
  const { fault } = runSync(
    sse(100),
    Array.from({ length: 50 }, () => 'data: 0123456789\n'),
  );
  expect(fault?.code).toBe('upstream_invalid_answer');
});

it('is linear in an event of very many chunks', () => {
  const pieces = ['data: ', ...Array.from({ length: 300_000 }, () => 'abcd'), '\n\n'];
  const started = cpuMs();
  expect(runSync(sse(), pieces).out[0]?.length).toBe(1_200_000);
  expect(cpuMs() - started).toBeLessThan(2_000);
});

it('gives the same result wherever the bytes are split', () => {
  const text =
    '\uFEFFdata: {"t":"héllo 🎉 — ＜｜tool｜＞"}\r\n\r\n: é\r\rdata:é\ndata: \u{1F600}\n\nevent: error\r\ndata: x\r\n\r\ndata: [DONE]\n\n';
  const bytes = new TextEncoder().encode(text);
  const whole = runSync(payloads(), [bytes]).out;
  expect(whole).toHaveLength(4);
  for (let at = 1; at < bytes.length; at += 1)
    expect(runSync(payloads(), [bytes.slice(0, at), bytes.slice(at)]).out).toEqual(whole);
  expect(
    runSync(
      payloads(),
      Array.from(bytes, (byte) => Uint8Array.of(byte)),
    ).out,
  ).toEqual(whole);
});

it('decodes any text as TextDecoder would, wherever it is split', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 12 }), { maxLength: 12 }), (reads) => {
      const all = new Uint8Array(reads.flatMap((read) => [...read]));
      expect(runSync(payloads(), reads).out).toEqual(runSync(payloads(), [all]).out);
    }),
  );
});

it('parses as the standard’s own parser does, except for the cases above', () => {
  const line = fc.constantFrom(
    'data: a',
    'data:b',
    'data:  c',
    'data',
    'data:',
    ': comment',
    'id: 7',
    'event: chunk',
    'retry: 5',
    'other: x',
    'datas: y',
    '',
    '',
  );
  const ending = fc.constantFrom('\n', '\r\n', '\r');
  fc.assert(
    fc.property(fc.array(fc.tuple(line, ending, fc.boolean()), { maxLength: 30 }), (lines) => {
      const pieces = [''];
      for (const [text, end, last] of lines) {
        pieces[pieces.length - 1] += text + end;
        if (last) pieces.push('');
      }
      const expected: string[] = [];
      createParser({ onEvent: (event) => expected.push(event.data) }).feed(`${pieces.join('')}\n\n`);
      expect(runSync(sse(), [...pieces, '\n\n']).out).toEqual(expected);
    }),
    { numRuns: 2000 },
  );
});
