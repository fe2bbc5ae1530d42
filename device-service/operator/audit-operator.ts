import type { HandlerContext, ServiceImpl } from '@connectrpc/connect';
import type { Clock } from '../../kit/async/clock.js';
import { outcomeOf } from '../../kit/rpc/audit-calls.js';
import { callOf } from '../../kit/rpc/context.js';
import type { AdminService } from '../../proto/gen/cloudphone/access/v1/admin_service_pb.js';
import type { AuditTrail } from '../accounts/audit/audit-trail.js';

/** The chain of commands that are about no single account. */
const INSTALLATION = 'installation';

/** Commands that only look. */
const LOOKS = /^(list|get)/;

export interface AuditOperatorParts {
  trail: Pick<AuditTrail, 'append' | 'assertWritable'>;
  /** Returns the account that a command is about; undefined when it is about none. */
  accountOf: (request: { email?: string; id?: string }) => Promise<string | undefined>;
  clock: Pick<Clock, 'now'>;
}

type Handler = (request: never, context: HandlerContext) => unknown;
type Named = { email?: string; id?: string; name?: string };

/** Returns the operator's commands, of which those that change something have an entry in the audit log of the account they are about. */
export function auditOperator(
  commands: ServiceImpl<typeof AdminService>,
  { trail, accountOf, clock }: AuditOperatorParts,
): ServiceImpl<typeof AdminService> {
  const audited = (name: string, handler: Handler): Handler => {
    return async (request, context) => {
      const { email, id, name: device } = request as Named;
      const about = { ...(email !== undefined && { email }), ...(id !== undefined && { id }) };
      // Before the command, as the account or the key may be gone after it. A new account is found after it.
      const before = await accountOf(about);
      await trail.assertWritable(before ?? INSTALLATION);
      const record = async (outcome: string): Promise<void> =>
        trail.append({
          accountId: before ?? (await accountOf(about)) ?? INSTALLATION,
          at: new Date(clock.now()),
          actorKind: 'operator',
          actorId: '',
          actorName: '',
          action: `AdminService.${name.charAt(0).toUpperCase()}${name.slice(1)}`,
          // Commands about a device name it beside the account; a key has a name there too.
          ...(device !== undefined && (name === 'createAccountKey' ? { target: device } : { device })),
          ...(id !== undefined && { target: id }),
          outcome,
          address: callOf(context).clientAddress ?? 'direct',
          requestId: callOf(context).requestId,
        });
      let response: unknown;
      try {
        response = await handler(request, context);
      } catch (error) {
        await record(outcomeOf(error));
        throw error;
      }
      await record('ok');
      return response;
    };
  };
  const entries = Object.entries(commands as Record<string, Handler>).map(
    ([name, handler]) => [name, LOOKS.test(name) ? handler : audited(name, handler)] as const,
  );
  return Object.fromEntries(entries) as ServiceImpl<typeof AdminService>;
}
