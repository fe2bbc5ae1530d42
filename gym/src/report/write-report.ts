import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { htmlOf } from './html.js';
import { junitOf } from './junit.js';
import { snakeCase } from './snake-case.js';
import type { Report } from './summary.js';

/** Writes the report into a folder: `gym.json`, `junit.xml` and `index.html`. */
export async function writeReport(folder: string, report: Report): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'gym.json'), `${JSON.stringify(snakeCase(report), undefined, 2)}\n`);
  await writeFile(join(folder, 'junit.xml'), junitOf(report));
  await writeFile(join(folder, 'index.html'), htmlOf(report));
}
