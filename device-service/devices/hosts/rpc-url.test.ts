import { expect } from 'chai';
import { rpcUrl } from './rpc-url.js';

describe('the URL of a host', () => {
  it('has the address that it listens on, or where that is every address, the one of the host', () => {
    expect(rpcUrl('127.0.0.1', '10.0.0.5', 7001, false)).to.equal('http://127.0.0.1:7001');
    expect(rpcUrl('0.0.0.0', '10.0.0.5', 7001, false)).to.equal('http://10.0.0.5:7001');
    expect(rpcUrl('10.0.0.4', '10.0.0.5', 7001, true)).to.equal('https://10.0.0.4:7001');
    expect(rpcUrl('::', 'fd00::5', 7001, false)).to.equal('http://[fd00::5]:7001');
  });
});
