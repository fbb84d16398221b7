import type { Dialect } from '../dialect.ts';
import { ArgumentsWriter } from '../families/arguments-writer.ts';
import { toolResponse } from '../families/result-format.ts';
import { parseTagBody, rawMembers, type TagShape, tagsCanExpress } from '../families/tags.ts';
import { example, toolPrompt } from '../families/tool-prompt.ts';
import { type Scanner, type Step, unsure } from '../scanner.ts';
import { harmony } from './harmony.ts';

const role = '<|start|>assistant';
const message = '<|message|>';
const continuation = 'to=';

const shape: TagShape = {
  callOpen: `${role} to=`,
  callClose: '<|call|>',
  parameterOpen: '<rfl:parameter',
  parameterClose: '</rfl:parameter>',
  nameStyle: 'name',
  stripsNewlines: true,
  blockCloses: ['<|end|>', '<|return|>', '<|start|>'],
  closedByTurnEnd: true,
};

/** ` to=NAME<|channel|>analysis <|constrain|>xml<|message|>`, without `to=` if that is part of the marker. */
const header = /^\s*(?:to=)?([^\s<>{}]+)<\|channel\|>\w+(\s*<\|constrain\|>\s*xml)?\s*<\|message\|>\s*/;

/** The header of a call, if one is here; consumes nothing. */
const headerAhead = (scan: Scanner): Step<RegExpExecArray | undefined> =>
  scan.look(280, (ahead, all) => {
    const at = ahead.indexOf(message);
    if (at < 0) return !all && /^\s*[^\s<>{}]*(?:<[^{}]*)?$/.test(ahead) ? unsure : undefined;
    const found = header.exec(ahead);
    if (!found || found[2] !== undefined) return found ?? undefined;
    const behind = ahead.slice(found[0].length);
    if (behind.startsWith(shape.parameterOpen)) return found;
    return !all && shape.parameterOpen.startsWith(behind) ? unsure : undefined;
  });

/**
 * `<|start|>assistant to=NAME<|channel|>analysis <|constrain|>xml<|message|><rfl:parameter name="K">⏎V⏎</rfl:parameter><|call|>`:
 * Harmony's messages with tags as arguments; its other messages are Harmony's. From the parsers for Reflection's Beam in
 * llama.cpp (`harmony-xml`) and in SMG.
 */
export const beam: Dialect = {
  name: 'beam',
  openingMarkers: (_tools, own) => [
    { text: role, at: 'anywhere' },
    // The prompt ends with the role. Without a call it is a Harmony message, only parsed for this dialect's models.
    ...(own
      ? ([
          { text: '<|channel|>', at: 'anywhere' },
          { text: continuation, at: 'answer' },
        ] as const)
      : []),
  ],
  *matches(scan, builder) {
    if (yield* headerAhead(scan)) return true;
    if (!builder.own || builder.openingMarker.text === continuation || !harmony.matches) return false;
    return yield* harmony.matches(scan, builder);
  },
  *parse(scan, builder) {
    const head = yield* headerAhead(scan);
    if (!head) return yield* harmony.parse(scan, builder);
    scan.at += head[0].length;
    const call = builder.open((head[1] as string).replace(/^functions\./, ''));
    scan.markUnlessMarked();
    yield* parseTagBody(scan, call, new ArgumentsWriter(call), shape);
    yield* scan.oneOf(['<|end|>', '<|return|>']);
  },
  renderToolPrompt: (tools, shape) =>
    toolPrompt(tools, shape, beam.renderCall(example), [
      'Write values as they are, without quotes and without escaping; objects and lists as JSON.',
      'Call one tool in a message.',
    ]),
  renderCall: (call) => {
    const params = rawMembers(call).map(({ key, raw }) => `<rfl:parameter name="${key}">\n${raw}\n</rfl:parameter>`);
    return `${role} to=${call.name}<|channel|>analysis <|constrain|>xml${message}${params.join('')}<|call|>`;
  },
  canExpress: (call, tool) =>
    tagsCanExpress(call, tool, [shape.parameterClose, shape.parameterOpen, shape.callClose, ...shape.blockCloses]),
  // The arguments may be JSON instead of tags.
  fence: ({ name }) => ({
    trigger: `${role} to=`,
    begin: `${role} to=${name}<|channel|>analysis <|constrain|>xml${message}`,
    end: shape.callClose,
    style: 'json',
  }),
  closingMarkers: () => [shape.parameterClose],
  frames: [
    { text: '<|end|>', at: 'anywhere' },
    { text: '<|return|>', at: 'anywhere' },
  ],
  ...(harmony.template && { template: harmony.template }),
  ...toolResponse,
};
