import { ApiError } from '../kit/errors/api-error.js';

/** The error of a request that comes while the service is stopping. */
export function stopping(): ApiError {
  return new ApiError('unavailable', 'The service is stopping. Try again.', { retryAfterS: 1 });
}
