import { expect } from 'chai';
import { readLiveUrl } from './config.js';

describe('the address of the health check', () => {
  it('is that of the ops port, on loopback where it listens on all addresses', () => {
    expect(readLiveUrl({})).to.equal('http://127.0.0.1:7010/livez');
    for (const OPS_HOST of ['0.0.0.0', '::']) expect(readLiveUrl({ OPS_HOST })).to.contain('//127.0.0.1:7010/');
    expect(readLiveUrl({ OPS_HOST: '10.0.0.5', OPS_PORT: '7011' })).to.equal('http://10.0.0.5:7011/livez');
    expect(readLiveUrl({ OPS_HOST: '::1' })).to.equal('http://[::1]:7010/livez');
  });

  it('is known before the service starts', () => {
    expect(() => readLiveUrl({ OPS_PORT: '0' })).to.throw('OPS_PORT is 0');
    expect(() => readLiveUrl({ OPS_PORT: 'x' })).to.throw('OPS_PORT="x" is not a whole number');
  });
});
