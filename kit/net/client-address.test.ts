import { expect } from 'chai';
import { clientAddress } from './client-address.js';

describe("a client's address", () => {
  for (const [what, ip, counted] of [
    ['an IPv4 address', '192.0.2.7', '192.0.2.7'],
    ['an IPv4 address in IPv6 notation', '::ffff:192.0.2.7', '192.0.2.7'],
    ['an IPv4 address with the port that some proxies add', '198.51.100.1:50123', '198.51.100.1'],
    ['the /64 of an IPv6 address', '2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['the /64 of a shortened IPv6 address', '2001:db8::5', '2001:db8::/64'],
    ['the /64 of an IPv6 address with a zone', 'fe80::1%eth0', 'fe80::/64'],
    ['the /64 of an IPv6 address in brackets', '[2001:db8:1:2::7]', '2001:db8:1:2::/64'],
    ['the /64 of an IPv6 address with a port', '[2001:db8:1:2::7]:50123', '2001:db8:1:2::/64'],
    ['unknown, once the connection is closed', '', 'unknown'],
    ['what a proxy wrote in its place', 'hidden', 'hidden'],
  ] as const) {
    it(`is counted as ${what}: ${ip}`, () => {
      expect(clientAddress(ip)).to.equal(counted);
    });
  }
});
