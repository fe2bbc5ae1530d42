import { expect } from 'chai';
import { auditLines } from '../../../device-service/accounts/audit/entry-message.js';
import { bounded, chained } from '../../../device-service/accounts/audit/audit-line.js';
import type { AuditDocument } from '../../../device-service/store/audit.js';
import { verifyChain } from './verify-chain.js';

const chain: AuditDocument[] = [];
for (let number = 1; number <= 6; number++) {
  const line = {
    accountId: 'acc_1',
    at: new Date(number),
    actorKind: 'person' as const,
    actorId: 'mem_1',
    actorName: 'ann@example.com',
    role: 'admin' as const,
    action: 'DeviceService.StopDevice',
    ...(number % 2 === 0 && { device: 'demo', target: 'a\n"b"' }),
    outcome: 'ok',
    address: '192.0.2.1',
    requestId: `req_${number}`,
  };
  chain.push(chained(bounded(line), chain.at(-1), 'wri_1'));
}
const whole = auditLines(chain).trim().split('\n');

const verify = (lines: readonly string[]): ReturnType<typeof verifyChain> =>
  verifyChain(
    (async function* () {
      for (const line of lines) yield await Promise.resolve(line);
    })(),
  );

describe('the check of an export of the audit log', () => {
  it('takes a whole chain in both orders, and a part of one', async () => {
    const result = { entries: 6, first: '1', last: '6', digest: chain[5]?.digest };
    expect(await verify(whole)).to.deep.equal(result);
    expect(await verify(whole.toReversed())).to.deep.equal(result);
    expect(await verify(whole.slice(2))).to.deep.include({ entries: 4, first: '3' });
  });

  it('finds an edit, a removal, a swap, a copy and what is no entry, by line', async () => {
    const edited = whole.map((line, at) => (at === 3 ? line.replace('demo', 'other') : line));
    expect(await verify(edited)).to.deep.include({ line: 4 });
    expect(await verify(whole.filter((_, at) => at !== 2))).to.deep.include({ line: 3 });
    const [a = '', b = '', c = '', ...rest] = whole;
    expect(await verify([a, c, b, ...rest])).to.deep.include({ line: 2 });
    expect(await verify([a, b, b, c, ...rest])).to.deep.include({ line: 3 });
    expect(await verify([a, 'null', b])).to.deep.include({ line: 2 });
    expect(await verify([])).to.have.property('problem');
  });
});
