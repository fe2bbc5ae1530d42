import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Cancellation } from '../../kit/async/within.js';
import type { Machine } from '../machine/machine.js';
import { waitForIdle } from '../screen/wait-for-idle.js';
import { ElementCommands } from './element-commands.js';
import { httpServer, serveHttp } from './serve-http.js';
import { WebDriverRefusal } from './web-driver-refusal.js';

const PORT = 'tcp:6790';

/** Largest body of a request, bytes. */
const MAX_BODY_BYTES = 1024 * 1024;

/**
 * How long the screen must be quiet before the server reads it, ms. The server waits for that IDLE_LIMIT_MS at most, unless a client sets
 * another limit.
 */
const IDLE_QUIET_MS = 500;
const IDLE_LIMIT_MS = 10_000;

interface Session {
  id: string;
  capabilities: Record<string, unknown>;
}

/**
 * The HTTP server of Appium's UiAutomator2 server, on port 6790 of the phone. It has state, sessions, settings, the source of the screen,
 * and the commands on elements (ElementCommands).
 */
export class Uia2Server {
  readonly #machine: Machine;
  readonly #onDeleted: () => void;
  readonly #server: Server;
  readonly #closing = new Cancellation();
  #stopListening: (() => void) | undefined;
  #session: Session | undefined;
  #settings: Record<string, unknown> = { waitForIdleTimeout: IDLE_LIMIT_MS, enableMultiWindows: false };
  #connected = true;
  readonly #elements: ElementCommands;

  /** `onDeleted` is called when a client has deleted the session. The instrumentation ends then. */
  constructor(machine: Machine, onDeleted: () => void) {
    this.#machine = machine;
    this.#onDeleted = onDeleted;
    this.#elements = new ElementCommands(
      machine,
      () => this.#read((screen) => screen.elements()),
      this.#closing.signal,
    );
    this.#server = httpServer((request, response) => void this.#respond(request, response));
  }

  /** Listens. Returns false when the port is taken. */
  listen(): boolean {
    const { sockets } = this.#machine;
    if (sockets.find(PORT)) return false;
    this.#stopListening = sockets.listen(PORT, (connection) =>
      serveHttp(this.#server, connection, this.#closing.signal),
    );
    return true;
  }

  /** Is called when the connection to accessibility is gone: requests that need it fail from now on. */
  disconnect(): void {
    this.#connected = false;
  }

  close(): void {
    this.#stopListening?.();
    this.#closing.abort();
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const value = await this.#handle(request, await readBody(request));
      send(response, 200, { sessionId: this.#session?.id ?? null, value });
      if (request.method === 'DELETE') response.once('close', () => this.#onDeleted());
    } catch (error) {
      const { status, code, message } =
        error instanceof WebDriverRefusal ? error : { status: 500, code: 'unknown error', message: String(error) };
      send(response, status, {
        sessionId: this.#session?.id ?? null,
        value: { error: code, message, stacktrace: `io.appium.uiautomator2.common.exceptions: ${message}` },
      });
    }
  }

  async #handle({ method = '', url = '' }: IncomingMessage, body: Record<string, unknown>): Promise<unknown> {
    const [, root = '', id, ...rest] = (url.split('?')[0] ?? '').replace(/\/$/, '').split('/');
    const route = `${method} ${[root, ...(id === undefined ? [] : [':id']), ...rest].join('/')}`;
    if (root === 'session' && id !== undefined && id !== this.#session?.id)
      throw new WebDriverRefusal(404, 'invalid session id', 'A session is either terminated or not started');
    switch (route) {
      case 'GET status':
        return { ready: true, message: 'UiAutomator2 Server is ready to accept commands' };
      case 'GET sessions':
        return this.#session ? [this.#session] : [];
      case 'POST session':
        return this.#begin(body);
      case 'GET session/:id':
        return this.#session?.capabilities;
      case 'DELETE session/:id':
        return null;
      case 'GET session/:id/appium/settings':
        return this.#settings;
      case 'POST session/:id/appium/settings':
        if (typeof body['settings'] !== 'object')
          throw new WebDriverRefusal(400, 'invalid argument', "'settings' are mandatory");
        this.#settings = { ...this.#settings, ...body['settings'] };
        return this.#settings;
      case 'GET session/:id/source':
        return this.#source();
      default:
        if (root !== 'session' || id === undefined)
          throw new WebDriverRefusal(404, 'unknown command', `The simulated phone has no ${method} ${url}`);
        if (rest[0]?.startsWith('element') === true) await this.#idle();
        return this.#elements.handle(method, rest, body);
    }
  }

  #begin(body: Record<string, unknown>): unknown {
    const { capabilities } = body as { capabilities?: { alwaysMatch?: object; firstMatch?: object[] } };
    if (typeof capabilities !== 'object')
      throw new WebDriverRefusal(500, 'session not created', "'capabilities' are mandatory for session creation");
    this.#session = {
      id: randomUUID(),
      capabilities: { ...capabilities.alwaysMatch, ...capabilities.firstMatch?.[0] },
    };
    return { sessionId: this.#session.id, capabilities: this.#session.capabilities };
  }

  async #source(): Promise<string> {
    const { clock, faults } = this.#machine;
    await this.#idle();
    if (faults.sourceDelayMs > 0) await clock.sleep(faults.sourceDelayMs, this.#closing.signal);
    return this.#read((screen) => screen.source());
  }

  /** Waits until the screen is quiet, as long as the client allows. */
  async #idle(): Promise<void> {
    const { clock, screen } = this.#machine;
    const limitMs = Number(this.#settings['waitForIdleTimeout']);
    if (limitMs > 0) await waitForIdle(clock, () => screen.lastEventMs, limitMs, this.#closing.signal, IDLE_QUIET_MS);
  }

  /** Reads the active window. Throws where accessibility is not connected, and where there is no window. */
  #read<T>(of: (screen: Machine['screen']) => T | undefined): T {
    const { screen, faults } = this.#machine;
    if (faults.lie === 'source-error' || !this.#connected)
      throw new WebDriverRefusal(500, 'unknown error', 'java.lang.IllegalStateException: UiAutomation not connected!');
    const read = of(screen);
    if (read !== undefined) return read;
    throw new WebDriverRefusal(
      500,
      'unknown error',
      'Timed out after 10000ms waiting for the root AccessibilityNodeInfo',
    );
  }
}

async function readBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > MAX_BODY_BYTES) throw new WebDriverRefusal(413, 'invalid argument', 'The request is too long');
    parts.push(part);
  }
  if (bytes === 0) return {};
  try {
    const body: unknown = JSON.parse(Buffer.concat(parts).toString('utf8'));
    if (typeof body === 'object' && body !== null) return body as Record<string, unknown>;
  } catch {
    // A body that is not JSON gets the same error as JSON that is not an object.
  }
  throw new WebDriverRefusal(400, 'invalid argument', 'The request is not a JSON object');
}

function send(response: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json; charset=UTF-8', 'content-length': Buffer.byteLength(text) }); // prettier-ignore
  response.end(text);
}
