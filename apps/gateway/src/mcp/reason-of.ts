import { isObject, parseJson } from '@callsmith/turn';

/** What went wrong on the way to an MCP server, in a sentence, without what a server says at length. */
export function reasonOf(problem: unknown): string {
  const { message = 'unknown', cause } = problem as { message?: string; cause?: { message?: string } };
  const said =
    cause?.message !== undefined && !message.includes(cause.message) ? `${message}: ${cause.message}` : message;
  return (wrongAnswer(said) ?? said).replace(/\s+/g, ' ').slice(0, 300);
}

/** The SDK tells of an answer against the protocol as a list of issues in JSON: where it is wrong, and what is. */
function wrongAnswer(message: string): string | undefined {
  const from = message.indexOf('[');
  const issues = from < 0 ? undefined : parseJson(message.slice(from));
  const issue = Array.isArray(issues) ? issues[0] : undefined;
  if (!isObject(issue) || typeof issue.code !== 'string') return undefined;
  const path = Array.isArray(issue.path) ? issue.path.join('.') : '';
  return `its response does not follow the protocol${path === '' ? '' : ` at ${path}`}: ${String(issue.message)}`;
}
