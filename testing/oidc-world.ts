import type { AccountsContext } from '../device-service/accounts/accounts-context.js';
import { authenticateWith } from '../device-service/accounts/callers/authenticate.js';
import { beginSignIn } from '../device-service/accounts/oidc/begin-sign-in.js';
import { confirmSession } from '../device-service/accounts/oidc/confirm-session.js';
import { type Callback, finishSignIn } from '../device-service/accounts/oidc/finish-sign-in.js';
import { type Oidc, openOidc } from '../device-service/accounts/oidc/oidc.js';
import type { OidcConfig } from '../device-service/accounts/oidc/oidc-config.js';
import { createAccount } from '../device-service/accounts/people/sign-up.js';
import { openStores, type Stores } from '../device-service/store/stores.js';
import { ApiError } from '../kit/errors/api-error.js';
import { silentLog } from '../kit/log/log.js';
import type { Caller } from '../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { openTemporaryDatabase } from '../test/temporary-database.js';
import { accountsContext } from './accounts-context.js';
import { FakeClock } from './fake-clock.js';
import { HostileProvider } from './hostile-provider.js';

const ADDRESS = '192.0.2.1';

/** A browser on its way to the provider. */
export interface Begun {
  state: string;
  loginToken: string;
}

/** The accounts of the service in front of a provider that lies on request. */
export interface OidcWorld {
  context: AccountsContext;
  stores: Stores;
  clock: FakeClock;
  provider: HostileProvider;
  oidc: Oidc;
  /** Id of the account ann@example.com, to which groups give roles. */
  accountId: string;
  begin(): Promise<Begun>;
  /** Comes back from the provider. Returns the session's token. */
  finish(begun: Begun, more?: Partial<Callback>): Promise<string>;
  signIn(): Promise<string>;
  /** Returns the caller of a session; undefined where it is refused. */
  callerOf(token: string): Promise<Caller | undefined>;
  close(): Promise<void>;
}

export async function openOidcWorld(config: Partial<OidcConfig> = {}): Promise<OidcWorld> {
  const opened = await openTemporaryDatabase();
  const clock = new FakeClock(Date.now());
  const stores = await openStores(opened.database, { clock, log: silentLog });
  const provider = await HostileProvider.start(() => clock.now() / 1000);
  const oidc = openOidc(
    {
      issuer: provider.issuer,
      clientId: 'cloudphone',
      clientSecret: 'the secret',
      scopes: 'openid profile email offline_access',
      groupsClaim: 'groups',
      roles: [
        { group: 'qa', email: 'ann@example.com', role: 'operator' },
        { group: 'qa-admins', email: 'ann@example.com', role: 'admin' },
      ],
      trustsEmails: false,
      publicUrl: new URL('https://phones.example.com'),
      ...config,
    },
    { clock, fetch },
  );
  const context = accountsContext(stores, clock, { oidc });
  const account = await createAccount(context, { email: 'ann@example.com', password: 'correct horse' });
  const authenticate = authenticateWith({
    ...context,
    confirmSession: (session, token) => confirmSession(context, oidc, session, token),
  });
  const world: OidcWorld = {
    context,
    stores,
    clock,
    provider,
    oidc,
    accountId: account._id,
    begin: async () => {
      const { location, loginToken } = await beginSignIn(context, oidc, { returnTo: '/devices' }, ADDRESS);
      const { searchParams } = new URL(location);
      provider.nonce = searchParams.get('nonce') ?? '';
      provider.challenge = searchParams.get('code_challenge') ?? '';
      return { state: searchParams.get('state') ?? '', loginToken };
    },
    finish: async (begun, more = {}) => {
      const { token } = await finishSignIn(context, oidc, { code: 'a-code', ...begun, ...more }, ADDRESS);
      return token;
    },
    signIn: async () => world.finish(await world.begin()),
    callerOf: async (token) => {
      try {
        return await authenticate(`Session ${token}`);
      } catch (error) {
        if (error instanceof ApiError && error.kind === 'unauthorized') return undefined;
        throw error;
      }
    },
    close: async () => {
      await context.lastUse.close();
      await provider.close();
      await opened.close();
    },
  };
  return world;
}
