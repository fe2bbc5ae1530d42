import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { StateFile } from '../system/state-file.js';
import type { Stored } from '../settings/settings-store.js';
import { makeUpIds } from './made-ids.js';

describe('ids that a phone in a container makes up', () => {
  let data: string;
  const settingsPath = (): string => join(data, 'simulated', 'settings.json');
  const ssaidPath = (): string => join(data, 'system', 'users', '0', 'settings_ssaid.xml');
  const boot = (): { androidId: unknown; key: string | undefined } => {
    makeUpIds(data, settingsPath(), randomBytes);
    const stored = new StateFile<Stored>(settingsPath()).read();
    const key = /name="userkey" value="([0-9A-F]{64})"/.exec(readFileSync(ssaidPath(), 'utf8'))?.[1];
    return { androidId: stored?.secure?.['android_id'], key };
  };

  beforeEach(() => (data = mkdtempSync(join(tmpdir(), 'made-ids-'))));
  afterEach(() => rmSync(data, { recursive: true, force: true }));

  it('are made at the first boot and kept', () => {
    const first = boot();
    expect(first.androidId).to.match(/^[0-9a-f]{16}$/);
    expect(first.key).not.to.equal(undefined);
    expect(boot()).to.deep.equal(first);
  });

  it('are made anew one by one where they are missing, and settings beside them stay', () => {
    const first = boot();
    rmSync(ssaidPath());
    const second = boot();
    expect(second.androidId).to.equal(first.androidId);
    expect(second.key).not.to.equal(first.key);
    new StateFile<Stored>(settingsPath()).write({ secure: { android_id: null, other: 'kept' } });
    const third = boot();
    expect(third.androidId).to.match(/^[0-9a-f]{16}$/);
    expect(third.androidId).not.to.equal(first.androidId);
    expect(new StateFile<Stored>(settingsPath()).read()?.secure?.['other']).to.equal('kept');
  });
});
