import { ClientGone } from '../call/call.js';
import { ApiError } from '../errors/api-error.js';
import type { EntryFacts } from './new-entry.js';

/** Returns the outcome and the message of a timeline entry whose work threw `error`. */
export function failedEnd(error: unknown): Pick<EntryFacts, 'outcome' | 'message'> {
  if (error instanceof ApiError && error.kind !== 'internal') return { outcome: error.kind, message: error.message };
  return { outcome: error instanceof ClientGone ? 'cancelled' : 'internal' };
}
