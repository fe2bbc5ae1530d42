import type { CheckedPhones } from './checked-phones.js';
import { NotOffered, type Row, type RowResult } from './row.js';

/** Runs all rows one after the other, even when some fail, and deletes what they made. `onResult` is called after each row. */
export async function runChecks(
  phones: CheckedPhones,
  rows: readonly Row[],
  onResult: (result: RowResult) => void,
): Promise<RowResult[]> {
  const results: RowResult[] = [];
  const note = (result: RowResult): void => {
    results.push(result);
    onResult(result);
  };
  for (const row of rows) note(await runRow(row, phones));
  const left = await phones.deleteAll();
  if (left.length > 0)
    note({ row: 'tidy up', outcome: 'fail', detail: `could not be deleted: ${left.join(', ')}`, seconds: 0 });
  return results;
}

async function runRow(row: Row, phones: CheckedPhones): Promise<RowResult> {
  const beganMs = performance.now();
  const seconds = (): number => Math.round(performance.now() - beganMs) / 1_000;
  try {
    const detail = await row.run(phones);
    return { row: row.name, outcome: 'pass', detail, seconds: seconds() };
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    const outcome = error instanceof NotOffered ? 'not offered' : 'fail';
    return { row: row.name, outcome, detail: detail.trim().replaceAll(/\s*\n\s*/g, ' '), seconds: seconds() };
  }
}
