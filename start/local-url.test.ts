import { expect } from 'chai';
import { localUrl } from './local-url.js';

describe('the URL of a port for this machine', () => {
  it('is that of loopback where the port listens on every address', () => {
    expect(localUrl('0.0.0.0', 8080)).to.equal('http://127.0.0.1:8080');
    expect(localUrl('::', 8080, 'https')).to.equal('https://[::1]:8080');
  });

  it('has the address that it listens on, with brackets around one of IPv6', () => {
    expect(localUrl('10.1.2.3', 80)).to.equal('http://10.1.2.3:80');
    expect(localUrl('fd00::1', 80)).to.equal('http://[fd00::1]:80');
  });
});
