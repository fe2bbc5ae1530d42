import { OpenCall, type OpenCallOptions } from '../kit/call.js';
import { systemClock } from '../kit/clock.js';

/** A call for tests of the parts below an rpc: without a deadline, unless `timeoutMs` is given. */
export function openTestCall(options: Partial<OpenCallOptions> = {}): OpenCall {
  return new OpenCall({
    clock: systemClock,
    requestId: 'req_test',
    trace: { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' },
    timeoutMs: Infinity,
    ...options,
  });
}
