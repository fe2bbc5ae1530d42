/** Where this machine itself reaches a port that listens on `host`: on loopback, where that is every address. */
export function localUrl(host: string, port: number | string, scheme: 'http' | 'https' = 'http'): string {
  const address = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  return `${scheme}://${address.includes(':') ? `[${address}]` : address}:${port}`;
}
