import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { systemClock } from '../../kit/clock.js';
import { AppReader } from '../../phone/apk/app-reader.js';

// A process of its own for each reading, so that memory of one is not there for the next: `<app or bytes> <file>`.
const [what, file = ''] = process.argv.slice(2);
/** The most memory that this process ever had. The figure of `resourceUsage` begins with that of the process that started it. */
const mostBytes = (): number =>
  Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? NaN) * 1024;

const beforeBytes = process.memoryUsage.rss();
const beganMs = performance.now();
if (what === 'app') await new AppReader({ clock: systemClock }).readPackage(file, { unpackTo: `${file}.unpacked` });
else await readFile(file);
const ms = performance.now() - beganMs;
process.stdout.write(JSON.stringify({ ms, moreBytes: mostBytes() - beforeBytes }));
