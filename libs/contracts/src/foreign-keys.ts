/** A key to import. */
export interface ForeignKeyInput {
  readonly holder: string;
  readonly secret?: string;
  readonly sha256?: string;
}

/**
 * The keys of a text, one per line: the key or its SHA-256 (64 hex digits), then the owner, separated by a tab, comma,
 * semicolon or white space. Without an owner, `holder` is used.
 */
export function foreignKeys(text: string, holder: string): ForeignKeyInput[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => {
      const [, key = line, owner = ''] = /^([^\s,;]+)[\s,;]*(.*)$/.exec(line) ?? [];
      const who = owner.trim() || holder.trim();
      return /^[0-9a-f]{64}$/i.test(key) ? { holder: who, sha256: key } : { holder: who, secret: key };
    });
}
