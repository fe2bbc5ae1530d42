import type { Interceptor } from '@connectrpc/connect';
import type { Registry } from 'prom-client';
import type { Clock } from '../async/clock.js';
import type { Log } from '../log/log.js';
import { auditCalls, type Auditor, requireAudit } from './audit-calls.js';
import { type Admit, admitCalls } from './admit-call.js';
import { receiveCall } from './call-crossing.js';
import { logCalls, type RecordCall, recordCalls } from './call-log.js';
import { identifyCaller, type Authenticate } from './caller.js';
import { sendErrors } from './error-crossing.js';
import { type IsOurs, meshCheck, requireMesh } from './mesh.js';
import { validateRequests } from './validate.js';

export interface ServerInterceptorOptions {
  log: Log;
  clock: Clock;
  metrics: Registry;
  /** Absent: this service authenticates nobody; it hands `authorization` on to the device service, which decides. */
  authenticate?: Authenticate;
  /** Writes the audit log. Absent: this service has no calls that belong in it. */
  auditor?: Auditor;
  /** Absent: internal rpcs are open, and the service must listen on loopback only. */
  meshToken: string | undefined;
}

/** The interceptors of every rpc that a service serves, outermost first. */
export function serverInterceptors(options: ServerInterceptorOptions): Interceptor[] {
  const { authenticate, auditor } = options;
  const isOurs = meshCheck(options.meshToken);
  return [
    receiveCall(options.clock, isOurs),
    logCalls(options),
    sendErrors(options.log),
    requireMesh(isOurs),
    // A service that authenticates its callers knows them by the end of each call.
    ...(auditor === undefined
      ? []
      : [auditCalls(authenticate === undefined ? auditor : { record: auditor.record }, isOurs)]),
    ...(authenticate === undefined ? [] : [identifyCaller(authenticate, options.clock)]),
    ...(auditor === undefined ? [] : [requireAudit(auditor)]),
    validateRequests,
  ];
}

/**
 * Returns the checks of every rpc that a service serves. `admit` checks before the message is read, and `interceptors` check after that.
 * `recordUnread` records rpcs whose message was never read.
 */
export function callChecks(options: ServerInterceptorOptions): {
  interceptors: Interceptor[];
  admit: Admit;
  showsToken: IsOurs;
  recordUnread: RecordCall;
} {
  const { authenticate, log, meshToken } = options;
  return {
    interceptors: serverInterceptors(options),
    admit: admitCalls({ isOurs: meshCheck(meshToken), authenticate, log }),
    // Without a token, everybody on this machine would be taken for a service of ours.
    showsToken: meshToken === undefined ? () => false : meshCheck(meshToken),
    recordUnread: recordCalls(options),
  };
}
