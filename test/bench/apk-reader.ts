import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { systemClock } from '../../kit/async/clock.js';
import { ApkError } from '../../phone/apk/apk-error.js';
import { AppReader } from '../../phone/apk/app-reader.js';

// A process of its own for each reading, so that memory of one is not there for the next: `<app, hostile or bytes> <file>`.
const [what, file = ''] = process.argv.slice(2);
/** The most memory that this process ever had. The figure of `resourceUsage` begins with that of the process that started it. */
const maxBytes = (): number =>
  Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? NaN) * 1024;

const beforeBytes = process.memoryUsage.rss();
const beganMs = performance.now();
// Where the thread of the reader starts, which takes some milliseconds too, is part of the measurement.
const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
if (what === 'bytes') await readFile(file);
else {
  const options = { unpackTo: `${file}.unpacked`, leavesRoom: true };
  const reading = new AppReader({ clock: systemClock }).readPackage(file, options);
  // A hostile one may be refused.
  await reading.catch((error: unknown) => {
    if (what !== 'hostile' || !(error instanceof ApkError)) throw error;
  });
}
const ms = performance.now() - beganMs;
// The delay of the last turn is noted in the next one.
await systemClock.sleep(20);
delay.disable();
process.stdout.write(JSON.stringify({ ms, moreBytes: maxBytes() - beforeBytes, delayMs: delay.max / 1e6 }));
