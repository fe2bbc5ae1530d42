import type { ApiError, ErrorKind } from '../../kit/errors.js';

/** The registered codes (RFC 6455 and IANA) where one fits; else 4000 plus the HTTP status. */
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

/** A close frame has 125 bytes, two of which are the code. */
const REASON_MAX_BYTES = 123;

/** How a WebSocket is closed for an error. */
export function closeOf({ kind, message }: ApiError): { code: number; reason: string } {
  const text = Buffer.from(`${kind}: ${message}`);
  if (text.length <= REASON_MAX_BYTES) return { code: CODES[kind], reason: text.toString() };
  // Not in the middle of a character: its further bytes all begin with 10.
  let end = REASON_MAX_BYTES - 3;
  while (((text[end] ?? 0) & 0xc0) === 0x80) end--;
  return { code: CODES[kind], reason: `${text.subarray(0, end).toString()}…` };
}
