import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { DEFAULT_APK_LIMITS } from '../../phone/apk/apk-limits.js';
import { ReadBudget } from '../../phone/apk/read-budget.js';
import { ZipFile } from '../../phone/apk/zip-file.js';
import { HOSTILE_APKS } from '../../testing/phone/hostile-apk.js';
import { zipOf, type ZipEntry } from '../../testing/phone/zip-of.js';
import { undoLater } from './interrupt.js';
import { inTurn, median, type Report } from './report.js';

const fixture = fileURLToPath(new URL('../../../phone/apk/fixtures/fixture-v1.apk', import.meta.url));
const reader = fileURLToPath(new URL('./apk-reader.js', import.meta.url));

/** Like a large app: some big files that are not packed, code that is, and thousands of small resources. */
const BIG_FILES = 8;
const CODE_FILES = 4;
const SMALL_FILES = 6_000;
const MEBIBYTE = 1024 ** 2;

interface Reading {
  ms: number;
  moreBytes: number;
  /** The longest delay of the event loop; of a hostile APK only. */
  delayMs?: number;
}

/**
 * Measures the reading of an uploaded APK of 45 MB: its time and memory, against a bare reading of its bytes. Also measures how long
 * hostile APKs delay the event loop.
 */
export async function benchApk(report: Report): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'cloudphone-bench-apk-'));
  undoLater(() => rmSync(directory, { recursive: true, force: true }));
  const file = join(directory, 'large.apk');
  const bytes = await largeApk();
  writeFileSync(file, bytes);
  const readings: Reading[] = [];
  const times = await inTurn(
    async () => {
      const reading = await read('app', file);
      readings.push(reading);
      return reading.ms;
    },
    async () => (await read('bytes', file)).ms,
  );
  const name = `an APK of ${(bytes.length / 1e6).toFixed(0)} MB with ${BIG_FILES + CODE_FILES + SMALL_FILES} files`;
  report({
    what: `reading ${name}, in a new process`,
    ours: `${times.ours.toFixed(0)} ms`,
    theirs: `${times.theirs.toFixed(0)} ms, its bytes alone`,
    ratio: times.ratio,
    goal: '< 300 ms',
    holds: times.ours < 300,
  });
  await reportDelays(report, directory);
  const moreBytes = median(readings.map((reading) => reading.moreBytes));
  report({
    what: `memory while reading ${name}`,
    ours: `+${(moreBytes / MEBIBYTE).toFixed(0)} MiB RSS`,
    theirs: '',
    goal: '<= +64 MiB',
    holds: moreBytes <= 64 * MEBIBYTE,
  });
}

/** Measures how long a process holds up its other callers while it has hostile APKs read, in a thread of its own. */
async function reportDelays(report: Report, directory: string): Promise<void> {
  for (const [what, make] of Object.entries(HOSTILE_APKS)) {
    const file = join(directory, 'hostile.apk');
    writeFileSync(file, zipOf(make()));
    const readings: Reading[] = [];
    for (let runs = 0; runs < 3; runs++) readings.push(await read('hostile', file));
    // Other programs of the machine only add to a delay.
    const delayMs = Math.min(...readings.map((reading) => reading.delayMs ?? NaN));
    report({
      what: `longest delay of the event loop while an APK with ${what} is read`,
      ours: `${delayMs.toFixed(0)} ms, of ${median(readings.map(({ ms }) => ms)).toFixed(0)} ms`,
      theirs: '',
      goal: '<= 100 ms',
      holds: delayMs <= 100,
    });
  }
}

async function read(what: 'app' | 'bytes' | 'hostile', file: string): Promise<Reading> {
  const { stdout } = await promisify(execFile)(process.execPath, [reader, what, file]);
  return JSON.parse(stdout) as Reading;
}

/** Returns an APK with the manifest and the resources of a real app, and much around them. */
async function largeApk(): Promise<Buffer> {
  const zip = await ZipFile.open(fixture, DEFAULT_APK_LIMITS, new ReadBudget(DEFAULT_APK_LIMITS));
  const entries: ZipEntry[] = [];
  for (const name of zip.names()) {
    const bytes = await zip.read(name, MEBIBYTE, new ReadBudget(DEFAULT_APK_LIMITS));
    if (bytes !== undefined) entries.push({ name, bytes, stored: name === 'resources.arsc' });
  }
  await zip.close();
  const add = (count: number, nameOf: (at: number) => string, size: number, stored: boolean): void => {
    for (let at = 0; at < count; at++) entries.push({ name: nameOf(at), bytes: randomBytes(size), stored });
  };
  add(BIG_FILES, (at) => `assets/level-${at}.bin`, 3 * MEBIBYTE, true);
  add(CODE_FILES, (at) => `classes${at + 2}.dex`, 3 * MEBIBYTE, false);
  add(SMALL_FILES, (at) => `res/drawable/picture_${at}.png`, 1_000, true);
  return zipOf(entries);
}
