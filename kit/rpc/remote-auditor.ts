import { Code, ConnectError, createClient, type Transport } from '@connectrpc/connect';
import { AuditService } from '../../proto/gen/cloudphone/access/v1/audit_service_pb.js';
import type { Clock } from '../async/clock.js';
import { detachedCall } from '../call/call.js';
import { ApiError } from '../errors/api-error.js';
import type { Auditor } from './audit-calls.js';
import { rpcOptions } from './call-crossing.js';
import { callersOver } from './remote-authenticate.js';

/** Time limit for the entry of a call, ms. The call itself may be over by then. */
const RECORD_MS = 5_000;

/** How long a caller is known without another look-up, ms: one who taps many times a second is looked up once in it. */
const CALLER_MS = 1_000;

/** Returns an auditor that has the device service write the entries, as it knows the callers and has the chains. */
export function auditorOver(device: Transport, clock: Clock): Auditor {
  const audit = createClient(AuditService, device);
  const callers = callersOver(device, { clock, ttlMs: CALLER_MS });
  return {
    identify: async ({ authorization, clientAddress }) => {
      if (authorization === undefined) return undefined;
      // What is wrong with the credential is reported by the call itself. Without a caller, the entry is tried by the credential.
      return callers.authenticate(authorization, clientAddress).catch(() => undefined);
    },
    record: async (call, audited, identified) => {
      const caller = call.caller ?? identified;
      // Without a credential there is no account.
      if (call.authorization === undefined) return;
      const report = { calls: [audited], ...(caller !== undefined && { caller }) };
      const own = detachedCall(call, { clock, timeoutMs: RECORD_MS });
      try {
        // A device service of the release before knows no `caller`, and needs the credential.
        await audit.recordAudit(report, rpcOptions(own));
      } catch (error) {
        if (isOfOlderService(error)) return;
        if (!(error instanceof ApiError) || error.kind !== 'unauthorized') throw error;
        if (caller !== undefined) {
          // The credential has ended since the call began.
          own.authorization = undefined;
          await audit.recordAudit(report, rpcOptions(own));
          // A wrong key belongs to no account either; the call has failed by it.
        } else if (audited.outcome === 'ok') throw error;
      } finally {
        own.end();
      }
    },
  };
}

/** Returns whether the device service has no audit log, as it is of the release before. Calls go on during an upgrade. */
function isOfOlderService(error: unknown): boolean {
  return error instanceof ApiError && error.cause instanceof ConnectError && error.cause.code === Code.Unimplemented;
}
