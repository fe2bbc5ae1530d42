import type { Interceptor } from '@connectrpc/connect';
import { assertValid } from '../validation.js';
import { routeOf } from './mesh.js';

/** Server side: requests that break a rule of their proto file never reach an operation. */
export const validateRequests: Interceptor = (next) => (request) => {
  if (!request.stream) {
    assertValid(request.method.input, request.message, routeOf(request.method)?.headers);
    return next(request);
  }
  return next({ ...request, message: checked(request) });
};

async function* checked(request: Parameters<Parameters<Interceptor>[0]>[0] & { stream: true }) {
  for await (const message of request.message) {
    assertValid(request.method.input, message, routeOf(request.method)?.headers);
    yield message;
  }
}
