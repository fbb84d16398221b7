import { isObject } from '@callsmith/turn';
import type { CallBuilder, Dialect } from '../dialect.ts';
import { ArgumentsWriter } from '../families/arguments-writer.ts';
import { beginsAt, followedBy } from '../families/raw-value.ts';
import { parseRawValue, rawMembers, tagsCanExpress } from '../families/tags.ts';
import { example, toolPrompt } from '../families/tool-prompt.ts';
import { takeTagName, toolTagAhead, toolTagClosers, toolTagOpeners } from '../families/tool-tags.ts';
import { PendingCall, unobserved } from '../finalize/pending-call.ts';
import { ParseFailure, type Scanner, type Step } from '../scanner.ts';

/** True if what follows the tool's name looks like its parameters, or like the end of a call without any. */
function* paramsAhead(scan: Scanner, builder: CallBuilder): Step<boolean> {
  const ahead = yield* toolTagAhead(scan, builder);
  const head = /^\s*(\/?)>\s*(?:<(\/?)([A-Za-z_][\w.-]*)>)?/.exec(ahead?.behind ?? '');
  if (!ahead || !head) return false;
  if (head[1] === '/') return true;
  if (head[2] === '/') return head[3] === ahead.tool.name;
  if (head[3] === undefined) return false;
  const properties = ahead.tool.parameters?.properties;
  if (!isObject(properties) || Object.hasOwn(properties, head[3])) return true;
  // Clients add tags of their own, such as `<task_progress>`: one of the tool's own has to stand behind them.
  return Object.keys(properties).some((key) => ahead.behind.includes(`<${key}>`));
}

function* parseParameters(scan: Scanner, call: PendingCall, name: string): Step<void> {
  const out = new ArgumentsWriter(call);
  const end = `</${name}>`;
  const properties = call.tool?.parameters?.properties;
  const declared = isObject(properties) ? properties : undefined;
  const follow = declared
    ? [
        end,
        ...Object.keys(declared)
          .slice(0, 256)
          .map((key) => `<${key}>`),
      ]
    : ['<'];
  for (;;) {
    yield* scan.space();
    if (yield* scan.takeText(end)) break;
    if (!(yield* scan.takeText('<'))) {
      const cut = (yield* scan.peek()) === '';
      if (!cut || scan.cut) throw new ParseFailure(cut ? 'cut' : 'broken');
      call.repair('close-wrapper', scan.offset, scan.offset);
      break;
    }
    const key = yield* scan.run(/[^<>\s]/, 128);
    if (key === '' || !(yield* scan.takeText('>')))
      throw new ParseFailure((yield* scan.peek()) === '' ? 'cut' : 'broken');
    if (key.startsWith('/')) continue;
    const isDeclared = declared === undefined || Object.hasOwn(declared, key);
    const from = scan.offset;
    yield* parseRawValue(
      scan,
      isDeclared ? call : ignored(),
      isDeclared ? out : new ArgumentsWriter(ignored()),
      key,
      undefined,
      {
        close: `</${key}>`,
        follow,
        skipsElements: declared !== undefined,
        stripsNewlines: true,
        impliedEnd: (text, at, ended) => {
          const closes = beginsAt(text, at, end, ended);
          if (!closes) return closes;
          return followedBy(text, at + end.length, [], ended, true);
        },
      },
    );
    if (!isDeclared) call.repair('drop-undeclared', from, scan.offset);
  }
  out.end();
}

/** Takes what the tool has no parameter for. */
const ignored = (): PendingCall => new PendingCall('', '', undefined, 'text', unobserved);

/** `<TOOLNAME>⏎<PARAM>VALUE</PARAM>⏎</TOOLNAME>`: tag names are the tools' and parameters' (Cline, Roo, Kilo) */
export const clineFlatXml: Dialect = {
  name: 'cline-flat-xml',
  ambiguous: true,
  openingMarkers: toolTagOpeners,
  closingMarkers: toolTagClosers,
  markersNameTools: true,
  matches: paramsAhead,
  *parse(scan, builder) {
    const name = yield* takeTagName(scan, builder);
    const call = builder.open(name);
    scan.markUnlessMarked();
    yield* scan.space();
    if (yield* scan.takeText('/')) {
      yield* scan.takeText('>');
      call.write('{}');
    } else {
      yield* scan.takeText('>');
      yield* parseParameters(scan, call, name);
    }
    call.close();
  },
  renderToolPrompt: (tools, choice) =>
    toolPrompt(tools, choice, clineFlatXml.renderCall(example), [
      'The tag names are the names of the tool and of its parameters.',
      'Write values as they are, without quotes and without escaping; objects and lists as JSON.',
    ]),
  renderCall: (call) =>
    `<${call.name}>\n${rawMembers(call)
      .map(({ key, raw }) => `<${key}>${/^\r?\n|\r?\n$/.test(raw) ? `\n${raw}\n` : raw}</${key}>\n`)
      .join('')}</${call.name}>`,
  renderResult: ({ name, text }) => `[${name}] Result:\n${text}`,
  resultMarkers: [{ text: '[', at: 'line', behind: /^[\w.:-]+(?: for [^\n\]]*)?\] Result:/, ambiguous: true }],
  canExpress: (call, tool) => tagsCanExpress(call, tool, ['</', `<${call.name}`]),
};
