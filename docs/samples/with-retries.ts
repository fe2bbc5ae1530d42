/** How the samples wait, in seconds; programs pass their own. */
export type Wait = (seconds: number) => Promise<void>;

/** An error response: `kind` is for programs, the message for people. */
export class CloudPhoneError extends Error {
  readonly kind: string;
  readonly requestId: string | null;

  constructor(kind: string, message: string, requestId: string | null) {
    super(message);
    this.kind = kind;
    this.requestId = requestId;
  }
}

/** Kinds after which the same request can succeed later. Every other error wants another request. */
const PASSING = ['rate_limited', 'unavailable', 'timeout'];

/**
 * Sends a request and repeats it while the service is busy with others, at most five times. An Idempotency-Key makes it safe to
 * repeat `POST /devices`, also when the first response was lost.
 */
export async function withRetries(url: string, init: RequestInit, wait: Wait): Promise<unknown> {
  for (let attempt = 1; ; attempt++) {
    const response = await fetch(url, init);
    if (response.ok) return response.status === 204 ? undefined : await response.json();
    const { error, message } = (await response.json()) as { error: string; message: string };
    if (!PASSING.includes(error) || attempt === 5) {
      throw new CloudPhoneError(error, message, response.headers.get('x-request-id'));
    }
    await wait(Number(response.headers.get('retry-after') ?? 2 ** attempt));
  }
}
