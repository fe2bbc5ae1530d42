import type { RequestId } from './message.js';

/** Identifies a request among those that are under way. */
export interface CallName {
  /** The id of the API key. */
  key: string | undefined;
  /** The name of the client. Absent: the client sends none, and its requests cannot be cancelled. */
  session: string | undefined;
  id: RequestId | undefined;
}

/**
 * The requests that this process serves, so that a client's later message can cancel one of them. A cancellation that reaches another
 * process has no effect there. Ids of requests are those of their client, so only a client with a name can cancel.
 */
export class CallsUnderWay {
  readonly #cancels = new Map<string, () => void>();

  /** Calls `cancel` when the client cancels the request. Returns a function that forgets the request. */
  begin(name: CallName, cancel: () => void): () => void {
    const text = textOf(name);
    if (text === undefined) return () => undefined;
    this.#cancels.set(text, cancel);
    return () => {
      // A client that uses an id twice at a time cancels the later request.
      if (this.#cancels.get(text) === cancel) this.#cancels.delete(text);
    };
  }

  cancel(name: CallName): void {
    this.#cancels.get(textOf(name) ?? '')?.();
  }
}

function textOf({ key, session, id }: CallName): string | undefined {
  return key === undefined || session === undefined || id === undefined
    ? undefined
    : JSON.stringify([key, session, id]);
}
