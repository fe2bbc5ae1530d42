import { createHash, createHmac, generateKeyPairSync, type JsonWebKey, type KeyObject, sign } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A claim set; `undefined` leaves a claim out. */
export type ClaimSet = Record<string, unknown>;

/** What one test changes in the answers of the provider. Whatever is absent is as it should be. */
export interface Lie {
  /** Claims of the ID token in place of the right ones. */
  claims?: ClaimSet;
  header?: ClaimSet;
  /** How the ID token is signed. Absent: with the provider's key. */
  signature?: 'none' | 'other-key' | 'hmac-secret' | 'hmac-public-key' | 'changed' | 'absent';
  /** The body of the token response. */
  token?: (right: ClaimSet) => unknown;
  tokenStatus?: number;
  tokenHeaders?: Record<string, string>;
  userinfo?: ClaimSet;
  metadata?: ClaimSet;
  keys?: unknown;
}

/**
 * An OpenID provider on loopback that signs whatever a test wants. It answers each code with the claims of the sign-in under way; it has no
 * pages, so the test takes the place of the browser.
 */
export class HostileProvider {
  readonly #server: Server;
  #key: { private: KeyObject; jwk: JsonWebKey; kid: string };
  #rotations = 0;
  lie: Lie = {};
  /** Claims of the person who signs in. */
  person: ClaimSet = {};
  nonce = '';
  /** The PKCE challenge of the sign-in under way; a code with another verifier is refused. */
  challenge = '';
  /** Right clock of the provider, seconds. */
  nowS: () => number;
  /** Refresh tokens that are good. */
  readonly refreshTokens = new Set<string>();
  /** How often each path was asked for. */
  readonly asked = new Map<string, number>();

  private constructor(nowS: () => number) {
    this.nowS = nowS;
    this.#key = this.#newKey();
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  static async start(nowS: () => number): Promise<HostileProvider> {
    const provider = new HostileProvider(nowS);
    await new Promise<void>((resolve) => provider.#server.listen(0, '127.0.0.1', resolve));
    return provider;
  }

  get issuer(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Replaces the key with which the provider signs, and publishes the new one alone. */
  rotate(): void {
    this.#key = this.#newKey();
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  #newKey(): { private: KeyObject; jwk: JsonWebKey; kid: string } {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    return { private: privateKey, jwk: publicKey.export({ format: 'jwk' }), kid: `key-${++this.#rotations}` };
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url?.split('?')[0] ?? '';
    this.asked.set(path, (this.asked.get(path) ?? 0) + 1);
    let body = '';
    for await (const piece of request) body += String(piece);
    const send = (value: unknown, status = 200, headers: Record<string, string> = {}): void => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(typeof value === 'string' ? value : JSON.stringify(value));
    };
    if (path === '/.well-known/openid-configuration') send(this.#metadata());
    else if (path === '/keys')
      send(this.lie.keys ?? { keys: [{ ...this.#key.jwk, kid: this.#key.kid, use: 'sig', alg: 'RS256' }] });
    else if (path === '/userinfo') send(this.lie.userinfo ?? { ...this.person });
    else if (path === '/token') this.#token(new URLSearchParams(body), send);
    else send({}, 404);
  }

  #metadata(): ClaimSet {
    const { issuer } = this;
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      userinfo_endpoint: `${issuer}/userinfo`,
      end_session_endpoint: `${issuer}/end`,
      jwks_uri: `${issuer}/keys`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      ...this.lie.metadata,
    };
  }

  #token(
    form: URLSearchParams,
    send: (value: unknown, status?: number, headers?: Record<string, string>) => void,
  ): void {
    const isRefresh = form.get('grant_type') === 'refresh_token';
    const verifier = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const isGood = isRefresh ? this.refreshTokens.delete(form.get('refresh_token') ?? '') : verifier === this.challenge;
    if (!isGood) {
      send({ error: 'invalid_grant' }, 400);
      return;
    }
    const refreshToken = `refresh-${this.refreshTokens.size + 1}-${this.asked.get('/token') ?? 0}`;
    this.refreshTokens.add(refreshToken);
    const right = {
      access_token: 'access',
      token_type: 'bearer',
      expires_in: 300,
      refresh_token: refreshToken,
      id_token: this.#idToken(isRefresh ? undefined : this.nonce, form.get('client_id') ?? ''),
    };
    send(this.lie.token?.(right) ?? right, this.lie.tokenStatus ?? 200, this.lie.tokenHeaders);
  }

  #idToken(nonce: string | undefined, audience: string): string {
    const { claims = {}, header = {}, signature } = this.lie;
    const now = Math.floor(this.nowS());
    const right = { iss: this.issuer, aud: audience, iat: now, exp: now + 300, nonce, ...this.person };
    const algorithm = signature === 'none' ? 'none' : signature?.startsWith('hmac') === true ? 'HS256' : 'RS256';
    const text = [
      { alg: algorithm, kid: this.#key.kid, typ: 'JWT', ...header },
      { ...right, ...claims },
    ]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    return signature === 'absent' ? text : `${text}.${this.#signatureOf(text)}`;
  }

  #signatureOf(text: string): string {
    const { signature } = this.lie;
    const hmac = (secret: string): string => createHmac('sha256', secret).update(text).digest('base64url');
    if (signature === 'none') return '';
    if (signature === 'hmac-secret') return hmac('the secret');
    if (signature === 'hmac-public-key') return hmac(JSON.stringify(this.#key.jwk));
    const key = signature === 'other-key' ? this.#newKey().private : this.#key.private;
    const right = sign('sha256', Buffer.from(text), key).toString('base64url');
    return signature === 'changed' ? `${right.startsWith('A') ? 'B' : 'A'}${right.slice(1)}` : right;
  }
}
