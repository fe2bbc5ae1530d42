import { expect } from 'chai';
import { MAX_TRANSPORTS, transportsTo } from './transport.js';

describe('the transports to services whose URLs change', () => {
  const reach = () => transportsTo({ service: 'the relay service', meshToken: undefined });
  const urlOf = (index: number): string => `http://127.0.0.1:${10_000 + index}`;

  it('are one for each URL', () => {
    const to = reach();
    expect(to(urlOf(1))).to.equal(to(urlOf(1)));
    expect(to(urlOf(1))).not.to.equal(to(urlOf(2)));
  });

  it('are forgotten above their bound, those first that were not used for longest', () => {
    const to = reach();
    const [used, unused] = [to(urlOf(0)), to(urlOf(1))];
    for (let index = 2; index < 10 * MAX_TRANSPORTS; index++) {
      to(urlOf(index));
      expect(to(urlOf(0))).to.equal(used);
    }
    expect(to(urlOf(1))).not.to.equal(unused);
  });
});
