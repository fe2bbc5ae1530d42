import { ApiFault } from './api-fault.ts';
import { plainWords } from './plain-words.ts';

/** The next step for a person, which a button offers. */
export type NextStep =
  | 'add-credit'
  | 'jobs'
  | 'leases'
  | 'limits'
  | 'phones'
  | 'reload'
  | 'retry'
  | 'rules'
  | 'sign-in'
  | 'start'
  | 'status';

interface Words {
  /** The text that is shown when the text of the API has nothing for people. */
  text: string;
  next: NextStep;
}

/** The words for every kind of error of the API, and for `network`: no response came. A test compares the kinds with the contract. */
export const ERROR_WORDS: Record<string, Words> = {
  bad_request: { text: 'Something that was sent is not allowed.', next: 'rules' },
  unauthorized: { text: 'You are not signed in any more.', next: 'sign-in' },
  insufficient_funds: { text: 'The balance is too low for this. Nothing was changed.', next: 'add-credit' },
  forbidden: { text: 'Your account may not do this.', next: 'limits' },
  not_found: { text: 'It is not there any more.', next: 'phones' },
  method_not_allowed: { text: 'This panel is older than the service.', next: 'reload' },
  busy: { text: 'Something else is being done just now.', next: 'jobs' },
  too_large: { text: 'This is larger than the service takes.', next: 'rules' },
  unsupported_media_type: { text: 'The service does not take this kind of file.', next: 'rules' },
  rate_limited: { text: 'That was too much at once. Wait a moment.', next: 'retry' },
  internal: { text: 'Something went wrong in the service. It is not your fault.', next: 'retry' },
  unavailable: { text: 'A part of the service is away just now.', next: 'retry' },
  timeout: { text: 'The phone took too long to respond.', next: 'retry' },
  network: { text: 'The service cannot be reached. Check your connection.', next: 'retry' },
};

/** The words for a kind that this panel does not know. */
const UNKNOWN: Words = { text: 'That did not work.', next: 'retry' };

/** An error in the form that the panel shows. */
export interface ShownError {
  text: string;
  next: NextStep;
  /** The phone of the next step. */
  device?: string;
}

/** Finds the phone that does not run, in a text of the API. */
const NOT_RUNNING = /^The device "([^"]+)" is (?:stopped|failed), (?:not running|so )/;

/** Finds out whether a lease prevents it, in a text of the API. */
const LEASED = /^The device "[^"]+" is leased by /;

/** Returns how an error of a kind, with a text of the API, is shown. */
export function shownError(kind: string, message: string): ShownError {
  const { text, next } = ERROR_WORDS[kind] ?? UNKNOWN;
  // Texts of the service about its own faults name headers and statuses, so they are not shown.
  const plain = kind === 'internal' ? '' : plainWords(message);
  return { text: plain === '' ? text : plain, next, ...stepInstead(kind, message) };
}

/** Returns the next step where the text of a busy phone has a better one than its kind. */
function stepInstead(kind: string, message: string): Partial<ShownError> {
  if (kind !== 'busy') return {};
  if (LEASED.test(message)) return { next: 'leases' };
  const off = NOT_RUNNING.exec(message)?.[1];
  return off === undefined ? {} : { next: 'start', device: off };
}

/** Returns an error in a few words, where there is no room for its next step. */
export function shownText(error: Error): string {
  return error instanceof ApiFault ? shownError(error.kind, error.message).text : error.message;
}
