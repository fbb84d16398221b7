import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ListedModel } from '@callsmith/simulator';

/** Milliseconds between two chunks of a long stream. */
const PIECE_MS = 250;
const PIECE_CHARACTERS = 8;

/** How a request ended; `cut`: it began normally and broke off. */
export type Ending = 'complete' | 'cut' | 'refused' | 'no connection';

/** The results of the requests of one kind. */
export type Tally = Record<Ending, number> & { gateways: Map<string, number>; reasons: Set<string> };

/** Requests that repeat until they are stopped. */
export interface Load {
  readonly streams: Tally;
  readonly short: Tally;
  /** Starts no more, and waits until all have ended. */
  end(): Promise<void>;
}

/** The simulator's models for the load. */
export const loadModels: readonly ListedModel[] = [
  { id: 'long', as: `sim-native@echo=on,chunk=${PIECE_CHARACTERS},delay=${PIECE_MS}` },
  { id: 'short', as: 'sim-native@echo=on,chunk=64' },
];

/** Keeps `streams` streams of `seconds` each and four callers of short requests running against one address. */
export function startLoad(url: string, key: string, { streams, seconds }: { streams: number; seconds: number }): Load {
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
  const pieces = Array.from({ length: (seconds * 1000) / PIECE_MS }, (_, place) =>
    String(place).padStart(PIECE_CHARACTERS - 1, '.'),
  );
  const prompt = pieces.join(' ');
  const tallies = { streams: newTally(), short: newTally() };
  let ended = false;
  const again = async (kind: 'streams' | 'short', body: object, whole: (text: string) => boolean, pauseMs: number) => {
    while (!ended) {
      count(tallies[kind], await ask({ agent, url, key, body, whole }));
      await sleep(pauseMs);
    }
  };
  const stream = { model: 'long', stream: true, messages: [{ role: 'user', content: prompt }] };
  const short = { model: 'short', messages: [{ role: 'user', content: 'Do the small thing.' }] };
  const callers = [
    // They start one after the other, so that at any time some start and some end.
    ...Array.from({ length: streams }, async (_, place) => {
      await sleep((place * seconds * 1000) / streams / 2);
      await again('streams', stream, (text) => streamedText(text) === prompt, 50);
    }),
    ...Array.from({ length: 4 }, () => again('short', short, (text) => text.includes('"finish_reason":"stop"'), 100)),
  ];
  return {
    ...tallies,
    async end() {
      ended = true;
      await Promise.all(callers);
      agent.destroy();
    },
  };
}

const newTally = (): Tally => ({
  complete: 0,
  cut: 0,
  refused: 0,
  'no connection': 0,
  gateways: new Map(),
  reasons: new Set(),
});

function count(tally: Tally, { ending, gateway, reason }: Ended): void {
  tally[ending] += 1;
  if (gateway !== undefined) tally.gateways.set(gateway, (tally.gateways.get(gateway) ?? 0) + 1);
  if (reason !== undefined) tally.reasons.add(reason);
}

/** Every text of a stream's deltas, joined. */
function streamedText(events: string): string | undefined {
  if (!events.includes('data: [DONE]')) return undefined;
  return [...events.matchAll(/^data: (\{.*)$/gm)]
    .map(([, event = '']) => JSON.parse(event) as { choices?: { delta?: { content?: string } }[] })
    .map(({ choices }) => choices?.[0]?.delta?.content ?? '')
    .join('');
}

interface Ended {
  readonly ending: Ending;
  readonly gateway?: string;
  readonly reason?: string;
}

function ask({
  agent,
  url,
  key,
  body,
  whole,
}: {
  agent: Agent;
  url: string;
  key: string;
  body: object;
  whole: (text: string) => boolean;
}): Promise<Ended> {
  return new Promise((done) => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` };
    const clientRequest = request(`${url}/v1/chat/completions`, { method: 'POST', agent, headers }, (response) => {
      const gateway = response.headers['x-gateway'];
      const from = typeof gateway === 'string' ? { gateway } : {};
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.once('close', () => {
        if (response.statusCode !== 200)
          done({ ...from, ending: 'refused', reason: `${response.statusCode} ${text.slice(0, 200)}` });
        else if (response.complete && whole(text)) done({ ...from, ending: 'complete' });
        else done({ ...from, ending: 'cut', reason: `ended with ${JSON.stringify(text.slice(-200))}` });
      });
      response.on('error', () => {}); // `close` follows
    });
    clientRequest.once('error', (error) => done({ ending: 'no connection', reason: error.message }));
    clientRequest.end(JSON.stringify(body));
  });
}
