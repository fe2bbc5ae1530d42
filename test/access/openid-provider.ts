import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import Provider, { type JWKS } from 'oidc-provider';

/** A certified OpenID provider on loopback, with pages on which people sign in. */
export interface OpenIdProvider {
  issuer: string;
  /** Claims of people, by their login. */
  people: Map<string, Record<string, unknown>>;
  /** Starts over with other keys, as after a rotation. Sessions at the provider are forgotten. */
  rotate(): void;
  close(): Promise<void>;
}

/** Starts a provider whose one client is the service at `url`. */
export async function startOpenIdProvider(url: string, secret: string): Promise<OpenIdProvider> {
  const people = new Map<string, Record<string, unknown>>();
  let handle: RequestListener = () => undefined;
  const server = createServer((request, response) => handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the provider has no port');
  const issuer = `http://127.0.0.1:${address.port}`;
  const rotate = (): void => {
    const provider = new Provider(issuer, {
      clients: [
        {
          client_id: 'cloudphone',
          client_secret: secret,
          redirect_uris: [`${url}/v1/session/oidc/callback`],
          post_logout_redirect_uris: [`${url}/sign-in`],
          grant_types: ['authorization_code', 'refresh_token'],
          token_endpoint_auth_method: 'client_secret_post',
        },
      ],
      jwks: newKeys(),
      cookies: { keys: [randomUUID()] },
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
      pkce: { required: () => true },
      issueRefreshToken: () => Promise.resolve(true),
      findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id, ...people.get(id) }) }),
    });
    const callback = provider.callback();
    handle = (request, response) => void callback(request, response);
  };
  rotate();
  return {
    issuer,
    people,
    rotate,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

function newKeys(): JWKS {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { keys: [{ ...privateKey.export({ format: 'jwk' }), kid: randomUUID(), use: 'sig', alg: 'RS256' }] };
}
