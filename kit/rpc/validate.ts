import type { Interceptor } from '@connectrpc/connect';
import { assertValid } from '../call/validation.js';
import { routeOf } from './mesh.js';

/** Server side: requests that break a rule of their proto file never reach an operation. */
export const validateRequests: Interceptor = (next) => (request) => {
  if (!request.stream) {
    assertValid(request.method.input, request.message, routeOf(request.method)?.headers);
    return next(request);
  }
  return next({ ...request, message: checked(request) });
};

async function* checked({ method, message }: Parameters<Parameters<Interceptor>[0]>[0] & { stream: true }) {
  let isFirst = true;
  for await (const part of message) {
    // The rules of a body that is sent in parts are those of its first message; the others have only a part of the body.
    if (isFirst || method.methodKind !== 'client_streaming') assertValid(method.input, part, routeOf(method)?.headers);
    isFirst = false;
    yield part;
  }
}
