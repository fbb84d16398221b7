/** The prefix of every signature of the gateway; any other was made for another model. */
const mark = 'callsmith.1.';

/**
 * The signature of reasoning with visible text: it comes back with the text and proves that the reasoning is from the
 * gateway's model, and complete.
 */
export const signatureOf = (text: string): string => `${mark}hash.${hashOf(text)}`;

/** A signature that contains the reasoning itself, for clients that send back nothing else of it. */
export const carryingSignatureOf = (text: string): string => `${mark}text.${toBase64(text)}`;

/** The reasoning that came back with its signature; undefined: it is not the gateway's, or was changed. */
export function reasoningIn(text: string, signature: string): string | undefined {
  if (!signature.startsWith(mark)) return undefined;
  const [kind, value = ''] = signature.slice(mark.length).split('.', 2);
  if (kind === 'hash') return value === hashOf(text) ? text : undefined;
  return kind === 'text' ? fromBase64(value) : undefined;
}

/** 64 bits of FNV-1a over UTF-16 units, in two halves: it only has to detect accidental changes. */
function hashOf(text: string): string {
  let low = 0x811c9dc5;
  let high = 0xcbf29ce4;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    low = Math.imul(low ^ unit, 0x01000193);
    high = Math.imul(high ^ unit ^ (low >>> 16), 0x01000193);
  }
  return [high, low].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('');
}

function toBase64(text: string): string {
  const bytes = new TextEncoder().encode(text);
  let binary = '';
  for (let at = 0; at < bytes.length; at += 8192) binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(binary);
}

function fromBase64(text: string): string | undefined {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(text), (unit) => unit.charCodeAt(0)));
  } catch {
    return undefined;
  }
}
