/** Where a service listens, and where its customers reach it. */
export interface Front {
  host: string;
  publicUrl: URL | undefined;
  /** Whether it serves https itself. Absent: no. */
  https?: object | undefined;
}

/** Returns whether passwords and keys may cross a network unencrypted: other machines reach the port, and https is not known to be used. */
export function isExposed({ host, publicUrl, https }: Front): boolean {
  return !isLoopback(host) && https === undefined && publicUrl?.protocol !== 'https:';
}

/** Whether only programs of this machine reach a port that listens on `host`. */
export function isLoopback(host: string): boolean {
  return /^(127\.|::1$|localhost$)/.test(host);
}

/** The one line that is logged at the start of a service that is exposed. */
export function exposureWarning(host: string): string {
  return (
    `The panel and the REST API listen on ${host} without https: everybody in that network reaches them, and passwords, API keys and ` +
    'session cookies cross it unencrypted. Set TLS_CERT and TLS_KEY, put a proxy with TLS in front and set PUBLIC_URL=https://…, or listen on 127.0.0.1.'
  );
}
