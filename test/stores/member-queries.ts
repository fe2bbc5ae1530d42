import { type InvitationDocument, InvitationStore } from '../../device-service/store/invitations.js';
import { type MemberDocument, MemberStore } from '../../device-service/store/members.js';
import { type PersonDocument, PersonStore } from '../../device-service/store/people.js';
import { type SignInChallengeDocument, SignInChallengeStore } from '../../device-service/store/sign-in-challenges.js';
import { bounded, NO_QUERY, type StoreUnderTest } from './describe-queries.js';
import { filled, first, idOf, minuteOf, OF_TENANT } from './tenants.js';

const people = filled(({ at }): PersonDocument => ({
  _id: idOf('per', at),
  email: `${at}@example.com`,
  passwordHash: 'hash',
  createdAt: minuteOf(at),
  ...(at % 2 === 1 && { secondFactors: { version: 1, list: [], recoveryCodes: [] } }),
  providerAllowed: true,
}));
const [person, other] = people as [PersonDocument, PersonDocument];
const plain = first(people, ({ secondFactors }) => secondFactors === undefined);
const factored = first(people, ({ secondFactors }) => secondFactors !== undefined);

export const personQueries: StoreUnderTest<PersonStore> = {
  name: 'people',
  collection: 'people',
  documents: people,
  open: (database) => new PersonStore(database),
  createIndexes: (database) => new PersonStore(database).createIndexes(),
  calls: {
    createIndexes: NO_QUERY,
    insert: NO_QUERY,
    find: [(store) => store.find(person._id)],
    findByIds: [(store) => store.findByIds([person._id, 'none'])],
    findByEmail: [(store) => store.findByEmail('7@example.com')],
    setPassword: [
      (store) => store.setPassword(person._id, 'new'),
      (store) => store.setPassword(other._id, 'x', 'hash'),
    ],
    setSecondFactors: [
      (store) => store.setSecondFactors(plain._id, undefined, { version: 1, list: [], recoveryCodes: [] }),
      (store) => store.setSecondFactors(factored._id, 1, { version: 2, list: [], recoveryCodes: [] }),
    ],
    list: [(store) => store.list(20), (store) => store.list(20, person._id)],
    removePassword: [(store) => store.removePassword(person._id)],
    setVerified: [(store) => store.setVerified(person._id, minuteOf(1))],
    setName: [(store) => store.setName(person._id, 'Ann')],
    setLastAccount: [(store) => store.setLastAccount(person._id, 'acc_2')],
    allowProvider: [(store) => store.allowProvider(person._id)],
    claimProvider: [(store) => store.claimProvider(person._id)],
    remove: [(store) => store.remove(person._id)],
  },
};

const members = filled(({ at, accountId }): MemberDocument => ({
  _id: idOf('mem', at),
  accountId,
  personId: idOf('per', at),
  role: 'operator',
  devices: ['*'],
  createdAt: minuteOf(at),
}));
const member = first(members, ({ accountId }) => accountId === 'acc_1');

export const memberQueries: StoreUnderTest<MemberStore> = {
  name: 'members',
  collection: 'members',
  documents: members,
  open: (database) => new MemberStore(database),
  createIndexes: (database) => new MemberStore(database).createIndexes(),
  calls: {
    createIndexes: NO_QUERY,
    insert: NO_QUERY,
    find: [(store) => store.find('acc_1', member._id)],
    findByIds: [(store) => store.findByIds([member._id, 'none'])],
    findPerson: [(store) => store.findPerson('acc_1', member.personId)],
    ofPerson: [(store) => store.ofPerson(member.personId, 2)],
    list: [(store) => store.list('acc_1', 20), (store) => store.list('acc_1', 20, member._id)],
    change: [(store) => store.change(member, { devices: ['demo'] })],
    touch: [(store) => store.touch(member._id, minuteOf(1))],
    remove: [(store) => store.remove({ ...member, role: 'operator' })],
  },
};

/** The first account has some; an account may have at most 100 that are open. */
const invitations = filled(({ at, accountId }): InvitationDocument => ({
  _id: idOf('inv', at),
  digest: idOf('digest', at),
  accountId,
  email: `${at}@example.com`,
  role: 'viewer',
  devices: ['*'],
  invitedBy: 'ann@example.com',
  memberId: 'mem_1',
  mailed: false,
  createdAt: minuteOf(at),
  expiresAt: new Date(Date.UTC(2100, 0, 1)),
}));
const invitation = first(invitations, ({ accountId }) => accountId === 'acc_1');
const again = first(invitations, ({ _id, accountId }) => accountId === 'acc_1' && _id !== invitation._id);

export const invitationQueries: StoreUnderTest<InvitationStore> = {
  name: 'invitations',
  collection: 'invitations',
  documents: invitations,
  open: (database) => new InvitationStore(database),
  createIndexes: (database) => new InvitationStore(database).createIndexes(),
  calls: {
    createIndexes: NO_QUERY,
    insert: NO_QUERY,
    setMailed: [(store) => store.setMailed(invitation._id)],
    removeOthers: [
      bounded('the invitations of an account, of which there are at most 200', OF_TENANT, (store) =>
        store.removeOthers({ ...invitation, email: again.email }),
      ),
    ],
    removeOfMember: [
      bounded('the invitations of an account, of which there are at most 200', OF_TENANT, (store) =>
        store.removeOfMember('acc_1', 'mem_1'),
      ),
    ],
    findByDigest: [(store) => store.findByDigest(invitation.digest)],
    list: [(store) => store.list('acc_1', 20)],
    remove: [(store) => store.remove('acc_1', invitation._id)],
    deleteAll: [(store) => store.deleteAll('acc_2')],
  },
};

const challenges = filled(({ at }): SignInChallengeDocument => ({
  _id: idOf('digest', at),
  personId: idOf('per', at),
  expiresAt: new Date(Date.UTC(2100, 0, 1)),
}));
const challenge = first(challenges, () => true);

export const challengeQueries: StoreUnderTest<SignInChallengeStore> = {
  name: 'challenges of sign-ins',
  collection: 'sign_in_challenges',
  documents: challenges,
  open: (database) => new SignInChallengeStore(database),
  createIndexes: (database) => new SignInChallengeStore(database).createIndexes(),
  calls: {
    createIndexes: NO_QUERY,
    insert: NO_QUERY,
    find: [(store) => store.find(challenge._id)],
    take: [(store) => store.take(challenge._id)],
  },
};
