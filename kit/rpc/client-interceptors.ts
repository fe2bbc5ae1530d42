import type { Interceptor } from '@connectrpc/connect';
import { sendCall } from './call-crossing.js';
import { showMeshToken } from './mesh.js';

// Apart from those of servers: programs that only make calls, as the operator's commands, do not load the validation of requests.

/** The interceptors of every rpc that we make, outermost first. Errors are converted outside them, by receiveErrors. */
export function clientInterceptors(meshToken: string | undefined): Interceptor[] {
  return meshToken === undefined ? [sendCall] : [sendCall, showMeshToken(meshToken)];
}
