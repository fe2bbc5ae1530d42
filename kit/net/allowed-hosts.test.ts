import { expect } from 'chai';
import { AllowedHosts } from './allowed-hosts.js';

describe('the Host header of a request', () => {
  const hosts = new AllowedHosts(['Phones.Example.com']);
  for (const host of [
    undefined,
    'localhost',
    'LOCALHOST:8080',
    '127.0.0.1',
    '192.0.2.7:8080',
    '[::1]',
    '[2001:db8::1]:8080',
    'phones.example.com',
    'phones.example.com.:443',
  ]) {
    it(`may be ${host ?? 'absent'}`, () => {
      expect(hosts.has(host)).to.equal(true);
    });
  }
  for (const host of [
    '',
    'evil.example',
    'evil.example:8080',
    'phones.example.com.evil.example',
    'sub.phones.example.com',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '[evil.example]',
    '[]',
    'a@localhost',
    'localhost, evil.example',
    '2130706433',
    '::1',
  ]) {
    it(`may not be "${host}"`, () => {
      expect(hosts.has(host)).to.equal(false);
    });
  }
});
