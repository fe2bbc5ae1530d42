import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { FirstAccount, KeptSecrets } from '../device-service/accounts/people/first-start.js';
import type { DeviceServiceInstance } from '../device-service/service.js';
import { forgetPassword, makeFirstAccount, type Places, QUICKSTART, writeQuickstart } from './quickstart.js';

const FIRST: FirstAccount = { email: 'owner@localhost', password: 'the-password', apiKey: 'cp_the_key' };

describe('quickstart.json', () => {
  let directory: string;
  let good: KeptSecrets | undefined;
  const device = {
    createFirstAccount: async (_email: string, keep?: (first: FirstAccount) => void) => {
      keep?.(FIRST);
      return FIRST;
    },
    stillGood: async (kept: KeptSecrets) => (good === undefined ? undefined : { ...kept, ...good }),
  } as unknown as DeviceServiceInstance;
  const grpc = { device: 'a', screen: 'b', relay: 'c', webhook: 'd' };
  const urls = { url: 'http://127.0.0.1:8080', opsUrl: 'http://127.0.0.1:7010', statusUrl: 'http://127.0.0.1:8081' };
  const places = { ...urls, grpc, relayHost: '127.0.0.1', device } as unknown as Places;

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'cloudphone-quickstart-'));
    good = FIRST;
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  const stored = (): Record<string, unknown> =>
    JSON.parse(readFileSync(join(directory, QUICKSTART), 'utf8')) as Record<string, unknown>;

  it('has the secrets of the first account, for its owner alone, and knows the first start', async () => {
    await makeFirstAccount(directory, device);
    expect((await writeQuickstart(directory, places)).isFirst).to.equal(true);
    expect(stored()).to.include({ email: 'owner@localhost', password: 'the-password', api_key: 'cp_the_key' });
    expect(statSync(join(directory, QUICKSTART)).mode & 0o777).to.equal(0o600);
    expect((await writeQuickstart(directory, places)).isFirst).to.equal(false);
    expect(stored()).to.include({ password: 'the-password', api_key: 'cp_the_key' });
  });

  it('loses a password and a key that are no longer good at the next start', async () => {
    await makeFirstAccount(directory, device);
    await writeQuickstart(directory, places);
    const stillGood = async ({ email }: KeptSecrets): Promise<KeptSecrets> => ({ email });
    await writeQuickstart(directory, { ...places, device: { ...device, stillGood } });
    expect(stored()).to.include({ email: 'owner@localhost' }).and.not.to.have.any.keys('password', 'api_key');
  });

  it('has no account on a database that was restored', async () => {
    good = undefined;
    const { quickstart, isFirst } = await writeQuickstart(directory, places);
    expect(isFirst).to.equal(false);
    expect(quickstart).not.to.have.any.keys('email', 'password', 'api_key');
  });

  it('loses the password of its account at once when that is replaced', async () => {
    await makeFirstAccount(directory, device);
    await writeQuickstart(directory, places);
    forgetPassword(directory, 'another@example.com');
    expect(stored()).to.have.property('password');
    forgetPassword(directory, 'owner@localhost');
    expect(stored()).to.include({ api_key: 'cp_the_key' }).and.not.to.have.property('password');
  });
});
