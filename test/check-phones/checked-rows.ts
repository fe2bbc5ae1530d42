import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { RowResult } from '../../check-phones/row.js';

/** Runs the command with `--json`, as npm does after the build, and returns its rows. Throws its complaints where it prints no report. */
export async function checkedRows(words: readonly string[]): Promise<readonly RowResult[]> {
  const main = fileURLToPath(new URL('../../check-phones/main.js', import.meta.url));
  const stdout = await new Promise<string>((resolve, reject) => {
    const all = [main, '--json', ...words];
    execFile(process.execPath, all, { maxBuffer: 16 * 1024 * 1024 }, (error, printed, complaints) => {
      if (printed.startsWith('{')) resolve(printed);
      else reject(new Error(complaints, { cause: error }));
    });
  });
  return (JSON.parse(stdout) as { rows: RowResult[] }).rows;
}
