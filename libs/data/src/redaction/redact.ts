import { maskOwnSecrets, type OwnSecret } from './own-secrets.ts';

// Each pattern begins with specific letters and repeats only simple classes: one pass, linear in the text. A group
// marks the secret if the text before it is kept; without one the whole match is the secret. The hints come before it:
// a text in which it matches contains one of them, in any case. No hint overlaps the start of the next one. The
// description for admins comes first.
const FORMS: readonly [what: string, hints: readonly string[], form: RegExp][] = [
  ['Keys that begin with sk-: OpenAI, Anthropic, Callsmith', ['sk-'], /sk-[A-Za-z0-9_-]{16,}/g],
  [
    'What follows Bearer or Basic in a header',
    ['bearer', 'basic'],
    /(?:Bearer|Basic)\s{1,4}([A-Za-z0-9._~+/-]{12,}={0,2})/gi,
  ],
  ['Key ids of AWS', ['akia', 'asia', 'aroa', 'aida'], /(?:AKIA|ASIA|AROA|AIDA)[0-9A-Z]{16}\b/g],
  ['Secret access keys of AWS', ['secret'], /aws_secret_access_key[\\"'\s:=]{1,10}([A-Za-z0-9/+=]{40})/gi],
  ['Tokens of GitHub', ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], /gh[pousr]_[A-Za-z0-9]{30,}/g],
  ['Fine-grained tokens of GitHub', ['github_pat_'], /github_pat_[A-Za-z0-9_]{40,}/g],
  ['Tokens of GitLab', ['glpat-'], /glpat-[A-Za-z0-9_-]{20,}/g],
  ['Tokens of Slack', ['xox'], /xox[abeprs]-[A-Za-z0-9-]{10,}/g],
  ['API keys of Google', ['aiza'], /AIza[A-Za-z0-9_-]{35,}/g],
  ['Access tokens of Google', ['ya29.'], /ya29\.[A-Za-z0-9_-]{20,}/g],
  ['Tokens of Hugging Face', ['hf_'], /hf_[A-Za-z0-9]{30,}/g],
  ['Tokens of npm', ['npm_'], /npm_[A-Za-z0-9]{36}\b/g],
  ['Keys of Stripe', ['k_live_', 'k_test_'], /[sr]k_(?:live|test)_[A-Za-z0-9]{16,}/g],
  ['Keys of SendGrid', ['sg.'], /SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}/g],
  ['JSON web tokens', ['eyj'], /eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{5,}/g],
  ['Passwords in addresses', ['://'], /:\/\/[^\s:/@"'\\]{1,100}:([^\s@/"'\\]{3,200})@/g],
  [
    'Values of fields named password, secret, api_key, access_token and the like',
    ['passw', 'pwd', 'secret', 'apikey', 'api_key', 'api-key', 'access_', 'refresh_', 'auth_'],
    /(?:password|passwd|pwd|secret|client_secret|secret_key|api[_-]?key|apikey|access_token|refresh_token|auth_token|x-api-key)[\\"']{0,4}\s{0,4}[:=]\s{0,4}[\\"']{1,4}([^\s"'\\]{6,500})/gi,
  ],
  [
    'Variables like DB_PASSWORD=… or OPENAI_API_KEY=… of .env files',
    ['passw', 'secret', 'api_key', 'access_', 'token='],
    /(?:[A-Z][A-Z0-9]{0,40}_){0,6}(?:PASSWORD|SECRET|SECRET_KEY|API_KEY|ACCESS_KEY|TOKEN)=([^\s"'\\]{8,500})/g,
  ],
];

/**
 * A word boundary, or the position after a line break or tab as JSON escapes it: `\nsk-…` has no boundary before the
 * secret.
 */
const BEGINS = String.raw`(?:\b|(?<=\\[bfnrt]))`;

const PATTERNS = FORMS.map(([, hints, { source, flags }]) => ({ hints, pattern: new RegExp(BEGINS + source, flags) }));

const HINTS = new RegExp(
  [...new Set(FORMS.flatMap(([, hints]) => hints))].map((hint) => hint.replaceAll('.', '\\.')).join('|'),
  'gi',
);

/** The shortest text that contains a secret: a password in a URL, `a://b:ccc@`. */
const SHORTEST = 10;

const KEY_BEGINS = /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----/g;
const KEY_ENDS = '-----END';

/** The built-in forms of secrets, in words. */
export const BUILT_IN_SECRETS: readonly string[] = ['Private keys in PEM form', ...FORMS.map(([what]) => what)];

// Everything that this process stores or logs goes through `redact`; the config snapshot adds the admins' custom forms.
let own: readonly OwnSecret[] = [];

/** From now on these are masked as well, in everything that this process stores. */
export function useOwnSecrets(secrets: readonly OwnSecret[]): void {
  own = secrets;
}

/**
 * Masks secrets; each is replaced by as many `•` as it has UTF-16 units, so that offsets into the text stay valid
 * (D-29).
 */
export const redact = (text: string): string => redactWith(text, own);

/** Masks built-in forms of secrets and these. */
export function redactWith(text: string, secrets: readonly OwnSecret[]): string {
  const masked = maskBuiltIn(text);
  return secrets.length === 0 ? masked : maskOwnSecrets(text, masked, secrets);
}

function maskBuiltIn(text: string): string {
  if (text.length < SHORTEST) return text;
  let masked = maskKeys(text);
  const found = hintsIn(masked);
  if (found.size === 0) return masked;
  for (const { hints, pattern } of PATTERNS)
    if (hints.some((hint) => found.has(hint))) masked = masked.replace(pattern, maskGroup);
  return masked;
}

/** One scan of the text selects the patterns that can match. */
function hintsIn(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  HINTS.lastIndex = 0;
  for (let hit = HINTS.exec(text); hit !== null; hit = HINTS.exec(text)) found.add(hit[0].toLowerCase());
  return found;
}

function maskGroup(match: string, group: unknown): string {
  if (typeof group !== 'string') return '•'.repeat(match.length);
  const at = match.lastIndexOf(group);
  return match.slice(0, at) + '•'.repeat(group.length) + match.slice(at + group.length);
}

/** Masks what is between the lines of private keys; of a key without an end, everything that follows. */
function maskKeys(text: string): string {
  if (!text.includes('PRIVATE KEY-----')) return text;
  let masked = '';
  let from = 0;
  for (const begin of text.matchAll(KEY_BEGINS)) {
    if (begin.index < from) continue;
    const body = begin.index + begin[0].length;
    const end = text.indexOf(KEY_ENDS, body);
    const until = end === -1 ? text.length : end;
    masked += text.slice(from, body) + '•'.repeat(until - body);
    from = until;
    if (end === -1) break;
  }
  return masked + text.slice(from);
}
