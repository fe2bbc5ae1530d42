import type { IncomingMessage } from 'node:http';
import { expect } from 'chai';
import { clientAddress } from './client-address.js';

describe("a client's address", () => {
  const from = (remoteAddress: string | undefined, forwarded?: string): IncomingMessage =>
    ({
      headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
      socket: { remoteAddress },
    }) as unknown as IncomingMessage;

  it('is the one of its connection, whatever it claims', () => {
    expect(clientAddress(from('192.0.2.7', '198.51.100.1'), false)).to.equal('192.0.2.7');
    expect(clientAddress(from('::ffff:192.0.2.7'), false)).to.equal('192.0.2.7');
    expect(clientAddress(from(undefined), false)).to.equal('unknown');
  });

  it('behind a proxy is the one that the proxy has added last', () => {
    expect(clientAddress(from('10.0.0.1', '203.0.113.9, 198.51.100.1'), true)).to.equal('198.51.100.1');
    expect(clientAddress(from('10.0.0.1'), true)).to.equal('10.0.0.1');
  });

  it('is the same whichever port a proxy tells with it', () => {
    expect(clientAddress(from('10.0.0.1', '198.51.100.1:50123'), true)).to.equal('198.51.100.1');
    expect(clientAddress(from('10.0.0.1', '[2001:db8:1:2::7]:50123'), true)).to.equal('2001:db8:1:2::/64');
    expect(clientAddress(from('10.0.0.1', '[2001:db8:1:2::7]'), true)).to.equal('2001:db8:1:2::/64');
  });

  it('counts as its /64 in IPv6', () => {
    expect(clientAddress(from('2001:db8:1:2:3:4:5:6'), false)).to.equal('2001:db8:1:2::/64');
    expect(clientAddress(from('2001:db8::5'), false)).to.equal('2001:db8:0:0::/64');
    expect(clientAddress(from('::1'), false)).to.equal('0:0:0:0::/64');
  });
});
