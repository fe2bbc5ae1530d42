import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { silentLog } from '../../kit/log/log.js';
import { emptyHistory, record } from './history.js';
import { HistoryFile } from './history-file.js';

describe('the file of the history', () => {
  let directory: string;
  let file: HistoryFile;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'cloudphone-status-'));
    file = new HistoryFile(directory);
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  it('returns the written history', async () => {
    const history = file.read(0, silentLog);
    expect(history).to.deep.equal(emptyHistory());
    const what = 'could not be reached';
    record(history, { api: { state: 'ok' }, live: { state: 'failing', what }, adb: { state: 'not_checked' } }, 1_000);
    await file.write(history);
    expect(file.read(0, silentLog)).to.deep.equal(history);
    expect(readdirSync(directory)).to.deep.equal(['history.json']);
  });

  it('is not affected by a write that was cut short', async () => {
    const history = emptyHistory();
    record(history, { api: { state: 'ok' }, live: { state: 'ok' }, adb: { state: 'ok' } }, 1_000);
    await file.write(history);
    writeFileSync(join(directory, 'history.json.new'), '{"format":1,"da');
    expect(file.read(0, silentLog)).to.deep.equal(history);
    expect(readdirSync(directory)).to.deep.equal(['history.json']);
  });

  for (const text of [
    '',
    '{"format":1',
    'null',
    '{"format":2,"latest":{},"days":{},"incidents":[]}',
    '{"format":1,"latest":{},"days":{"yesterday":{}},"incidents":[]}',
    '{"format":1,"latest":{},"days":{"2026-11-22":{"api":{"checks":1,"failed":2}}},"incidents":[]}',
    '{"format":1,"latest":{},"days":{"2026-11-22":{"<script>":{"checks":1,"failed":1}}},"incidents":[]}',
    '{"format":1,"latest":{},"days":{},"incidents":[{"component":"api","what":"x","startedMs":1e99,"lastFailedMs":1}]}',
    '{"format":1,"latest":{"api":{"state":"fine"}},"days":{},"incidents":[]}',
  ]) {
    it(`is put aside when it cannot be understood: ${text}`, () => {
      writeFileSync(join(directory, 'history.json'), text);
      expect(file.read(1_234, silentLog)).to.deep.equal(emptyHistory());
      expect(readFileSync(join(directory, 'history.json.unreadable-1234'), 'utf8')).to.equal(text);
    });
  }
});
