import { type RelayDocument, RelayStore } from '../../relay-service/store/relays.js';
import { NO_QUERY, type StoreUnderTest } from './describe-queries.js';
import { DOCUMENTS, filled, first, idOf, minuteOf } from './tenants.js';

const relays = filled(({ at, accountId, hostId }): RelayDocument => ({
  _id: idOf('ph', at),
  enableId: idOf('on', at),
  accountId,
  device: 'one',
  keyId: 'key_1',
  codeDigest: '',
  allow: [],
  enabledAt: minuteOf(0),
  expiresAt: minuteOf(DOCUMENTS),
  checks: [{ id: 'check_1', at: minuteOf(0) }],
  refused: {},
  sessions: [],
  instanceId: hostId,
  leaseUntil: minuteOf(at),
  host: hostId,
  port: 1_000 + at,
  endpoint: `${hostId}:${1_000 + at}`,
}));
const relay = first(relays, ({ instanceId }) => instanceId === 'host_1');
const { enableId, accountId, device, keyId, codeDigest, allow, enabledAt, expiresAt } = relay;
const terms = { enableId: 'on_new', accountId, device, keyId, codeDigest, allow, enabledAt, expiresAt };
const { instanceId, leaseUntil } = relay;
const place = { instanceId, leaseUntil, host: 'host_9', port: 1, endpoint: 'host_9:1' };
const window = { most: 20, since: minuteOf(0) };

export const relayQueries: StoreUnderTest<RelayStore> = {
  name: 'relays',
  collection: 'relays',
  documents: relays,
  open: (database) => new RelayStore(database),
  createIndexes: (database) => new RelayStore(database).createIndexes(),
  calls: {
    createIndexes: NO_QUERY,
    insert: NO_QUERY,
    list: [(store) => store.list(20), (store) => store.list(DOCUMENTS)],
    find: [(store) => store.find(relay._id)],
    renewTerms: [(store) => store.renewTerms(relay, terms)],
    move: [(store) => store.move(relay, place)],
    remove: [(store) => store.remove(relay._id), (store) => store.remove(relay._id, enableId)],
    reserveCheck: [(store) => store.reserveCheck(relay, { id: 'check_2', at: minuteOf(1) }, window)],
    forgetCheck: [(store) => store.forgetCheck(relay, 'check_1')],
    report: [(store) => store.report(relay, { rule: 1 }, [])],
    findOfInstance: [(store) => store.findOfInstance('host_1')],
    renewLeases: [(store) => store.renewLeases('host_1', minuteOf(1), '')],
    findLapsed: [(store) => store.findLapsed(minuteOf(30)), (store) => store.findLapsed(minuteOf(DOCUMENTS))],
    countAt: [(store) => store.countAt(accountId, 'host_1')],
    portsOf: [(store) => store.portsOf('host_1')],
  },
};
