import { Code, ConnectError, createClient, type Transport } from '@connectrpc/connect';
import { AuditService } from '../../proto/gen/cloudphone/access/v1/audit_service_pb.js';
import type { Clock } from '../async/clock.js';
import { detachedCall } from '../call/call.js';
import { ApiError } from '../errors/api-error.js';
import type { Auditor } from './audit-calls.js';
import { rpcOptions } from './call-crossing.js';

/** Time limit for the entry of a call, ms. The call itself may be over by then. */
const RECORD_MS = 5_000;

/** Returns an auditor that has the device service write the entries, as it knows the callers and has the chains. */
export function auditorOver(device: Transport, clock: Clock): Auditor {
  const audit = createClient(AuditService, device);
  return {
    record: async (call, audited) => {
      // Without a credential there is no account.
      if (call.authorization === undefined) return;
      const own = detachedCall(call, { clock, timeoutMs: RECORD_MS });
      try {
        await audit.recordAudit({ calls: [audited] }, rpcOptions(own));
      } catch (error) {
        // A wrong key belongs to no account either; the call has failed by it.
        if (error instanceof ApiError && error.kind === 'unauthorized' && audited.outcome !== 'ok') return;
        if (isOfOlderService(error)) return;
        throw error;
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
