import { systemClock } from '../kit/async/clock.js';
import { runService } from '../kit/service/run-service.js';

// A service whose start waits for a part, and fails when that part is closed. The start of a database connection fails in the same way.
const readConfig = () => ({ log: { level: 'info' as const, pretty: false } });
await runService(readConfig, async ({ lifecycle }) => {
  const closing = new Promise<never>((_resolve, reject) => {
    lifecycle.onClose('part', async () => {
      reject(new Error('the part was closed'));
      await systemClock.sleep(100);
    });
  });
  process.stdout.write('starting\n');
  await Promise.race([closing, systemClock.sleep(60_000)]);
});
