import { ClientGone } from '../call.js';
import { ApiError } from '../errors.js';
import type { EntryFacts } from './new-entry.js';

/** The end of an entry whose work threw `error`. */
export function failedEnd(error: unknown): Pick<EntryFacts, 'outcome' | 'message'> {
  if (error instanceof ApiError && error.kind !== 'internal') return { outcome: error.kind, message: error.message };
  return { outcome: error instanceof ClientGone ? 'cancelled' : 'internal' };
}
