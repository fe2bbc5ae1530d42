import { expect } from 'chai';
import { silentLog } from '../../kit/log/log.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { PhoneContact } from './contact.js';

describe('the contact of a phone', () => {
  it('may be awaited by many at the same time, without a warning of the process, and ends their waits when it closes', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning);
    process.on('warning', onWarning);
    // The phone never responds, so the first attempt does not end.
    const way = { serve: () => new Promise<void>(() => undefined) };
    const contact = new PhoneContact({ way, clock: new FakeClock(), log: silentLog });
    const checks = Array.from({ length: 30 }, () => contact.check().catch((error: unknown) => String(error)));
    await new Promise((resolve) => setImmediate(resolve));
    contact.close();
    expect(new Set(await Promise.all(checks))).to.deep.equal(new Set(['Error: the driver is closing']));
    process.off('warning', onWarning);
    expect(warnings).to.deep.equal([]);
  });
});
