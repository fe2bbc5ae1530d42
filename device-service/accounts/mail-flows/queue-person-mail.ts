import { ApiError } from '../../../kit/errors/api-error.js';
import type { AccountsContext } from '../accounts-context.js';
import { MAX_TO_ADDRESS } from '../mail/limits.js';

/** Queues a mail that a person asked for. Throws bad_request where the service sends no mail, and rate_limited at a bound of mails. */
export async function queuePersonMail(
  { mailQueue }: AccountsContext,
  kind: 'reset' | 'verification',
  email: string,
): Promise<void> {
  if (mailQueue === undefined)
    throw new ApiError('bad_request', 'This service sends no mail. Ask its operator for a link.');
  if ((await mailQueue.add({ kind, to: email })) !== 'refused') return;
  const retryAfterS = MAX_TO_ADDRESS.windowMs / 1_000;
  throw new ApiError(
    'rate_limited',
    'Too many mails were asked for. Use a link of those mails, or try again in an hour.',
    {
      retryAfterS,
    },
  );
}
