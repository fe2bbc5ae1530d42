/**
 * Returns the URL at which other hosts reach this host's device service. It has the address that the service listens on or, where that is
 * every address, `hostAddress` (PHONE_HOST).
 */
export function rpcUrl(listensOn: string, hostAddress: string, port: number | string, isEncrypted: boolean): string {
  const address = listensOn === '0.0.0.0' || listensOn === '::' ? hostAddress : listensOn;
  return `${isEncrypted ? 'https' : 'http'}://${address.includes(':') ? `[${address}]` : address}:${port}`;
}
