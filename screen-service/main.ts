import { systemClock } from '../kit/async/clock.js';
import { letHeapDouble } from '../kit/process/heap-growth.js';
import { deviceServiceOf, openOps, serveRpc, withMeshToken } from '../kit/service/process-parts.js';
import { runService } from '../kit/service/run-service.js';
import { readScreenConfig } from './config.js';
import { readScrcpyFile } from './live/video/scrcpy-file.js';
import { createScreenService } from './service.js';

letHeapDouble();
await runService(readScreenConfig, async (opened) => {
  const config = withMeshToken(opened.config, opened.log);
  const running = { ...opened, config };
  const { log } = running;
  const { metrics } = await openOps(running);
  const device = deviceServiceOf(running);
  const { meshToken } = config;
  const scrcpyFile = readScrcpyFile(config.scrcpyServer);
  const parts = {
    clock: systemClock,
    log,
    metrics,
    meshToken,
    device,
    scrcpyFile,
    ffmpeg: config.ffmpeg,
    watchCrashes: config.watchCrashes,
  };
  await serveRpc(running, createScreenService(parts));
});
