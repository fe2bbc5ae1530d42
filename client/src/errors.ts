import type { components } from './openapi.js';

/** The machine-readable word of an error response. */
export type ErrorKind = components['schemas']['Error']['error'];

/** The facts about a request that failed, beside its text. */
export interface ErrorFacts {
  /**
   * The kind of the service's error; `unreachable` when no whole response came, `unexpected` when the response is not one of the service's
   * (a proxy's, for example).
   */
  kind: ErrorKind | 'unreachable' | 'unexpected';
  /** HTTP status; 0 when no response came. */
  status: number;
  /** X-Request-Id of the response, for reports to the operator. */
  requestId?: string;
  /** After how many seconds the same request may succeed. */
  retryAfterS?: number;
}

/** A request that failed. `message` is for people, with what to do next; programs use `kind`. */
export class CloudPhoneError extends Error {
  override readonly name: string = 'CloudPhoneError';
  readonly kind: ErrorFacts['kind'];
  readonly status: number;
  readonly requestId: string | undefined;
  readonly retryAfterS: number | undefined;

  constructor(message: string, { kind, status, requestId, retryAfterS }: ErrorFacts, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
    this.status = status;
    this.requestId = requestId;
    this.retryAfterS = retryAfterS;
  }
}

/** The most characters of an unexpected body that an error's text shows. */
const MAX_SHOWN_CHARS = 200;

/** The error of a response that is not a success. Reads its body. */
export async function errorOf(response: Response): Promise<CloudPhoneError> {
  const text = await response.text().catch(() => '');
  const retryAfterS = secondsOf(response.headers.get('retry-after'));
  const requestId = response.headers.get('x-request-id');
  const facts = {
    status: response.status,
    ...(requestId !== null && { requestId }),
    ...(retryAfterS !== undefined && { retryAfterS }),
  };
  const body = parsed(text);
  if (typeof body === 'object' && body !== null && 'error' in body && 'message' in body) {
    return new CloudPhoneError(String(body.message), { ...facts, kind: body.error as ErrorKind });
  }
  const shown = text.slice(0, MAX_SHOWN_CHARS).trim();
  const message = `The response has status ${response.status} and is not the service's${shown === '' ? '' : `: ${shown}`}`;
  return new CloudPhoneError(message, { ...facts, kind: 'unexpected' });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function secondsOf(header: string | null): number | undefined {
  return header !== null && /^\d{1,6}$/.test(header) ? Number(header) : undefined;
}
