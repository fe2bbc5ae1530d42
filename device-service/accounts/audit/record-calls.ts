import { begunAhead } from '../../../kit/async/begun-ahead.js';
import type { Clock } from '../../../kit/async/clock.js';
import type { Call } from '../../../kit/call/call.js';
import type { Log } from '../../../kit/log/log.js';
import { mayControl } from '../../../kit/rpc/caller.js';
import type { Auditor } from '../../../kit/rpc/audit-calls.js';
import type { AuditedCall } from '../../../kit/rpc/audited-call.js';
import { actorOf } from './actor-of.js';
import type { AuditTrail } from './audit-trail.js';
import { type Noted, notedFor } from './noted-account.js';

/** What the recorder works with. */
export interface RecordCallsParts {
  trail: Pick<AuditTrail, 'append' | 'assertWritable'>;
  clock: Pick<Clock, 'now'>;
  log: Log;
}

/** Records the calls that this service handles, and those that other services report, in the audit logs of the callers' accounts. */
export function recordCalls({ trail, clock, log }: RecordCallsParts): Auditor {
  const append = (call: Call, who: Noted, audited: AuditedCall): Promise<void> =>
    trail.append({
      ...who,
      action: audited.action,
      device: audited.device,
      target: audited.target,
      outcome: audited.outcome,
      at: new Date(clock.now()),
      address: call.clientAddress ?? 'direct',
      requestId: call.requestId,
    });
  return {
    assertWritable: async ({ caller }) => {
      if (caller !== undefined) await trail.assertWritable(caller.accountId);
    },
    record: async (call, audited) => {
      const { caller } = call;
      if (caller !== undefined) {
        if (audited.ifControlling && !mayControl(caller)) return;
        await append(call, actorOf(caller), audited);
        return;
      }
      const find = notedFor(call);
      // Attempts that are only counted are in no log, as anybody can make any number of them.
      if (find === undefined || audited.outcome === 'rate_limited') return;
      const work = begunAhead(find().then((who) => (who === undefined ? undefined : append(call, who, audited))));
      if (audited.outcome === 'ok') return work;
      // A refusal does not wait for its entry: its time would show whether somebody has the e-mail.
      work.catch((error: unknown) => log.warn({ err: error }, 'could not record a refused sign-in'));
    },
  };
}
