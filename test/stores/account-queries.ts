import { type AccountDocument, AccountStore } from '../../device-service/store/accounts.js';
import { type IdempotencyDocument, IdempotencyStore } from '../../device-service/store/idempotency.js';
import { KeyStore, type NewKey } from '../../device-service/store/keys.js';
import { type SessionDocument, SessionStore } from '../../device-service/store/sessions.js';
import { type ShareDocument, ShareStore } from '../../device-service/store/shares.js';
import { bounded, NO_QUERY, type StoreUnderTest } from './describe-queries.js';
import { DOCUMENTS, filled, first, idOf, minuteOf, OF_TENANT } from './tenants.js';

const accounts = filled(({ at }): AccountDocument => {
  const phoneId = idOf('ph', at);
  const claims = { [phoneId]: { devices: 1, bytes: 1, at: minuteOf(at) } };
  return {
    _id: idOf('acc', at),
    email: `${at}@example.com`,
    passwordHash: 'hash',
    createdAt: minuteOf(at),
    trial: at % 2 === 0 ? { state: 'unused' } : { state: 'active', phoneId, claimedAt: minuteOf(at) },
    ...(at % 3 === 0 && { claims, claimsVersion: 1 }),
    ...(at !== 4 && { owners: [{ id: idOf('mem', at) }, { id: idOf('mem', at + DOCUMENTS) }] }),
    ...(at % 10 === 7 && { disabledAt: minuteOf(at) }),
  };
});
const made = accounts[4]?._id ?? '';
const [fresh, tried, claiming, disabled] = [2, 1, 3, 7].map((at) => accounts[at]?._id ?? '') as [
  ...[string, string, string, string],
];

export const accountQueries: StoreUnderTest<AccountStore> = {
  name: 'accounts',
  collection: 'accounts',
  documents: accounts,
  open: (database) => new AccountStore(database),
  createIndexes: (database) => new AccountStore(database).createIndexes(),
  calls: {
    createIndexes: NO_QUERY,
    insert: NO_QUERY,
    exist: [(store) => store.exist()],
    find: [(store) => store.find(fresh)],
    findByIds: [(store) => store.findByIds([fresh, tried])],
    findActive: [(store) => store.findActive([fresh, tried])],
    requiresSecondFactor: [(store) => store.requiresSecondFactor(fresh)],
    setDisabled: [(store) => store.setDisabled(fresh, minuteOf(1)), (store) => store.setDisabled(fresh, undefined)],
    setQuotas: [(store) => store.setQuotas(fresh, { devices: 1 })],
    remove: [(store) => store.remove(disabled)],
    findByEmail: [(store) => store.findByEmail('7@example.com')],
    list: [(store) => store.list(20), (store) => store.list(20, fresh)],
    removePassword: [(store) => store.removePassword(fresh)],
    setChoices: [(store) => store.setChoices(fresh, { requireSecondFactor: true })],
    addOwner: [(store) => store.addOwner(fresh, 'mem_1')],
    forgetOwner: [(store) => store.forgetOwner(fresh, 'mem_1')],
    removeOwner: [(store) => store.removeOwner(fresh, idOf('mem', 2))],
    removeNew: [(store) => store.removeNew(made)],
    noteCredit: [(store) => store.noteCredit(fresh, minuteOf(1))],
    setClaims: [(store) => store.setClaims(fresh, 0, {}), (store) => store.setClaims(claiming, 1, {})],
    endClaim: [(store) => store.endClaim(claiming, idOf('ph', 3))],
    addTimelineBytes: [(store) => store.addTimelineBytes(fresh, 1)],
    setTimelineBytes: [(store) => store.setTimelineBytes(fresh, 1)],
    beginTrial: [(store) => store.beginTrial(fresh, 'ph_1', minuteOf(1))],
    passTrial: [(store) => store.passTrial(tried, accounts[1]?.trial ?? { state: 'used' }, 'ph_2', minuteOf(2))],
    releaseTrial: [(store) => store.releaseTrial(tried, idOf('ph', 1))],
    endTrial: [(store) => store.endTrial(tried)],
  },
};

