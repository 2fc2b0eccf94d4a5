/** Origins of model endpoints: what a key is bound to, and what counts as this machine. */

/**
 * The origin (`https://host:port`) of a base URL.
 * @throws TypeError when the URL does not parse
 */
export function originOf(baseUrl: string): string {
  return new URL(baseUrl).origin;
}

/** Whether a base URL stays on this machine: localhost, 127.0.0.0/8 or [::1]. A URL that does not parse does not. */
export function isLoopback(baseUrl: string): boolean {
  let host: string;
  try {
    host = new URL(baseUrl).hostname;
  } catch {
    return false;
  }
  return host === "localhost" || host === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(host);
}
