import type { Duplex } from 'node:stream';

/** How one phone is reached. */
export interface PhoneWay {
  /**
   * Connects an ADB client to the phone's adbd, as plain ADB without authentication. Returns when one of the two has hung up; both
   * connections are closed then. Throws PhoneProblem when the phone does not greet the client.
   */
  serve(client: Duplex, options?: ServeOptions): Promise<void>;
}

export interface ServeOptions {
  /**
   * Present: a phone that does not trust the key is offered it, so that its owner can confirm it, and the client waits for that. Absent:
   * such a phone ends the connection, so that a customer's reconnects do not bring up one dialog after the other.
   */
  onKeyOffered?: (problem: PhoneProblem) => void;
}

/** Why a phone cannot be used now. `message` is for the customer, so it names no address. */
export class PhoneProblem extends Error {
  override name = 'PhoneProblem';
  /** Whether the problem lasts until a person acts, so that trying again is useless. */
  readonly lasting: boolean;

  constructor(message: string, { lasting, cause }: { lasting: boolean; cause?: unknown }) {
    super(message, cause === undefined ? undefined : { cause });
    this.lasting = lasting;
  }
}

export function unreachable(cause: unknown): PhoneProblem {
  return new PhoneProblem('The phone cannot be reached: it is off, unplugged or away from its network.', {
    lasting: false,
    cause,
  });
}
