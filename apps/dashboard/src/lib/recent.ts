/** A page that somebody has read. */
export interface Recent {
  /** Its path. */
  readonly to: string;
  readonly label: string;
}

const KEY = 'callsmith-recent';
const MOST = 8;

/** The pages of requests and models that were read last in this browser, the newest first. */
export function recentPages(): readonly Recent[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(kept) ? kept.filter(isRecent) : [];
  } catch {
    return [];
  }
}

/** Puts a page in front of those that were read. */
export function remember(page: Recent): void {
  const others = recentPages().filter(({ to }) => to !== page.to);
  keep(JSON.stringify([page, ...others].slice(0, MOST)));
}

/** Whoever signs in next does not see what was read. */
export const forgetRecent = (): void => keep('[]');

function keep(text: string): void {
  try {
    localStorage.setItem(KEY, text);
  } catch {
    // A browser that keeps nothing has nothing to show again.
  }
}

const isRecent = (one: Partial<Recent> | null): one is Recent =>
  typeof one?.to === 'string' && one.to.startsWith('/') && !one.to.startsWith('//') && typeof one.label === 'string';
