import type { IncomingMessage } from 'node:http';
import { ApiError } from '../../kit/errors/api-error.js';

/** Refuses a compressed body, because a small one may expand to gigabytes. */
export function refuseEncoded({ headers }: IncomingMessage): void {
  const encoding = headers['content-encoding'];
  if (encoding === undefined || encoding.toLowerCase() === 'identity') return;
  throw new ApiError('unsupported_media_type', 'Content-Encoding is not supported. Send the body as it is.');
}
