import type { Sink } from '@callsmith/stream';
import type { UpstreamEvent } from '@callsmith/turn';
import { expect, it, vi } from 'vitest';
import { PacedEvents } from './paced-events.ts';

const text = (length: number, choice = 0): UpstreamEvent => ({ type: 'text-delta', choice, text: 'x'.repeat(length) });

/** Takes events as slowly as a hostile text is parsed. */
function slow(msEach: number) {
  const seen = { text: 0, events: [] as UpstreamEvent[], longest: 0, ends: 0, flushes: 0 };
  const sink: Sink<UpstreamEvent> = {
    push(event) {
      const until = performance.now() + msEach;
      while (performance.now() < until);
      seen.events.push(event);
      if (event.type === 'text-delta') {
        seen.text += event.text.length;
        seen.longest = Math.max(seen.longest, event.text.length);
      }
    },
    pushText: () => true,
    flush: () => void seen.flushes++,
    end: () => void seen.ends++,
  };
  const pace = { pause: vi.fn(), resume: vi.fn(), sliceDone: vi.fn(), failed: vi.fn() };
  return { seen, pace, sink, paced: new PacedEvents(sink, pace) };
}

it('short events pass immediately', () => {
  const { seen, paced, pace } = slow(0);
  paced.push(text(100));
  expect(paced.pushText('abc')).toBe(true);
  paced.flush();
  paced.end();
  expect(seen).toMatchObject({ text: 100, flushes: 1, ends: 1 });
  expect(pace.pause).not.toHaveBeenCalled();
});

it('a long text is parsed in slices, and yields to other events between them', async () => {
  const { seen, paced, pace } = slow(8);
  let turns = 0;
  let counting = true;
  const count = (): void => {
    turns++;
    if (counting) setImmediate(count);
  };
  setImmediate(count);
  paced.push(text(640 * 1024));
  expect(seen.text).toBeLessThan(640 * 1024);
  expect(pace.pause).toHaveBeenCalled();
  // What comes meanwhile stays in its place.
  expect(paced.pushText('abc')).toBe(false);
  paced.push({ type: 'turn-end', choice: 0, reason: 'stop' });
  paced.end();
  await vi.waitFor(() => expect(seen.ends).toBe(1), { timeout: 60_000 });
  counting = false;
  expect(seen.text).toBe(640 * 1024);
  expect(seen.longest).toBeLessThanOrEqual(16 * 1024);
  expect(seen.events.at(-1)?.type).toBe('turn-end');
  expect(turns).toBeGreaterThan(8);
  expect(pace.resume).toHaveBeenCalledOnce();
});

it('many small events that arrive together yield as well', async () => {
  const { seen, paced, pace } = slow(1);
  for (let count = 0; count < 300; count++) paced.push(text(200));
  expect(seen.events.length).toBeLessThan(100);
  expect(pace.pause).toHaveBeenCalled();
  paced.push({ type: 'turn-end', choice: 0, reason: 'stop' });
  paced.flush();
  paced.end();
  await vi.waitFor(() => expect(seen.ends).toBe(1), { timeout: 60_000 });
  expect(seen.text).toBe(300 * 200);
  expect(seen.events.at(-1)?.type).toBe('turn-end');
});

it('small events that arrive one by one pass immediately', () => {
  const { seen, paced, pace } = slow(1);
  for (let count = 0; count < 60; count++) {
    paced.push(text(200));
    paced.flush();
  }
  expect(seen.events).toHaveLength(60);
  expect(pace.pause).not.toHaveBeenCalled();
});

it('arguments are sliced as well, and are the same when joined', async () => {
  const { seen, paced } = slow(0);
  const json = JSON.stringify({ a: 'y'.repeat(100_000) });
  paced.push({ type: 'call-fragment', choice: 0, index: 3, id: 'c', name: 'f', arguments: json });
  paced.end();
  await vi.waitFor(() => expect(seen.ends).toBe(1), { timeout: 60_000 });
  const fragments = seen.events.map((event) => (event.type === 'call-fragment' ? event : undefined));
  expect(fragments.map((one) => one?.arguments).join('')).toBe(json);
  expect(fragments.map((one) => one?.index)).toEqual(fragments.map(() => 3));
  expect(fragments.filter((one) => one?.name !== undefined)).toHaveLength(1);
});

it('what was cancelled is not parsed', async () => {
  const { seen, paced } = slow(8);
  paced.push(text(640 * 1024));
  paced.end();
  paced.drop();
  const before = seen.text;
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  expect([seen.text, seen.ends]).toEqual([before, 0]);
});

it('an exception while parsing is reported, once', async () => {
  const { paced, pace, sink } = slow(30);
  let count = 0;
  const push = sink.push.bind(sink);
  sink.push = (event) => {
    if (++count === 3) throw new TypeError('ours');
    push(event);
  };
  paced.push(text(640 * 1024));
  paced.end();
  await vi.waitFor(() => expect(pace.failed).toHaveBeenCalledOnce(), { timeout: 60_000 });
  expect(count).toBe(3);
});

it('very many short events pass in several slices, in order', async () => {
  const { seen, paced, pace } = slow(8);
  paced.pushAll(Array.from({ length: 12 }, (_, choice) => text(10, choice)));
  expect(seen.events.length).toBeLessThan(12);
  expect(pace.pause).toHaveBeenCalled();
  paced.end();
  await vi.waitFor(() => expect(seen.ends).toBe(1));
  expect(seen.events.map(({ choice }) => choice)).toEqual([...Array(12).keys()]);
});
