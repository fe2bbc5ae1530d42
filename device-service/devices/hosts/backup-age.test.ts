import { expect } from 'chai';
import { Registry } from 'prom-client';
import { silentLog } from '../../../kit/log/log.js';
import { FakeClock } from '../../../testing/fake-clock.js';
import { backupAgeMetric } from './backup-age.js';

describe('the age of the newest verified backup', () => {
  const clock = new FakeClock();
  let verifiedBackup: () => Promise<number | undefined>;
  let metrics: Registry;

  beforeEach(() => {
    metrics = new Registry();
    backupAgeMetric({ metrics, hostId: 'here', verifiedBackup: () => verifiedBackup(), clock, log: silentLog });
  });

  async function line(): Promise<string | undefined> {
    return (await metrics.metrics()).split('\n').find((one) => one.startsWith('verified_backup_age_seconds'));
  }

  it('is in seconds, and never negative', async () => {
    verifiedBackup = async () => clock.now() - 90_000;
    expect(await line()).to.equal('verified_backup_age_seconds{host="here"} 90');
    verifiedBackup = async () => clock.now() + 90_000;
    expect(await line()).to.equal('verified_backup_age_seconds{host="here"} 0');
  });

  it('is infinite where none was ever verified, and absent where that cannot be read', async () => {
    verifiedBackup = async () => undefined;
    expect(await line()).to.equal('verified_backup_age_seconds{host="here"} +Inf');
    verifiedBackup = () => Promise.reject(new Error('it cannot be read'));
    expect(await line()).to.equal(undefined);
    expect(await metrics.metrics()).to.contain('measurements_failed_total{measurement="verified backup"} 1');
  });
});
