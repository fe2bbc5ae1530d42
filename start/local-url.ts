/** Returns the URL at which this machine reaches a port that listens on `host`. Where that is every address, loopback is used. */
export function localUrl(host: string, port: number | string, scheme: 'http' | 'https' = 'http'): string {
  const address = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  return `${scheme}://${address.includes(':') ? `[${address}]` : address}:${port}`;
}
