import { createHash } from 'node:crypto';
import type { DescMethod } from '@bufbuild/protobuf';
import { ApiError, UNAUTHORIZED_MESSAGE } from '../errors/api-error.js';
import type { Log } from '../log/log.js';
import type { Authenticate } from './caller.js';
import { toConnectError } from './error-crossing.js';
import { assertOurs, type IsOurs, needsNoCredential, routeOf } from './mesh.js';

/**
 * Checks that the headers of a call have the credential that its rpc needs. Resolves with the caller whose call is counted: the
 * account, or the credential where the service does not know whose it is. It is undefined where the rpc needs no credential. Rejects with
 * the call's error.
 */
export type Admit = (method: DescMethod, header: Headers) => Promise<string | undefined>;

export interface AdmitCallsOptions {
  isOurs: IsOurs;
  /** Absent: the service authenticates nobody, and a call needs only to carry a credential. */
  authenticate?: Authenticate | undefined;
  log: Log;
}

/**
 * Returns the check that a call passes before a byte of its message is read. Connect reads the whole message of a unary rpc before the
 * first interceptor runs, and anonymous clients may not make a service hold messages. The interceptors check again, with the same result:
 * callers are remembered for a second.
 */
export function admitCalls({ isOurs, authenticate, log }: AdmitCallsOptions): Admit {
  return async (method, header) => {
    assertOurs(method, header, isOurs);
    if (routeOf(method) === undefined || needsNoCredential(method)) return undefined;
    const authorization = header.get('authorization');
    try {
      if (authorization === null) throw new ApiError('unauthorized', UNAUTHORIZED_MESSAGE);
      if (authenticate === undefined) return createHash('sha256').update(authorization).digest('base64');
      return (await authenticate(authorization)).accountId;
    } catch (error) {
      throw toConnectError(error, new AbortController().signal, log, `/${method.parent.typeName}/${method.name}`);
    }
  };
}
