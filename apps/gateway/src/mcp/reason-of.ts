import { isObject, parseJson } from '@callsmith/turn';

/** Why a request to an MCP server failed, in a sentence, without long server output. */
export function reasonOf(problem: unknown): string {
  const { message = 'unknown', cause } = problem as { message?: string; cause?: { message?: string } };
  const fullMessage =
    cause?.message !== undefined && !message.includes(cause.message) ? `${message}: ${cause.message}` : message;
  return (wrongAnswer(fullMessage) ?? fullMessage).replace(/\s+/g, ' ').slice(0, 300);
}

/** The SDK reports a response that violates the protocol as a list of issues in JSON: the path and the error. */
function wrongAnswer(message: string): string | undefined {
  const from = message.indexOf('[');
  const issues = from < 0 ? undefined : parseJson(message.slice(from));
  const issue = Array.isArray(issues) ? issues[0] : undefined;
  if (!isObject(issue) || typeof issue.code !== 'string') return undefined;
  const path = Array.isArray(issue.path) ? issue.path.join('.') : '';
  return `its response does not follow the protocol${path === '' ? '' : ` at ${path}`}: ${String(issue.message)}`;
}
