/** Connections with the same outcome, and the address of the latest one. */
export interface Tally {
  count: number;
  latest: string;
}

/**
 * Counts failed connections by outcome, until they are logged together. adb reconnects four times a second, and anyone may connect. A line
 * for each connection would let strangers fill the log.
 */
export class ConnectionTally<Outcome extends string> {
  #tallies = new Map<Outcome, Tally>();

  add(outcome: Outcome, address: string): void {
    this.#tallies.set(outcome, { count: (this.#tallies.get(outcome)?.count ?? 0) + 1, latest: address });
  }

  /** Returns the tallies since the last call. */
  take(): Iterable<[Outcome, Tally]> {
    const tallies = this.#tallies;
    this.#tallies = new Map();
    return tallies;
  }
}
