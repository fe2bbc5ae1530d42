import { expect } from 'chai';
import { requireOneAddress } from './one-address.js';

describe('the address of phones', () => {
  const addresses = new Map([
    ['device', ['10.89.1.39', '10.89.2.60']],
    ['phones', ['10.89.2.60', '10.89.2.60']],
  ]);
  const check = (host: string): Promise<string> =>
    requireOneAddress(host, (name) => {
      const found = addresses.get(name)?.map((address) => ({ address }));
      return found === undefined ? Promise.reject(new Error('ENOTFOUND')) : Promise.resolve(found);
    }).then(
      () => 'taken',
      (error: unknown) => String(error),
    );

  it('is refused where a name has several, and taken where it has one', async () => {
    expect(await check('device')).to.contain('PHONE_HOST="device" has the addresses 10.89.1.39 and 10.89.2.60');
    expect(await check('phones')).to.equal('taken');
  });

  it('is left to the listener where a name is not found', async () => {
    expect(await check('nowhere')).to.equal('taken');
    await requireOneAddress('127.0.0.5');
  });
});
