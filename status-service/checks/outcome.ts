/** How a check ended. `what` completes "The REST API …" and is public: it names no address and no cause. */
export type Outcome = { state: 'ok' } | { state: 'failing'; what: string } | { state: 'not_checked' };

/** A check of one component. It ends early when the signal aborts. Throws a ProbeFault for a probe target that does not work. */
export type Check = (signal: AbortSignal) => Promise<Outcome>;

/** A probe target does not work. The message becomes the outcome's `what`, and the cause is logged. */
export class ProbeFault extends Error {
  override readonly name = 'ProbeFault';
}
