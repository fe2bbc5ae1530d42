import { expect } from 'chai';
import { parseHttpUrl, parseUrl } from './parse-url.js';

describe('parseUrl', () => {
  it('takes every URL that the standard takes, however often it is called', () => {
    const good = ['https://münchen.example/é?ü', 'http://10.\u00ad77.1.7:8080/', 'http://日本.example/'];
    for (let times = 0; times < 50_000; times++) {
      for (const text of good) if (parseUrl(text) === undefined) expect.fail(`${text} was refused, time ${times}`);
    }
    for (const text of ['', '/path', 'https://', 'http://x:99999/', 'http://[::1', '//x.example']) {
      expect(parseUrl(text), text).to.equal(undefined);
    }
    expect(parseUrl('/path', 'https://x.example')?.href).to.equal('https://x.example/path');
  });

  it('distinguishes http and https from the rest', () => {
    expect(parseHttpUrl('HTTPS://x.example')?.host).to.equal('x.example');
    for (const text of ['ftp://x.example', 'javascript:alert(1)', 'nothing']) {
      expect(parseHttpUrl(text), text).to.equal(undefined);
    }
  });
});
