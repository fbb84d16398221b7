import type { McpServer } from '@callsmith/contracts';

type Amount = number | string;

/** The form of a server, or of a new one. */
export const valuesOf = (server: McpServer | undefined) => ({
  name: server?.name ?? '',
  url: server?.url ?? '',
  auth: (server?.auth ?? 'none') as McpServer['auth'],
  authName: server?.authName ?? '',
  authIssuer: server?.authIssuer ?? '',
  credential: '',
  timeoutMs: (server?.timeoutMs ?? 60_000) as Amount,
  callsPerMinute: (server?.callsPerMinute ?? '') as Amount,
  concurrentCalls: (server?.concurrentCalls ?? '') as Amount,
  enabled: server?.enabled ?? true,
});

export type ServerValues = ReturnType<typeof valuesOf>;

/** The form as the API takes it; of a program on the host only what may be changed here. */
export function bodyOf(
  { name, url, auth, authName, authIssuer, credential, ...values }: ServerValues,
  server?: McpServer,
) {
  const { timeoutMs, callsPerMinute, concurrentCalls, enabled } = values;
  const limits = {
    timeoutMs,
    callsPerMinute: callsPerMinute === '' ? null : callsPerMinute,
    concurrentCalls: concurrentCalls === '' ? null : concurrentCalls,
  };
  if (server?.origin === 'file') return { ...limits, enabled };
  return {
    name,
    url,
    auth,
    authName: authName.trim() || null,
    authIssuer: authIssuer.trim() || null,
    // Left out where nothing was typed, so that a stored one stays.
    ...(credential !== '' && { credential }),
    ...limits,
    ...(server && { enabled }),
  };
}
