import type { Delivery } from './deliveries-query.ts';

type Attempt = Delivery['attempts'][number];

/** The meaning of an attempt's error, and what to do. Errors that come from an HTTP status are `status_…`, and are not listed here. */
const ERRORS: Record<string, readonly [words: string, hint: string]> = {
  dns: ['name not found', 'The host name of the URL has no address. Check how it is spelled.'],
  refused: ['connection refused', 'Nothing listens at that address and port. Start your receiver, or mend the URL.'],
  unreachable: ['not reachable', 'There is no way from this service to that address. Check firewalls and routes.'],
  reset: ['connection broken', 'Your receiver closed the connection before it responded.'],
  connection: ['connection failed', 'The connection failed. Check that your receiver is up.'],
  timeout: ['no response in 10 s', 'Respond with 2xx at once, and do the work afterwards.'],
  tls: ['certificate not valid', 'The receiver has no https, or a certificate that is not valid for its name.'],
  redirect: ['redirect', 'Redirects are not followed. Give the key the URL that it leads to.'],
  malformed: ['not HTTP', 'What came back is no HTTP response. Check the port of the URL.'],
  not_public: [
    'private address',
    'The URL leads into a private network, where this service sends nothing unless its operator allows it.',
  ],
  url: ['not a web address', 'The URL is no http or https address.'],
};

/** Returns in few words how an attempt ended; `undefined`: there was none yet. */
export function outcomeWords(attempt: Attempt | undefined): string {
  if (attempt === undefined) return '';
  const { status, error } = attempt;
  if (status !== undefined) return error === 'redirect' ? `${status}, a redirect` : String(status);
  return error === undefined ? 'no response' : (ERRORS[error]?.[0] ?? error);
}

/** Returns what to do about an attempt that failed; undefined for one that did not. */
export function outcomeHint({ status, error }: Attempt): string | undefined {
  if (error === undefined) return undefined;
  if (error.startsWith('status_'))
    return `Your receiver responded with ${status ?? error.slice(7)}. Any 2xx counts as delivered.`;
  return ERRORS[error]?.[1];
}

/** The states of deliveries, in words. */
export const STATE_WORDS: readonly [state: Delivery['state'], label: string, meaning: string][] = [
  ['pending', 'Pending', 'On its way. It is tried three times: at once, 10 seconds later, and a minute after that.'],
  ['delivered', 'Delivered', 'Your receiver responded with a 2xx.'],
  ['failed', 'Failed', 'All three attempts failed. You can send it again.'],
];
