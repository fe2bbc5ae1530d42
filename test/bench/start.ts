import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startInstallation, removeData } from '../installation.js';
import { undoLater } from './interrupt.js';
import { inTurn, type Report } from './report.js';

/** P20: from nothing to the first response, on an empty data folder. */
export async function benchStart(report: Report): Promise<void> {
  const start = fileURLToPath(new URL('../../start.js', import.meta.url));
  const ours = async (): Promise<number> => {
    const directory = mkdtempSync(join(tmpdir(), 'cloudphone-bench-'));
    undoLater(() => removeData(directory));
    const startedMs = performance.now();
    const installation = await startInstallation({ directory, start });
    const response = await fetch(`${installation.baseUrl}/models`, {
      headers: { authorization: `Bearer ${installation.key}` },
    });
    const tookMs = performance.now() - startedMs;
    if (response.status !== 200) throw new Error(`the first response was ${response.status}`);
    await installation.stop();
    return tookMs;
  };
  const theirs = (): Promise<number> =>
    new Promise((resolve, reject) => {
      const startedMs = performance.now();
      spawn(process.execPath, ['-e', ''])
        .once('exit', () => resolve(performance.now() - startedMs))
        .once('error', reject);
    });
  const { ratio, ...figures } = await inTurn(ours, theirs);
  report({
    what: 'P20 cold start of the whole mesh, to the first response',
    ours: `${(figures.ours / 1000).toFixed(2)} s`,
    theirs: `${figures.theirs.toFixed(0)} ms node -e ''`,
    ratio,
    goal: '<= 3 s',
    holds: figures.ours <= 3_000,
  });
}
