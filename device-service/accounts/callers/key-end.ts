import { ApiError } from '../../../kit/errors/api-error.js';
import type { KeyDocument } from '../../store/keys.js';

/** Returns whether the time of a key is over. */
export function isExpired({ expiresAt }: Pick<KeyDocument, 'expiresAt'>, nowMs: number): boolean {
  return expiresAt !== undefined && expiresAt.getTime() <= nowMs;
}

export function keyExpired({ expiresAt }: Pick<KeyDocument, 'expiresAt'>): ApiError {
  return new ApiError(
    'unauthorized',
    `This API key expired at ${expiresAt?.toISOString() ?? ''}. Make another one in the control panel, or give this one more time.`,
  );
}
