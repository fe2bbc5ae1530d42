import { expect } from 'chai';
import { syncHeader, syncOkay } from '../../phone/adb/sync-messages.js';
import { SyncGuard } from './sync-guard.js';
import { MalformedSync } from './sync-requests.js';
import { TransferBudget } from './transfer-budget.js';

const LIMIT = 1_000;

describe('SyncGuard', () => {
  /** The relay's own packets after it took the stream over; undefined: it has not. */
  let own: Buffer[] | undefined;
  let isEnded: boolean;
  let guard: SyncGuard;

  beforeEach(() => {
    own = undefined;
    isEnded = false;
    guard = new SyncGuard({
      budget: new TransferBudget(LIMIT),
      text: 'too much',
      onCut: () => undefined,
      cut: {
        takeOver: (replies) => {
          const sent = (own = [...replies]);
          return { write: (bytes) => sent.push(bytes), end: () => (isEnded = true) };
        },
      },
    });
  });

  const record = (id: string, body: Buffer | string = ''): Buffer =>
    Buffer.concat([syncHeader.write({ id, length: Buffer.byteLength(body) }), Buffer.from(body)]);
  const fail = record('FAIL', 'too much');
  const gathered = (from: 'client' | 'phone', bytes: Buffer): string => {
    const goesOn = guard.gathered(from, bytes).toString('latin1');
    guard.passed();
    return goesOn;
  };

  it('ends a pull at the record that is too much, and fails the pulls requested after it', () => {
    gathered('client', Buffer.concat([record('RECV', '/a'), record('RECV', '/b')]));
    const first = record('DATA', Buffer.alloc(LIMIT));
    expect(gathered('phone', Buffer.concat([first, record('DATA', 'x')]))).to.equal(first.toString('latin1'));
    expect(own).to.deep.equal([fail, fail]);
    expect(isEnded).to.equal(false);
    gathered('client', record('RECV', '/c'));
    expect(own).to.have.length(3);
  });

  it('closes the stream of a pull when the client has half of the header of the record that is too much', () => {
    gathered('client', record('RECV', '/a'));
    const tooMuch = record('DATA', Buffer.alloc(LIMIT + 1));
    gathered('phone', tooMuch.subarray(0, 5));
    expect(gathered('phone', tooMuch.subarray(5))).to.equal('');
    expect(own).to.deep.equal([]);
    expect(isEnded).to.equal(true);
  });

  it('lets the replies to earlier files through before it fails a push', () => {
    gathered('client', Buffer.concat([record('SEND', '/a,33188'), record('DATA', 'a'), record('DONE')]));
    const second = Buffer.concat([record('SEND', '/b,33188'), record('DATA', Buffer.alloc(LIMIT))]);
    expect(gathered('client', second)).to.equal(record('SEND', '/b,33188').toString('latin1'));
    expect(own).to.equal(undefined);
    expect(gathered('phone', syncOkay)).to.equal(syncOkay.toString('latin1'));
    expect(own).to.deep.equal([fail]);
  });

  it('ignores replies to listings, and throws at a transfer that was requested before such a reply was read', () => {
    gathered('client', record('STAT', '/a'));
    gathered('phone', record('STAT', Buffer.alloc(8)));
    gathered('client', record('STAT', '/a'));
    gathered('client', record('RECV', '/a'));
    expect(() => gathered('phone', record('STAT', Buffer.alloc(8)))).to.throw(MalformedSync);
  });
});
