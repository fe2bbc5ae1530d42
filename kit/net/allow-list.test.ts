import { expect } from 'chai';
import { parseAllowList } from './allow-list.js';

describe('the addresses of clients that come through the API', () => {
  const isAllowed = (entry: string, address: string): boolean => parseAllowList([entry]).allowsCaller(address);

  it('are admitted by an address or a range of their family', () => {
    expect(isAllowed('203.0.113.7', '203.0.113.7')).to.equal(true);
    expect(isAllowed('203.0.113.0/24', '203.0.113.7')).to.equal(true);
    expect(isAllowed('203.0.113.8', '203.0.113.7')).to.equal(false);
    expect(isAllowed('::/0', '203.0.113.7')).to.equal(false);
  });

  it('are the /64 of IPv6, which is admitted with a part of it', () => {
    for (const entry of ['2001:db8:1:2::5', '2001:db8:1:2::/96', '2001:db8:1::/48', '::/0'])
      expect(isAllowed(entry, '2001:db8:1:2::/64'), entry).to.equal(true);
    expect(isAllowed('2001:db8:1:3::5', '2001:db8:1:2::/64')).to.equal(false);
  });

  it('are not admitted in any other form', () => {
    for (const address of ['', 'unknown', '2001:db8:1:2::5', '2001:db8::/32', '203.0.113.7/8', 'example.com'])
      expect(isAllowed('2001:db8:1:2::5', address) || isAllowed('203.0.113.7', address), address).to.equal(false);
  });
});
