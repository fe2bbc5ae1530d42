import * as client from 'openid-client';
import { begunAhead } from '../../../kit/async/begun-ahead.js';
import { type Clock, systemClock } from '../../../kit/async/clock.js';
import { boundedFetch } from './bounded-fetch.js';
import { type Claims, hasGroups, readClaims } from './claims.js';
import type { LoginSecrets } from './login-secrets.js';
import type { OidcConfig } from './oidc-config.js';

/** How long an answer of the provider is waited for, seconds. */
const ANSWER_S = 10;
/** How far the provider's clock may be off, seconds. */
const SKEW_S = 60;
/** How long the provider's addresses are remembered, ms. */
const METADATA_MS = 3_600_000;

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** What the provider answers about a person. */
export interface Answer {
  claims: Claims;
  /** Absent: the provider gave none. */
  refreshToken?: string;
}

/** The identity provider. What it signs is checked against its keys of now, so keys that it rotates are no matter. */
export class Provider {
  readonly #config: OidcConfig;
  readonly #clock: Clock;
  readonly #fetch: client.CustomFetch;
  #known: { metadata: client.ServerMetadata; untilMs: number } | undefined;
  #asking: Promise<client.ServerMetadata> | undefined;

  constructor(config: OidcConfig, { clock, fetch }: { clock: Clock; fetch: typeof globalThis.fetch }) {
    this.#config = config;
    this.#clock = clock;
    this.#fetch = boundedFetch(fetch);
  }

  /** Returns the page of the provider where a sign-in begins. */
  async signInUrl({ state, nonce, verifier }: LoginSecrets): Promise<string> {
    const challenge = await client.calculatePKCECodeChallenge(verifier);
    return client.buildAuthorizationUrl(await this.#configuration(), {
      redirect_uri: this.#callback().href,
      scope: this.#config.scopes,
      state,
      nonce,
      code_challenge: challenge,
      code_challenge_method: 'S256',
    }).href;
  }

  /** Returns the page of the provider where people sign out; undefined when it has none. */
  async signOutUrl(): Promise<string | undefined> {
    const configuration = await this.#configuration();
    if (configuration.serverMetadata().end_session_endpoint === undefined) return undefined;
    const back = new URL('/sign-in', this.#config.publicUrl).href;
    return client.buildEndSessionUrl(configuration, { post_logout_redirect_uri: back }).href;
  }

  /** Exchanges the parameters with which the browser came back for what the provider says. Throws where any check fails. */
  async exchange(parameters: Readonly<Record<string, string>>, secrets: LoginSecrets): Promise<Answer> {
    const configuration = await this.#configuration();
    const url = this.#callback();
    url.search = new URLSearchParams(parameters).toString();
    const tokens = await client.authorizationCodeGrant(configuration, url, {
      expectedState: secrets.state,
      expectedNonce: secrets.nonce,
      pkceCodeVerifier: secrets.verifier,
      idTokenExpected: true,
    });
    return this.#answer(configuration, tokens, tokens.claims()?.sub);
  }

  /** Asks again about the person of a refresh token. Throws where the provider does not confirm it, or means another person. */
  async refresh(refreshToken: string, subject: string): Promise<Answer> {
    const configuration = await this.#configuration();
    const tokens = await client.refreshTokenGrant(configuration, refreshToken);
    const answer = await this.#answer(configuration, tokens, subject);
    // A provider that does not replace the token goes on with the old one.
    return { refreshToken, ...answer };
  }

  async #answer(
    configuration: client.Configuration,
    tokens: client.TokenEndpointResponse & client.TokenEndpointResponseHelpers,
    subject: string | undefined,
  ): Promise<Answer> {
    const { groupsClaim } = this.#config;
    const signed = tokens.claims();
    const sources: Record<string, unknown>[] = signed === undefined ? [] : [signed];
    const isWhole = signed !== undefined && signed['email'] !== undefined && hasGroups(signed, groupsClaim);
    if (!isWhole && subject !== undefined && configuration.serverMetadata().userinfo_endpoint !== undefined) {
      // It throws when the userinfo is about someone else.
      sources.push(await client.fetchUserInfo(configuration, tokens.access_token, subject));
    }
    const claims = readClaims(sources, groupsClaim);
    if (claims === undefined || claims.subject !== subject) throw new Error('the answer is not about the person');
    return { claims, ...(tokens.refresh_token !== undefined && { refreshToken: tokens.refresh_token }) };
  }

  #callback(): URL {
    return new URL('/v1/session/oidc/callback', this.#config.publicUrl);
  }

  /** Returns a configuration for one exchange. Each one reads the provider's keys anew. */
  async #configuration(): Promise<client.Configuration> {
    const { clientId, clientSecret } = this.#config;
    const configuration = new client.Configuration(
      await this.#metadata(),
      clientId,
      this.#clientMetadata(),
      this.#authentication(clientSecret),
    );
    configuration[client.customFetch] = this.#fetch;
    configuration.timeout = ANSWER_S;
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- it is marked as a warning, and loopback is safe
    if (this.#isLoopback()) client.allowInsecureRequests(configuration);
    // Without this, the library believes an ID token without a look at its signature, as it came over TLS.
    client.enableNonRepudiationChecks(configuration);
    return configuration;
  }

  #clientMetadata(): Partial<client.ClientMetadata> {
    // The library reads the machine's own clock.
    const skew = Math.round((this.#clock.now() - systemClock.now()) / 1000);
    return { [client.clockTolerance]: SKEW_S, [client.clockSkew]: skew };
  }

  #authentication(secret: string): client.ClientAuth {
    return client.ClientSecretPost(secret);
  }

  /** Returns whether the provider is on this machine, where http is safe. */
  #isLoopback(): boolean {
    return LOOPBACK.test(new URL(this.#config.issuer).hostname);
  }

  /** Returns the provider's addresses. Where it is away, those that were known before stay. */
  async #metadata(): Promise<client.ServerMetadata> {
    if (this.#known !== undefined && this.#clock.monotonicMs() < this.#known.untilMs) return this.#known.metadata;
    this.#asking ??= begunAhead(this.#discover().finally(() => (this.#asking = undefined)));
    try {
      const metadata = await this.#asking;
      this.#known = { metadata, untilMs: this.#clock.monotonicMs() + METADATA_MS };
    } catch (error) {
      if (this.#known === undefined) throw error;
    }
    return this.#known.metadata;
  }

  async #discover(): Promise<client.ServerMetadata> {
    const { issuer, clientId, clientSecret } = this.#config;
    const found = await client.discovery(
      new URL(issuer),
      clientId,
      this.#clientMetadata(),
      this.#authentication(clientSecret),
      {
        [client.customFetch]: this.#fetch,
        timeout: ANSWER_S,
        // eslint-disable-next-line @typescript-eslint/no-deprecated -- it is marked as a warning, and loopback is safe
        execute: this.#isLoopback() ? [client.allowInsecureRequests] : [],
      },
    );
    // A configuration takes plain data, and here are functions too.
    const data = Object.entries(found.serverMetadata()).filter(([, value]) => typeof value !== 'function');
    return Object.fromEntries(data) as unknown as client.ServerMetadata;
  }
}
