/**
 * Returns where other hosts reach the device service of this one: at the address that it listens on; where that is every address, at
 * `hostAddress` (PHONE_HOST).
 */
export function rpcUrl(listensOn: string, hostAddress: string, port: number | string, isEncrypted: boolean): string {
  const address = listensOn === '0.0.0.0' || listensOn === '::' ? hostAddress : listensOn;
  return `${isEncrypted ? 'https' : 'http'}://${address.includes(':') ? `[${address}]` : address}:${port}`;
}
