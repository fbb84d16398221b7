import { inboundAdapters, outboundAdapters } from '@callsmith/protocols';
import { dialectNamed, parseCalls, preparePrompt } from '@callsmith/toolcall';
import { ToolTable, type Turn } from '@callsmith/turn';
import { responsePipe } from './upstream/response-pipe.ts';

const rounds = 30;
const noListeners = { payload: [], upstreamEvent: [], turnEvent: [] };

/** Runs the code paths of a turn on a small built-in example, so that the first client does not wait for cold code. */
export function warmUp(): void {
  const hermes = dialectNamed('hermes');
  for (let round = 0; round < rounds; round++) {
    for (const client of Object.values(inboundAdapters)) {
      const head = { id: 'warm', model: 'warm', createdAt: 0 };
      if (hermes) outboundAdapters['openai-chat'].request(preparePrompt(turn, hermes), target);
      const parse = parseCalls({
        tools: turn.tools,
        dialect: round % 2 === 0 ? 'auto' : 'hermes',
        dialectDeclared: false,
        strategyUsed: 'native',
        holdBytes: 1024,
        toolChoice: 'auto',
        parallel: true,
      });
      const frames = client.streamFrames(turn, head)({ push: () => {}, flush: () => {}, end: () => {} });
      const { bytes, events } = responsePipe({ adapter: outboundAdapters['openai-chat'], parse }, noListeners);
      const sink = bytes(events(frames));
      for (const event of stream) {
        sink.push(event);
        sink.flush();
      }
      sink.end();
    }
  }
}

const chunk = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ id: 'w', object: 'chat.completion.chunk', created: 1, model: 'w', choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }] })}\n\n`;

const stream = [
  chunk({ role: 'assistant', content: '' }),
  ...['I will ', 'look ', 'at it.\n', '<tool_call>\n{"name": "look", ', '"arguments": {"at": "it"}}\n</tool_call>'].map(
    (content) => chunk({ content }),
  ),
  chunk({ tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'look', arguments: '{"at":' } }] }),
  chunk({ tool_calls: [{ index: 0, function: { arguments: ' "it"}' } }] }),
  chunk({}, 'tool_calls'),
  'data: [DONE]\n\n',
].map((text) => Buffer.from(text));

const target = { upstream: 'warm', kind: 'vllm', baseUrl: 'http://warm/v1', model: 'warm' } as const;

const turn: Turn = {
  model: 'warm',
  messages: [
    { role: 'system', content: 'You look at things.' },
    { role: 'user', content: 'Look at it.' },
    { role: 'assistant', content: null, calls: [{ id: 'a', name: 'look', arguments: '{"at":"it"}' }] },
    { role: 'tool', callId: 'a', content: 'It is there.' },
  ],
  tools: new ToolTable([
    {
      name: 'look',
      description: 'Looks at something.',
      parameters: { type: 'object', properties: { at: { type: 'string' } }, required: ['at'] },
    },
  ]),
  toolChoice: 'auto',
  parallel: true,
  stream: true,
  includeUsage: true,
  n: 1,
  sampling: {},
};
