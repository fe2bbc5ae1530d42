import { type IdentityDocument, IdentityStore } from '../../device-service/store/identities.js';
import { type OidcLoginDocument, OidcLoginStore } from '../../device-service/store/oidc-logins.js';
import { type SignInLinkDocument, SignInLinkStore } from '../../device-service/store/sign-in-links.js';
import { bounded, NO_QUERY, type StoreUnderTest } from './describe-queries.js';
import { filled, idOf, minuteOf } from './tenants.js';

const LATER = new Date(Date.UTC(2100, 0, 1));
/** Sign-ins that the test counts at most, in place of MAX_LOGINS. */
const COUNTED = 10;

export const identityQueries: StoreUnderTest<IdentityStore> = {
  name: 'identities',
  collection: 'identities',
  documents: filled(({ at }): IdentityDocument => ({
    _id: idOf('identity', at),
    issuer: 'https://login.example.com',
    subject: `${at}`,
    personId: idOf('per', at),
    createdAt: minuteOf(at),
  })),
  open: (database) => new IdentityStore(database),
  createIndexes: (database) => new IdentityStore(database).createIndexes(),
  calls: {
    createIndexes: NO_QUERY,
    find: [(store) => store.find(idOf('identity', 7))],
    insert: NO_QUERY,
    remove: [(store) => store.remove({ _id: idOf('identity', 7), personId: idOf('per', 7) })],
    removeOfPerson: [(store) => store.removeOfPerson(idOf('per', 7))],
  },
};

export const oidcLoginQueries: StoreUnderTest<OidcLoginStore> = {
  name: 'oidcLogins',
  collection: 'oidcLogins',
  documents: filled(({ at }): OidcLoginDocument => ({ _id: idOf('login', at), returnTo: '/', expiresAt: LATER })),
  open: (database) => new OidcLoginStore(database),
  createIndexes: (database) => new OidcLoginStore(database).createIndexes(),
  calls: {
    createIndexes: NO_QUERY,
    insert: NO_QUERY,
    count: [bounded('the sign-ins under way, up to a limit', COUNTED, (store) => store.count(COUNTED))],
    claim: [(store) => store.claim(idOf('login', 7), minuteOf(1))],
  },
};

export const signInLinkQueries: StoreUnderTest<SignInLinkStore> = {
  name: 'signInLinks',
  collection: 'signInLinks',
  documents: filled(({ at }): SignInLinkDocument => ({
    _id: idOf('link', at),
    personId: idOf('per', at),
    expiresAt: LATER,
  })),
  open: (database) => new SignInLinkStore(database),
  createIndexes: (database) => new SignInLinkStore(database).createIndexes(),
  calls: {
    createIndexes: NO_QUERY,
    insert: NO_QUERY,
    claim: [(store) => store.claim(idOf('link', 7), minuteOf(1))],
  },
};
