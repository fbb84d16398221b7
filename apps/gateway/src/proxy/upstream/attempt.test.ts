import type { KeyEntry, Route, UpstreamEntry } from '@callsmith/data/snapshot';
import { inboundAdapters } from '@callsmith/protocols';
import type { Sink } from '@callsmith/stream';
import { Fault, ToolTable, type Turn } from '@callsmith/turn';
import { expect, it } from 'vitest';
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

it.each(['push', 'flush', 'end'] as const)(
  'a mistake at the %s ends the attempt, and nothing else',
  async (wrongAt) => {
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
      observers: new Observers([], record, () => {}),
      passthrough: undefined,
      signal: new AbortSource(),
    };
    const prepared = {
      adapter: { events: () => () => sink(wrongAt) },
      parse: () => sink(wrongAt),
      body: {},
      json: '{}',
      turn,
    } as unknown as PreparedRequest;
    const client: Pick<UpstreamClient, 'admit' | 'send'> = {
      admit: () => 0,
      send: (_upstream, _request, receiver: Receiver) => {
        setImmediate(() => {
          receiver.started(200, { 'content-type': 'text/event-stream' });
          receiver.data(Buffer.from('data: {}\n\n'));
          receiver.flush();
          receiver.ended();
        });
        return { abort: () => {}, pause: () => {}, resume: () => {} };
      },
    };
    const failure = await runAttempt(client as UpstreamClient, job as CompletionJob, { prepared, fresh: false });
    expect(failure?.fault).toBeInstanceOf(Fault);
    expect([failure?.fault.code, failure?.fault.cause]).toEqual(['internal_error', wrong]);
  },
);
