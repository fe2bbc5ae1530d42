import type { HandlerContext } from '@connectrpc/connect';
import type { Call } from '../../../kit/call/call.js';
import { callOf } from '../../../kit/rpc/context.js';
import type { AuditDocument } from '../../store/audit.js';

/** Who makes a call that has no caller, and the account in whose audit log it is. */
export type Noted = Pick<AuditDocument, 'accountId' | 'actorKind' | 'actorId' | 'actorName' | 'role'>;

const noted = new WeakMap<Call, () => Promise<Noted | undefined>>();

/**
 * Notes the account of a call on a route without callers, such as a sign-in. `find` is called when the call has ended, and returns undefined
 * where there is no account. Without a note the call has no entry.
 */
export function noteAccount(context: HandlerContext, find: () => Promise<Noted | undefined>): void {
  noted.set(callOf(context), find);
}

/** Returns how to find the account that was noted for a call. */
export function notedFor(call: Call): (() => Promise<Noted | undefined>) | undefined {
  return noted.get(call);
}
