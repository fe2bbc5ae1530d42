import { createClient } from '@connectrpc/connect';
import type { Clock } from '../../../kit/clock.js';
import { lockFolder } from '../../../kit/folder-lock.js';
import type { Log } from '../../../kit/log.js';
import { SimulatorService } from '../../../proto/gen/cloudphone/simulator/v1/simulator_service_pb.js';
import { simulatorSocketPath } from '../host/socket-path.js';
import { connectToSocket, greets } from './simulator-link.js';

/** How long it may take to save its phones, ms, and how often it is looked at meanwhile. */
const QUIT_MS = 30_000;
const LOOK_MS = 50;

/**
 * Ends a simulator of the releases that had one process for all phones, in the folder of the phones itself, and waits until it has
 * saved them. Such a process knows nothing of the ones that are started now, and would write to the same phones.
 */
export async function endOlderSimulator(directory: string, clock: Clock, log: Log): Promise<void> {
  const path = simulatorSocketPath(directory);
  if (!(await greets(path))) return;
  log.warn('a simulator process of an older release still runs; it is asked to quit');
  const { transport, close } = connectToSocket(path);
  await createClient(SimulatorService, transport).quit({});
  close();
  const deadlineMs = clock.monotonicMs() + QUIT_MS;
  for (;;) {
    try {
      // It holds the lock until it has ended.
      lockFolder(directory).close();
      return;
    } catch (error) {
      if (clock.monotonicMs() > deadlineMs) throw error;
      await clock.sleep(LOOK_MS);
    }
  }
}
