import type { HandlerContext, ServiceImpl } from '@connectrpc/connect';
import type { Clock } from '../../kit/async/clock.js';
import { outcomeOf } from '../../kit/rpc/audit-calls.js';
import { callOf } from '../../kit/rpc/context.js';
import { AdminService } from '../../proto/gen/cloudphone/access/v1/admin_service_pb.js';
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
type StreamHandler = (request: never, context: HandlerContext) => AsyncIterable<unknown>;
type Named = { email?: string; id?: string; name?: string };

/** Returns the operator's commands, of which those that change something have an entry in the audit log of the account they are about. */
export function auditOperator(
  commands: ServiceImpl<typeof AdminService>,
  { trail, accountOf, clock }: AuditOperatorParts,
): ServiceImpl<typeof AdminService> {
  /** Returns how to record a command. Throws unavailable while no entry can be written. */
  const begin = async (name: string, { email, id, name: device }: Named, context: HandlerContext) => {
    const about = { ...(email !== undefined && { email }), ...(id !== undefined && { id }) };
    // Before the command, as the account or the key may be gone after it. A new account is found after it.
    const before = await accountOf(about);
    await trail.assertWritable(before ?? INSTALLATION);
    return async (outcome: string): Promise<void> =>
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
  };
  const audited = (name: string, handler: Handler): Handler => {
    return async (request, context) => {
      const record = await begin(name, request, context);
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
  /** A stream has its entry before its first message, or when it fails before that. */
  const auditedStream = (name: string, handler: StreamHandler): StreamHandler => {
    return async function* (request, context) {
      const record = await begin(name, request, context);
      let isOpen = false;
      try {
        for await (const message of handler(request, context)) {
          if (!isOpen) await record('ok');
          isOpen = true;
          yield message;
        }
      } catch (error) {
        if (!isOpen) await record(outcomeOf(error));
        throw error;
      }
    };
  };
  const entries = Object.entries(commands as Record<string, Handler>).map(([name, handler]) => {
    if (LOOKS.test(name)) return [name, handler] as const;
    const isStream = AdminService.method[name as keyof typeof AdminService.method].methodKind === 'server_streaming';
    return [name, isStream ? auditedStream(name, handler as StreamHandler) : audited(name, handler)] as const;
  });
  return Object.fromEntries(entries) as ServiceImpl<typeof AdminService>;
}
