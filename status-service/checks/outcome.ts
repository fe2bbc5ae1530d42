/** How a check ended. `what` completes "The REST API …" and is public: it names no address and no cause. */
export type Outcome = { state: 'ok' } | { state: 'failing'; what: string } | { state: 'not_checked' };

/** A check of one component. It ends early when the signal aborts. Throws a DoorFault for a door that does not work. */
export type Check = (signal: AbortSignal) => Promise<Outcome>;

/** A door does not work. The message is the outcome's `what`; the cause is for the log. */
export class DoorFault extends Error {
  override readonly name = 'DoorFault';
}
