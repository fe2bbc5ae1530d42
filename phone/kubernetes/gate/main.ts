import { systemClock } from '../../../kit/async/clock.js';
import { runService } from '../../../kit/service/run-service.js';
import { readGateConfig } from './config.js';
import { Gate } from './gate.js';

// Runs the sidecar of a phone's pod. The sidecar is the phone's proxy. It passes traffic to the service's forwarder over connections that
// the service opens.
await runService(readGateConfig, async ({ config, log, lifecycle }) => {
  lifecycle.add('gate', await Gate.listen({ ...config, clock: systemClock, log }));
  log.info('the gate is open');
});
