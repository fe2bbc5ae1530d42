import { newDelivery } from '../../webhook-service/deliveries/new-delivery.js';
import type { DeliveryDocument } from '../../webhook-service/store/delivery-document.js';
import { DeliveryStore } from '../../webhook-service/store/deliveries.js';
import { bounded, NO_QUERY, type StoreUnderTest } from './describe-queries.js';
import { DOCUMENTS, filled, first, idOf, minuteOf, TENANTS } from './tenants.js';

const TRACEPARENT = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-00`;

/** Deliveries of three keys of each account: one in six is pending, and one in six has failed. */
const deliveries = filled(({ at, number, accountId }): DeliveryDocument => {
  const keyId = `key_${(number % 3) * TENANTS + (at % TENANTS)}`;
  const event = { id: idOf('evt', at), type: 'job.finished', accountId, device: 'one', payload: Buffer.from('{}') };
  const memberId = `mem_${keyId}`;
  const subscriber = { keyId, url: `https://${accountId}.test/`, secret: 'secret', memberId };
  const made = newDelivery(event, subscriber, { nowMs: at * 60_000, trace: { traceparent: TRACEPARENT } });
  const delivery = { ...made, _id: idOf('dlv', at) };
  const kind = Math.floor(number / 3) % 6;
  if (kind === 0) return number % 2 === 0 ? delivery : { ...delivery, claim: 'claim_1' };
  const finished: DeliveryDocument = { ...delivery, state: kind === 1 ? 'failed' : 'delivered', left: 0 };
  delete finished.dueAt;
  delete finished.nextAt;
  return finished;
});
delete first(deliveries, ({ state }) => state === 'pending').urlDigest; // of an older release
const pending = first(deliveries, ({ state, claim }) => state === 'pending' && claim === undefined);
const claimed = first(deliveries, ({ claim }) => claim !== undefined);
const delivered = first(deliveries, ({ state }) => state === 'delivered');
const owner = { accountId: 'acc_1' };
const key = { accountId: 'acc_1', keyId: 'key_1' };
const member = { accountId: 'acc_1', memberId: 'mem_key_1' };
const page = { beforeId: undefined, limit: 5 };
const rest = { beforeId: idOf('dlv', 280), limit: DOCUMENTS };
const middle = { fromId: idOf('dlv', 100), beforeId: idOf('dlv', 200), limit: DOCUMENTS };
const END = minuteOf(DOCUMENTS);

export const deliveryQueries: StoreUnderTest<DeliveryStore> = {
  name: 'deliveries',
  collection: 'deliveries',
  documents: deliveries,
  open: (database) => new DeliveryStore(database),
  createIndexes: (database) => new DeliveryStore(database).createIndexes(),
  calls: {
    createIndexes: NO_QUERY,
    insert: NO_QUERY,
    addUrlDigests: [bounded('a migration', DOCUMENTS, (store) => store.addUrlDigests())],
    findDue: [(store) => store.findDue(minuteOf(20), END)],
    findDueOf: [
      (store) => store.findDueOf('https://acc_1.test/', END, 5),
      (store) => store.findDueOf('https://acc_1.test/', END, DOCUMENTS),
    ],
    findNextAt: [(store) => store.findNextAt(minuteOf(20))],
    claim: [(store) => store.claim([pending._id], 'claim_2', END, END)],
    end: [(store) => store.end(claimed, { state: 'delivered', response: '', record: { at: END, status: 200, ms: 1 } })],
    release: [(store) => store.release(claimed)],
    find: [(store) => store.find({ accountId: delivered.accountId }, delivered._id)],
    list: [owner, key, member].flatMap((of) =>
      ([undefined, 'pending', 'failed', 'delivered'] as const).flatMap((state) =>
        [page, rest, middle].map((part) => (store: DeliveryStore) => store.list({ owner: of, state, ...part })),
      ),
    ),
    reopen: [
      (store) => store.reopen({ accountId: delivered.accountId }, delivered._id, { url: 'x', signature: '', now: END }),
    ],
    measure: [(store) => store.measure(END)],
  },
};
