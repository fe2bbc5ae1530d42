import { OpenCall, type OpenCallOptions } from '../kit/call/call.js';
import { systemClock } from '../kit/async/clock.js';

/** Opens a call for tests of code that rpcs use. The call has no deadline, unless `timeoutMs` is given. */
export function openTestCall(options: Partial<OpenCallOptions> = {}): OpenCall {
  return new OpenCall({
    clock: systemClock,
    requestId: 'req_test',
    trace: { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' },
    timeoutMs: Infinity,
    ...options,
  });
}
