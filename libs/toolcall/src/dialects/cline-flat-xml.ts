import { isObject } from '@callsmith/turn';
import type { Dialect, Hearing } from '../dialect.ts';
import { MembersOut } from '../families/members-out.ts';
import { followedBy, standsAt } from '../families/raw-value.ts';
import { rawMembers, readRaw, tagsSay } from '../families/tags.ts';
import { example, lesson } from '../families/teach.ts';
import { takeTagName, toolTagAhead, toolTagOpeners } from '../families/tool-tags.ts';
import { GaveUp, type Scanner, type Step } from '../scanner.ts';
import type { HeardCall } from '../settle/heard-call.ts';

/** True if what follows the tool's name looks like its parameters, or like the end of a call without any. */
function* paramsAhead(scan: Scanner, hear: Hearing): Step<boolean> {
  const ahead = yield* toolTagAhead(scan, hear);
  const head = /^\s*(\/?)>\s*(?:<(\/?)([A-Za-z_][\w.-]*)>)?/.exec(ahead?.behind ?? '');
  if (!ahead || !head) return false;
  if (head[1] === '/') return true;
  if (head[2] === '/') return head[3] === ahead.tool.name;
  if (head[3] === undefined) return false;
  const properties = ahead.tool.parameters?.properties;
  return !isObject(properties) || Object.hasOwn(properties, head[3]);
}

function* readParams(scan: Scanner, call: HeardCall, name: string): Step<void> {
  const out = new MembersOut(call);
  const end = `</${name}>`;
  const properties = call.tool?.parameters?.properties;
  const follow = isObject(properties)
    ? [
        end,
        ...Object.keys(properties)
          .slice(0, 256)
          .map((key) => `<${key}>`),
      ]
    : ['<'];
  for (;;) {
    yield* scan.space();
    if (yield* scan.word(end)) break;
    if (!(yield* scan.word('<'))) {
      const cut = (yield* scan.peek()) === '';
      if (!cut || scan.cut) throw new GaveUp(cut ? 'cut' : 'broken');
      call.mend('close-wrapper', scan.offset, scan.offset);
      break;
    }
    const key = yield* scan.run(/[^<>\s]/, 128);
    if (key === '' || !(yield* scan.word('>'))) throw new GaveUp((yield* scan.peek()) === '' ? 'cut' : 'broken');
    if (key.startsWith('/')) continue;
    yield* readRaw(scan, call, out, key, undefined, {
      close: `</${key}>`,
      follow,
      strip: true,
      implicit: (text, at, ended) => {
        const closes = standsAt(text, at, end, ended);
        if (!closes) return closes;
        return followedBy(text, at + end.length, [], ended, true);
      },
    });
  }
  out.end();
}

/** `<TOOLNAME>⏎<PARAM>VALUE</PARAM>⏎</TOOLNAME>`: tag names are the tools' and parameters' (Cline, Roo, Kilo) */
export const clineFlatXml: Dialect = {
  name: 'cline-flat-xml',
  plain: true,
  opens: toolTagOpeners,
  opensByTools: true,
  fits: paramsAhead,
  *read(scan, hear) {
    const name = yield* takeTagName(scan, hear);
    const call = hear.open(name);
    scan.markUnlessMarked();
    yield* scan.space();
    if (yield* scan.word('/')) {
      yield* scan.word('>');
      call.write('{}');
    } else {
      yield* scan.word('>');
      yield* readParams(scan, call, name);
    }
    call.close();
  },
  teach: (tools, choice) =>
    lesson(tools, choice, clineFlatXml.write(example), [
      'The tag names are the names of the tool and of its parameters.',
      'Write values as they are, without quotes and without escaping; objects and lists as JSON.',
    ]),
  write: (call) =>
    `<${call.name}>\n${rawMembers(call)
      .map(({ key, raw }) => `<${key}>${/^\r?\n|\r?\n$/.test(raw) ? `\n${raw}\n` : raw}</${key}>\n`)
      .join('')}</${call.name}>`,
  writeResult: ({ name, text }) => `[${name}] Result:\n${text}`,
  says: (call, tool) => tagsSay(call, tool, ['</', `<${call.name}`]),
};
