import { systemClock } from '../kit/clock.js';
import { letHeapDouble } from '../kit/heap-growth.js';
import { deviceServiceOf, openOps, serveRpc } from '../kit/process-parts.js';
import { runService } from '../kit/run-service.js';
import { readScreenConfig } from './config.js';
import { readScrcpyFile } from './live/video/scrcpy-file.js';
import { createScreenService } from './service.js';

letHeapDouble();
await runService(readScreenConfig, async (running) => {
  const { config, log } = running;
  const { metrics } = await openOps(running);
  const device = deviceServiceOf(running);
  const { meshToken } = config;
  const scrcpyFile = readScrcpyFile(config.scrcpyServer);
  await serveRpc(running, createScreenService({ clock: systemClock, log, metrics, meshToken, device, scrcpyFile }));
});
