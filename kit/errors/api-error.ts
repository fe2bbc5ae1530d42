import { Code } from '@connectrpc/connect';

/**
 * The one kind of error that may reach a caller. `message` is for the caller: it names the field, the value and the allowed ones, or what
 * to do next. `cause` is for the log and never leaves the process. Anything thrown that is not an ApiError is a bug and reaches callers as
 * `internal` with a fixed text.
 *
 * It has no stack, unless it is `internal`. Such an error is a response and no fault. Capturing its stack would take a fifth of the time
 * that a refusal takes.
 */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly kind: ErrorKind;
  /** Whole seconds after which a retry makes sense; sent as Retry-After. Absent: not known. */
  readonly retryAfterS?: number;
  /** Whether an earlier request with the same Idempotency-Key got this response; sent as Idempotency-Replayed. */
  readonly replayed?: true;

  constructor(
    kind: ErrorKind,
    message: string,
    options: { cause?: unknown; retryAfterS?: number; replayed?: boolean } = {},
  ) {
    const { stackTraceLimit } = Error;
    if (kind !== 'internal') Error.stackTraceLimit = 0;
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.kind = kind;
    if (options.retryAfterS !== undefined) this.retryAfterS = options.retryAfterS;
    if (options.replayed === true) this.replayed = true;
  }
}

export type ErrorKind = keyof typeof errorKinds;

/**
 * Kind <-> HTTP status <-> Connect code, one to one. Kinds without a code arise only at the edge and never cross an RPC. Connect's
 * own mapping to statuses is never used: it has no 402, 405, 413 or 415.
 */
export const errorKinds = {
  bad_request: { status: 400, code: Code.InvalidArgument },
  unauthorized: { status: 401, code: Code.Unauthenticated },
  insufficient_funds: { status: 402, code: Code.FailedPrecondition },
  forbidden: { status: 403, code: Code.PermissionDenied },
  not_found: { status: 404, code: Code.NotFound },
  method_not_allowed: { status: 405, code: undefined },
  busy: { status: 409, code: Code.Aborted },
  too_large: { status: 413, code: Code.OutOfRange },
  unsupported_media_type: { status: 415, code: Code.Unimplemented },
  rate_limited: { status: 429, code: Code.ResourceExhausted },
  internal: { status: 500, code: Code.Internal },
  unavailable: { status: 503, code: Code.Unavailable },
  timeout: { status: 504, code: Code.DeadlineExceeded },
} as const satisfies Record<string, { status: number; code: Code | undefined }>;

const kindsByCode = new Map<Code, ErrorKind>(
  (Object.keys(errorKinds) as ErrorKind[]).flatMap((kind) => {
    const { code } = errorKinds[kind];
    return code === undefined ? [] : [[code, kind] as const];
  }),
);

/** The kind that crossed an RPC as `code`; undefined for codes that are not ours. */
export function kindOfCode(code: Code): ErrorKind | undefined {
  return kindsByCode.get(code);
}

/** Returns the kind that a message of another service names; `internal` for a word that is none of ours. */
export function parseErrorKind(word: string | undefined): ErrorKind {
  return word !== undefined && isErrorKind(word) ? word : 'internal';
}

function isErrorKind(word: string): word is ErrorKind {
  return Object.hasOwn(errorKinds, word);
}

/** The error text for faults of the service itself. */
export const INTERNAL_MESSAGE =
  'Something went wrong on our side. Try again; if it persists, report the X-Request-Id of this response to the operator.';

export const UNAUTHORIZED_MESSAGE =
  'No valid API key. Send the header "Authorization: Bearer <API key>" with a key that has not been revoked.';
