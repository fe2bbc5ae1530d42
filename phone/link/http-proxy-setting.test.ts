import { expect } from 'chai';
import { httpProxyIn } from './http-proxy-setting.js';

describe('the HTTP proxy of a phone’s system', () => {
  for (const printed of ['10.9.0.1:3128', 'proxy.example:80', '[fd00::1]:3128', 'gateway:65535']) {
    it(`is ${printed}`, () => expect(httpProxyIn(`${printed}\n`)).to.equal(printed));
  }

  for (const printed of ['', 'null', ':0', '10.9.0.1', '10.9.0.1:0', '10.9.0.1:65536', '10.9.0.1:3128:']) {
    it(`is absent for "${printed}"`, () => expect(httpProxyIn(`${printed}\n`)).to.equal(undefined));
  }

  for (const printed of [
    '$(reboot):80',
    'a b:80',
    '-o/sdcard/x:80',
    'a;id:80',
    'a:80\nb:80',
    "a':80",
    `${'a'.repeat(300)}:80`,
    'user@a:80',
    'http://a:80',
  ])
    // prettier-ignore
    it(`is not read from ${JSON.stringify(printed.slice(0, 20))}`, () =>
      expect(httpProxyIn(printed)).to.equal(undefined));
});
