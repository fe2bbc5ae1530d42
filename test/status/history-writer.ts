import { silentLog } from '../../kit/log/log.js';
import { record } from '../../status-service/history/history.js';
import { HistoryFile } from '../../status-service/history/history-file.js';

/** Adds rounds to the history in a folder as fast as it can until it is killed, and reports how many it has written. For kill.test.ts. */
const [directory = ''] = process.argv.slice(2);
const file = new HistoryFile(directory);
const history = file.read(0, silentLog);
const outcomes = { api: { state: 'ok' }, live: { state: 'ok' }, adb: { state: 'ok' } } as const;
let checks = Object.values(history.days).reduce((sum, day) => sum + (day.api?.checks ?? 0), 0);
for (;;) {
  record(history, outcomes, Date.UTC(2026, 10, 1 + (checks % 30)));
  await file.write(history);
  checks++;
  process.send?.(checks);
}