/** Most keys of each account are revoked, as in an account that changes its key every day. */
const keys = filled(({ at, number, accountId }): NewKey => ({
  _id: idOf('key', at),
  accountId,
  name: 'ci',
  scope: 'read',
  devices: ['*'],
  digest: idOf('digest', at),
  prefix: 'cp_abcde',
  memberId: idOf('mem', at),
  ...(number % 20 === 0 && { labels: ['team:qa'] }),
  ...(number % 10 < 6 && { webhookUrl: 'https://hooks.example/' }),
  createdAt: minuteOf(at),
  ...(number % 20 === 0 && { expiresAt: minuteOf(at) }),
  ...(number % 20 === 10 && { expiresAt: minuteOf(at), expiringAt: minuteOf(at), eventPending: true }),
  ...(number % 10 !== 0 && { revokedAt: minuteOf(at) }),
}));
const valid = first(keys, ({ revokedAt }) => revokedAt === undefined);
const pending = first(keys, ({ eventPending }) => eventPending === true);
const others = keys.filter((key) => key.revokedAt === undefined && key !== valid);

export const keyQueries: StoreUnderTest<KeyStore> = {
  name: 'keys',
  collection: 'keys',
  documents: keys,
  open: (database) => new KeyStore(database),
  createIndexes: (database) => new KeyStore(database).createIndexes(),
  calls: {
    createIndexes: NO_QUERY,
    seal: [bounded('every key, once at the start', DOCUMENTS, (store) => store.seal())],
    insert: NO_QUERY,
    existsFor: [(store) => store.existsFor('acc_1')],
    findNames: [(store) => store.findNames([valid._id, 'none'])],
    deleteAll: [(store) => store.deleteAll('acc_1')],
    findGood: [(store) => store.findGood([valid._id], minuteOf(1))],
    findAccountsWithWebhook: [(store) => store.findAccountsWithWebhook(['acc_1', 'acc_2'])],
    findWithWebhook: [(store) => store.findWithWebhook('acc_1')],
    findByDigest: [(store) => store.findByDigest(valid.digest)],
    findValid: [(store) => store.findValid(valid.accountId, valid._id)],
    replaceLabels: [(store) => store.replaceLabels(valid, ['team:dev'])],
    list: [
      bounded('the valid keys of an account, of which there are at most 100', OF_TENANT, (store) =>
        store.list({ accountId: 'acc_1', label: 'team:qa', afterId: undefined, limit: 100 }),
      ),
      (store) => store.list({ accountId: 'acc_1', afterId: undefined, limit: 2 }),
      (store) => store.list({ accountId: 'acc_1', afterId: idOf('key', 100), limit: 100 }),
    ],
    change: [
      (store) => store.change(valid.accountId, valid._id, {}),
      (store) => store.change(valid.accountId, valid._id, { name: 'other' }),
    ],
    removeWebhook: [(store) => store.removeWebhook(valid.accountId, valid._id, valid.webhookUrl ?? '')],
    revoke: [(store) => store.revoke(valid._id, minuteOf(1), valid.accountId)],
    touch: [(store) => store.touch(valid._id, minuteOf(1))],
    claimExpiring: [(store) => store.claimExpiring(minuteOf(99), minuteOf(104))],
    eventsPending: [(store) => store.eventsPending()],
    eventPublished: [(store) => store.eventPublished(pending)],
    existOfMember: [(store) => store.existOfMember(valid.memberId ?? '')],
    revokeOfMember: [(store) => store.revokeOfMember(others[0]?.memberId ?? '', minuteOf(1))],
    keepOfMember: [(store) => store.keepOfMember(others[1]?.memberId ?? '', { role: 'viewer', devices: ['*'] })],
  },
};

const sessions = filled(({ at, accountId }): SessionDocument => ({
  _id: idOf('digest', at),
  id: idOf('ses', at),
  accountId,
  ...(at % 2 === 0 && { personId: accountId.replace('acc_', 'per_') }),
  address: '192.0.2.1',
  createdAt: minuteOf(at),
  usedAt: minuteOf(at),
  expiresAt: new Date(Date.UTC(2100, 0, 1)),
  provider: { subject: 's', confirmedAt: minuteOf(1), dueAt: minuteOf(2) },
}));
const session = first(sessions, ({ accountId }) => accountId === 'acc_1');

