import { expect } from 'chai';
import { freeSubnet, isPool } from './subnets.js';

describe('networks of phones', () => {
  it('are the first eight addresses that nobody has', () => {
    expect(freeSubnet('10.213.0.0/16', [])).to.deep.equal({ subnet: '10.213.0.0/29', gateway: '10.213.0.1' });
    const taken = ['10.213.0.0/29', '10.213.0.9/29', '10.213.0.16/30', 'fe80::1/64', '172.17.0.0/16'];
    expect(freeSubnet('10.213.0.0/16', taken)?.subnet).to.equal('10.213.0.24/29');
  });

  it('lie in no larger network of the host, and around no single address of it', () => {
    expect(freeSubnet('10.213.0.0/24', ['10.0.0.0/8'])).to.equal(undefined);
    expect(freeSubnet('10.213.0.0/24', ['10.213.0.5/32'])?.subnet).to.equal('10.213.0.8/29');
  });

  it('end with their pool', () => {
    expect(freeSubnet('10.213.0.0/28', ['10.213.0.0/29'])?.gateway).to.equal('10.213.0.9');
    expect(freeSubnet('10.213.0.0/28', ['10.213.0.0/29', '10.213.0.8/29'])).to.equal(undefined);
  });

  it('are taken from IPv4 networks only', () => {
    expect(['10.213.0.0/16', '10.0.0.0/8', '192.168.7.0/28'].map(isPool)).to.deep.equal([true, true, true]);
    for (const text of ['10.213.0.0', '10.213.0.0/29', '10.0.0.0/7', '300.1.1.1/16', 'fd00::/8', ''])
      expect(isPool(text), text).to.equal(false);
  });
});
