import { systemClock } from '../../kit/async/clock.js';
import type { PanelClient } from '../access/people.js';
import type { Answer } from '../rest-client.js';

/** How often a request is sent in all. */
const MAX_TRIES = 60;

/**
 * Returns the body of a response, and asks again after 429 and 503, as clients are to do. Throws for any other refusal, so that none is
 * counted as a state of the service.
 */
export async function askAgain(
  panel: Pick<PanelClient, 'ask'>,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer['body']> {
  for (let tries = 1; ; tries++) {
    const { status, headers, bytes, body: found } = await panel.ask(method, path, body);
    if (status < 300) return found;
    const isPassing = status === 429 || status === 503;
    if (!isPassing || tries === MAX_TRIES) throw new Error(`${method} ${path}: ${status} ${bytes.toString()}`);
    await systemClock.sleep(Number(headers.get('retry-after') ?? 1) * 1_000);
  }
}