export const sessionQueries: StoreUnderTest<SessionStore> = {
  name: 'sessions',
  collection: 'sessions',
  documents: [{ ...sessions[0], address: undefined }, ...sessions.slice(1)],
  open: (database) => new SessionStore(database),
  createIndexes: (database) => new SessionStore(database).createIndexes(),
  calls: {
    createIndexes: NO_QUERY,
    addAddresses: [bounded('a migration', DOCUMENTS, (store) => store.addAddresses())],
    insert: NO_QUERY,
    find: [(store) => store.find(session._id)],
    setProvider: [
      (store) => store.setProvider(session._id, { subject: 's', confirmedAt: minuteOf(1), dueAt: minuteOf(2) }),
    ],
    claimConfirmation: [(store) => store.claimConfirmation(session._id, minuteOf(2), minuteOf(3))],
    touch: [(store) => store.touch(session._id, minuteOf(1), minuteOf(2))],
    list: [(store) => store.list('per_1')],
    end: [(store) => store.end('per_1', session.id)],
    setAccount: [(store) => store.setAccount('per_1', session.id, 'acc_2')],
    confirm: [(store) => store.confirm('per_1', session.id, minuteOf(1))],
    endOldest: [(store) => store.endOldest('per_1', OF_TENANT - 5)],
    endAll: [(store) => store.endAll('per_1'), (store) => store.endAll('per_1', session.id)],
    endInAccount: [(store) => store.endInAccount('acc_2'), (store) => store.endInAccount('acc_2', 'per_2')],
    findGood: [(store) => store.findGood([session.id, 'none'], minuteOf(1))],
  },
};

/** One phone for each account. */
const shares = filled(({ at, number, accountId }): ShareDocument => ({
  _id: idOf('shr', at),
  digest: idOf('digest', at),
  accountId,
  phoneId: `ph_${accountId}`,
  place: number,
  access: number % 2 === 0 ? 'read' : 'control',
  maker: { id: idOf('key', at), isOwner: false },
  createdAt: minuteOf(at),
  expiresAt: new Date(Date.UTC(2100, 0, 1)),
}));
const share = first(shares, ({ accountId }) => accountId === 'acc_1');

export const shareQueries: StoreUnderTest<ShareStore> = {
  name: 'shares',
  collection: 'shares',
  documents: shares,
  open: (database) => new ShareStore(database),
  createIndexes: (database) => new ShareStore(database).createIndexes(),
  calls: {
    createIndexes: NO_QUERY,
    insert: NO_QUERY,
    findByDigest: [(store) => store.findByDigest(share.digest)],
    find: [(store) => store.find(share._id)],
    list: [(store) => store.list(share.phoneId)],
    remove: [(store) => store.remove(share.phoneId, share._id)],
    removeOfPhone: [(store) => store.removeOfPhone(share.phoneId)],
    removeControlOfOthers: [(store) => store.removeControlOfOthers(share.phoneId, 'nobody')],
    touch: [(store) => store.touch(share._id, minuteOf(1))],
  },
};

const requests = filled(({ at }): IdempotencyDocument => ({
  _id: idOf('key_1/digest', at),
  fingerprint: '',
  phoneId: idOf('ph', at),
  jobId: idOf('job', at),
  runUntil: minuteOf(at),
  expiresAt: new Date(Date.UTC(2100, 0, 1)),
}));
const request = first(requests, () => true);

export const requestQueries: StoreUnderTest<IdempotencyStore> = {
  name: 'repeated requests',
  collection: 'idempotency',
  documents: requests,
  open: (database) => new IdempotencyStore(database),
  createIndexes: (database) => new IdempotencyStore(database).createIndexes(),
  calls: {
    createIndexes: NO_QUERY,
    insert: NO_QUERY,
    find: [(store) => store.find(request._id)],
    take: [(store) => store.take(request, minuteOf(DOCUMENTS))],
    end: [(store) => store.end(request._id, { error: { kind: 'internal', message: '' } })],
    release: [(store) => store.release(request)],
    forgetExpired: [(store) => store.forgetExpired(request._id, new Date(Date.UTC(2200, 0, 1)))],
  },
};
