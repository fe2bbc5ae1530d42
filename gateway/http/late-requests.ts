import type { IncomingMessage, RequestListener } from 'node:http';

const late = new WeakSet<IncomingMessage>();

/** Returns whether a request was held while its port closed. The service is stopping, and refuses it. */
export function isLate(request: IncomingMessage): boolean {
  return late.has(request);
}

/** The requests that come to a server right before its port closes. */
export class LateRequests {
  /** The held requests; undefined: requests are served at once. */
  #held: (() => void)[] | undefined;
  /** Called for each request that is held. */
  onHeld: () => void = () => undefined;

  /** Hands requests to `serve`. Held requests are handed on when the port has closed, and count as late. */
  served(serve: RequestListener): RequestListener {
    return (request, response) => {
      if (this.#held === undefined) {
        serve(request, response);
        return;
      }
      late.add(request);
      this.#held.push(() => serve(request, response));
      this.onHeld();
    };
  }

  /** Makes requests wait from now on. */
  hold(): void {
    this.#held ??= [];
  }

  /** Hands on the requests that wait. Further requests are served at once again. */
  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const serve of held) serve();
  }
}
