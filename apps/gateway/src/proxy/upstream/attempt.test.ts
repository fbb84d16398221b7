import type { KeyEntry, Route, UpstreamEntry } from '@callsmith/data/snapshot';
import { inboundAdapters } from '@callsmith/protocols';
import type { Sink } from '@callsmith/stream';
import { Fault, ToolTable, type Turn } from '@callsmith/turn';
import { expect, it, vi } from 'vitest';
import { Observers } from '../observers/index.ts';
import { AbortSource } from '../record/abort-source.ts';
import { newRecord } from '../record/request-record.ts';
import { DiscardedResponse } from '../response/discarded-response.ts';
import { runAttempt } from './attempt.ts';
import type { CompletionJob } from './completion-job.ts';
import type { PreparedRequest } from './prepare-request.ts';
import type { Receiver, UpstreamClient } from './upstream-client.ts';

const wrong = new TypeError('a mistake of ours');
const sink = (wrongAt: keyof Sink<unknown>): Sink<unknown> => {
  const at = (name: keyof Sink<unknown>) => () => {
    if (name === wrongAt) throw wrong;
  };
  return { push: at('push'), flush: at('flush'), end: at('end') };
};

/** Starts an attempt whose model server does as `serve` says, and whose events end in `sink`. */
async function attempted(
  sink: Sink<unknown>,
  serve: (receiver: Receiver) => void | Promise<void>,
  sending = { abort: () => {}, pause: () => {}, resume: () => {} },
) {
  const record = newRecord('r', '/v1/chat/completions', 'other');
  record.attempts.route = { upstream: {} as UpstreamEntry } as Route;
  record.request.key = {} as KeyEntry;
  const turn = { stream: true, sampling: {}, tools: new ToolTable([]) } as unknown as Turn;
  const job: Partial<CompletionJob> = {
    record,
    timing: record.upstream,
    turn,
    adapter: inboundAdapters['chat-completions'],
    response: new DiscardedResponse(turn, record.response),
    log: record.attempts,
    observers: new Observers([], record, () => {}),
    passthrough: undefined,
    signal: new AbortSource(),
  };
  const prepared = {
    adapter: { events: () => () => sink },
    parse: () => () => sink,
    body: {},
    json: '{}',
    turn,
  } as unknown as PreparedRequest;
  const client: Pick<UpstreamClient, 'admit' | 'send'> = {
    admit: () => 0,
    send: (_upstream, _request, receiver: Receiver) => {
      setImmediate(() => {
        receiver.started(200, { 'content-type': 'text/event-stream' });
        void serve(receiver);
      });
      return sending;
    },
  };
  const options = { prepared, fresh: false, correctable: false };
  const result = await runAttempt(client as UpstreamClient, job as CompletionJob, options);
  return result && 'fault' in result ? result : undefined;
}

it.each(['push', 'flush', 'end'] as const)(
  'an exception at the %s ends the attempt, and nothing else',
  async (wrongAt) => {
    const failure = await attempted(sink(wrongAt), (receiver) => {
      receiver.data(Buffer.from('data: {}\n\n'));
      receiver.flush();
      receiver.ended();
    });
    expect(failure?.fault).toBeInstanceOf(Fault);
    expect([failure?.fault.code, failure?.fault.cause]).toEqual(['internal_error', wrong]);
  },
);

it('D-39 a long stream yields to other events, and then is parsed on', async () => {
  const log: string[] = [];
  let now = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
  const slow: Sink<unknown> = {
    push: () => {
      now += 9;
      log.push('read');
    },
    flush: () => {},
    end: () => {
      throw wrong;
    },
  };
  const sending = { abort: () => {}, pause: () => log.push('pause'), resume: () => log.push('resume') };
  await attempted(
    slow,
    async (receiver) => {
      for (let n = 0; n < 6; n++) receiver.data(Buffer.from('data: {}\n\n'));
      await new Promise((next) => setImmediate(next));
      receiver.data(Buffer.from('data: {}\n\n'));
      receiver.ended();
    },
    sending,
  );
  clock.mockRestore();
  expect(log.join(' ')).toBe('read read read pause read read read resume read');
});
