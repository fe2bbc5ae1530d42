import { systemClock } from '../../../kit/clock.js';
import { runService } from '../../../kit/run-service.js';
import { readGateConfig } from './config.js';
import { Gate } from './gate.js';

// The sidecar of a phone's pod: the phone's proxy, led to the service's forwarder by connections that the service opens.
await runService(readGateConfig, async ({ config, log, lifecycle }) => {
  lifecycle.add('gate', await Gate.listen({ ...config, clock: systemClock, log }));
  log.info('the gate is open');
});
