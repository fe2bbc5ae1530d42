import type { ApiError, ErrorKind } from '../../kit/errors/api-error.js';

/**
 * The close code for each kind of error. It is a registered code (RFC 6455 and IANA) where one fits, otherwise 4000 plus the HTTP status.
 */
const CODES: Record<ErrorKind, number> = {
  bad_request: 4400,
  unauthorized: 1008,
  insufficient_funds: 4402,
  forbidden: 1008,
  not_found: 4404,
  method_not_allowed: 4405,
  busy: 4409,
  too_large: 1009,
  unsupported_media_type: 4415,
  rate_limited: 1008,
  internal: 1011,
  unavailable: 1013,
  timeout: 1013,
};

/** Most bytes of a reason. A close frame has 125 bytes, two of which are the code. */
const MAX_REASON_BYTES = 123;

/** Returns the code and reason with which a WebSocket is closed for an error. */
export function closeOf({ kind, message }: ApiError): { code: number; reason: string } {
  const text = Buffer.from(`${kind}: ${message}`);
  if (text.length <= MAX_REASON_BYTES) return { code: CODES[kind], reason: text.toString() };
  // The cut must not be inside a character. In UTF-8, all bytes of a character after its first begin with the bits 10.
  let end = MAX_REASON_BYTES - 3;
  while (((text[end] ?? 0) & 0xc0) === 0x80) end--;
  return { code: CODES[kind], reason: `${text.subarray(0, end).toString()}…` };
}
