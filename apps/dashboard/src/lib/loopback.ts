/** True for an address that leads each machine to itself, so that it works only where Callsmith runs. */
export function isLoopback(address: string): boolean {
  const host = URL.canParse(address) ? new URL(address).hostname : '';
  return /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\]|0\.0\.0\.0|\[::\])$/.test(host);
}
