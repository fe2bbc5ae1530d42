import type { Contact } from './everywhere.js';
import type { NameAnswer } from './name-server.js';

/** The test's request to the process in the sealed network: send one event to each URL. */
export interface Trial {
  /**
   * `guarded` and `unguarded`: the webhook service, with private targets refused or allowed. `following`: a client that goes
   * wherever redirects lead, to show that they lead somewhere.
   */
  sender: 'guarded' | 'unguarded' | 'following';
  urls: readonly string[];
  names?: Readonly<Record<string, readonly NameAnswer[]>>;
}

export interface TrialResult {
  /** By URL: why each attempt failed; null where one did not. Only the webhook service's attempts are here. */
  errors: Record<string, (string | null)[]>;
  contacts: Contact[];
  /** How often the IPv4 addresses of each name of the trial were asked for. */
  asked: Record<string, number>;
  /** Network interfaces that the process sees. */
  interfaces: string[];
}

/** Ports that are listened at on every address: those of http and https, and of other services that an operator has in the network. */
export const PORTS = [80, 443, 8080, 1, 22, 25, 2375, 5432, 6379, 8443, 9200, 11_211, 27_017, 65_535] as const;
