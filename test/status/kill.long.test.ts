import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { silentLog } from '../../kit/log/log.js';
import { systemClock } from '../../kit/async/clock.js';
import { HistoryFile } from '../../status-service/history/history-file.js';

const KILLS = 25;

describe('the status history of a process that is killed', function () {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'cloudphone-status-'));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  it('is whole, and has every check but the last one', async () => {
    let unfinished = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      const child = fork(new URL('./history-writer.js', import.meta.url), [directory]);
      let writtenTo = 0;
      child.on('message', (checks) => (writtenTo = checks as number));
      await once(child, 'message');
      // Each kill is at another moment of a write.
      await systemClock.sleep(kill / 4);
      child.kill('SIGKILL');
      // All messages have come by then.
      await once(child, 'close');
      if (readdirSync(directory).includes('history.json.new')) unfinished++;
      const history = new HistoryFile(directory).read(0, silentLog);
      const checks = Object.values(history.days).reduce((sum, day) => sum + (day.api?.checks ?? 0), 0);
      expect(checks).to.be.within(writtenTo, writtenTo + 1);
    }
    expect(unfinished).to.be.above(0);
    expect(readdirSync(directory)).to.deep.equal(['history.json']);
  });
});
