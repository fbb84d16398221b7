import type { Call } from './answer.ts';
import { fillArguments, type Intent } from './arguments.ts';
import type { Conversation } from './conversation.ts';
import type { OfferedTool } from './offered-tool.ts';
import type { Step } from './plan.ts';
import { describe } from './progress.ts';
import { toolFor } from './roles.ts';

const delimiter = 'END_OF_FILE_7f3a';

/** The call for a step, with the offered tool that fits best; undefined if none does. */
export function callFor(step: Step, tools: readonly OfferedTool[], conversation: Conversation): Call | undefined {
  const intent = {
    ...baseIntent(conversation),
    purpose: `${describe(step)[0]?.toUpperCase()}${describe(step).slice(1)}`,
  };
  if (step.kind === 'read') {
    return (
      use(toolFor('read', tools), { ...intent, path: step.path, verb: 'view' }) ??
      use(toolFor('shell', tools), { ...intent, command: `cat ${quote(step.path)}` })
    );
  }
  if (step.kind === 'run') return use(toolFor('shell', tools), { ...intent, command: step.command });
  const content = step.content.endsWith('\n') ? step.content : `${step.content}\n`;
  const heredoc = `<<'${delimiter}'\n${content}${delimiter}\n`;
  if (step.append) return use(toolFor('shell', tools), { ...intent, command: `cat >> ${quote(step.path)} ${heredoc}` });
  const added = content.replace(/^/gm, '+').replace(/\+$/, '');
  return (
    use(toolFor('write', tools), { ...intent, path: step.path, content: step.content, verb: 'create' }) ??
    use(toolFor('patch', tools), {
      ...intent,
      patch: `*** Begin Patch\n*** Add File: ${step.path}\n${added}*** End Patch\n`,
    }) ??
    use(toolFor('shell', tools), { ...intent, command: `cat > ${quote(step.path)} ${heredoc}` })
  );
}

const use = (tool: OfferedTool | undefined, intent: Intent): Call | undefined =>
  tool && { name: tool.name, arguments: fillArguments(tool.schema, intent) };

const quote = (path: string): string => (/^[\w./~-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`);

/** What all calls of a conversation have in common. */
export function baseIntent(conversation: Conversation): Intent {
  const cwd = workingDirectory(conversation.surroundings);
  return { task: conversation.task, purpose: conversation.task.slice(0, 80), ...(cwd !== undefined && { cwd }) };
}

// Cline: "Current Working Directory (/w) Files"; opencode, Kilo, Continue: "Working directory: /w"; Codex: <cwd>/w</cwd>
const directory =
  /(?:current working directory\s*\(|<cwd>|(?:current )?working directory(?: is)?:?\s*"?|in the directory:?\s*"?|workspace(?: root)?(?: folder| directory)?:\s*"?|"cwd":\s*")((?:\/|[A-Za-z]:\\)[^\n"<>)]*)/i;

/** The working directory in a client's prompt; undefined if none. */
export const workingDirectory = (text: string): string | undefined =>
  directory
    .exec(text)?.[1]
    ?.trim()
    .replace(/[.,;]$/, '');
