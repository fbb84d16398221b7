import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A block of shell commands or of a program in a document. */
export interface CodeBlock {
  /** The document and the block's line, e.g. `docs/mcp.md:9`. */
  readonly at: string;
  readonly language: (typeof languages)[number];
  readonly text: string;
  /** The document says, in the paragraphs before it or before its section's first heading, that no test runs it. */
  readonly notRun: boolean;
}

/** A document with its commands. */
export interface DocumentCode {
  readonly file: string;
  readonly blocks: readonly CodeBlock[];
  /** Inline code in sentences and tables. */
  readonly spans: readonly string[];
}

/** The languages of runnable blocks. */
const languages = ['sh', 'ts', 'js', 'python'] as const;

/** The marker before commands that no test runs. */
const notRunMark = 'not run by our tests';

/** The code in every Markdown document of a repository for readers; `root`: its folder. */
export function documentCode(root: string): DocumentCode[] {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.md'], {
    cwd: root,
    encoding: 'utf8',
  });
  return listed
    .split('\n')
    .filter((file) => file !== '' && !file.includes('fixtures/'))
    .map((file) => codeOf(file, readFileSync(join(root, file), 'utf8')));
}

/** The code in one document. */
export function codeOf(file: string, markdown: string): DocumentCode {
  const lines = markdown.split('\n');
  const blocks: CodeBlock[] = [];
  const prose: string[] = [];
  let opening = '';
  let section = '';
  let headings = 0;
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    const fence = /^```(\w*)/.exec(line);
    if (!fence) {
      if (line.startsWith('#')) {
        headings++;
        section = '';
      } else if (headings < 2) opening += `${line}\n`;
      section += `${line}\n`;
      prose.push(line);
      continue;
    }
    const end = lines.indexOf('```', at + 1);
    const notRun = `${opening}${section}`.includes(notRunMark);
    const language = languages.find((one) => one === fence[1]);
    if (language !== undefined)
      blocks.push({ at: `${file}:${at + 1}`, language, text: lines.slice(at + 1, end).join('\n'), notRun });
    at = end === -1 ? lines.length : end;
  }
  const spans = [...prose.join('\n').matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span.replaceAll('\\|', '|'));
  return { file, blocks, spans };
}
