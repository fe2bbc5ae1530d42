import { AllowedHosts } from '../kit/net/allowed-hosts.js';
import { OpenCall } from '../kit/call/call.js';
import { systemClock } from '../kit/async/clock.js';
import { openOps } from '../kit/service/process-parts.js';
import { runService } from '../kit/service/run-service.js';

// A service in which nobody handles the rejection of one request. It prints its metrics after that. With the argument `throw`, an exception
// follows that nobody catches.
const trace = { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' };
const ops = { host: '127.0.0.1', port: 0, hosts: new AllowedHosts() };
const readConfig = () => ({ log: { level: 'info' as const, pretty: false }, ops, stopDelayMs: 0 });
await runService(readConfig, async (running) => {
  const { metrics } = await openOps(running);
  const call = new OpenCall({ clock: systemClock, requestId: 'req_unheard', trace, timeoutMs: 1 });
  void call.unlessEnded(new Promise(() => undefined));
  while (running.rejections.total === 0) await systemClock.sleep(5);
  process.stdout.write(await metrics.metrics());
  if (process.argv[2] === 'throw') {
    systemClock.after(0, () => {
      throw new Error('thrown where nobody catches it');
    });
  }
});
