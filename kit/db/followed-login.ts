import { MongoClient, type MongoCredentials } from 'mongodb';
import type { Clock } from '../async/clock.js';
import { repeat } from '../errors/repeat.js';
import { FollowedFile } from '../files/followed-file.js';
import type { Log } from '../log/log.js';

/** The fields of a login, which the driver reads when it opens a connection. */
const FIELDS = ['username', 'password', 'source', 'mechanism', 'mechanismProperties'] as const;

/** How often a login is tried that the database does not accept yet, ms. */
const TRY_MS = 5_000;

/** How long a new login waits for connections that are just being opened with the old one, ms, and how often it looks. */
const MAX_WAIT_MS = 2_000;
const LOOK_MS = 5;

export interface FollowLoginOptions {
  /** Is not connected yet. */
  client: MongoClient;
  /** The URL of the client. */
  url: string;
  /** MONGODB_URL_FILE, from which the URL was read. */
  path: string;
  /** Resolves where the database accepts the login of a URL; rejects where it does not. */
  prove: (url: string) => Promise<void>;
  clock: Clock;
  log: Log;
}

/**
 * Follows the login in the file of a connection string, so that the password of the database is replaced without a start. A new login is
 * tried on a connection of its own first, again and again until the database accepts it. The old one stays in use meanwhile. Then new
 * connections have the new one, and each older connection is closed when its operation has ended. Nothing is stored: a process that is
 * killed reads the file at its start. A file that names other servers or options is a fault in the log, as those need a start.
 */
export function followLogin({ client, url, path, prove, clock, log }: FollowLoginOptions): { close(): Promise<void> } {
  const { credentials } = client.options;
  if (credentials === undefined) return { close: async () => undefined };
  let current = credentials;
  (client.options as { credentials?: MongoCredentials }).credentials = live(credentials, () => current);
  let wanted: string | undefined;
  const trying = repeat({ clock, log, everyMs: TRY_MS, step: 'use the new login of MONGODB_URL_FILE' }, async () => {
    const next = wanted;
    if (next === undefined) return;
    await prove(next);
    const { credentials: found } = new MongoClient(next).options;
    await untilNoneOpens(client, clock);
    // The file may have changed meanwhile.
    if (found === undefined || next !== wanted) return;
    [current, wanted] = [found, undefined];
    for (const pool of poolsOf(client)) pool.generation++;
    log.info('the database is used with the new login of MONGODB_URL_FILE');
  });
  const file = new FollowedFile<string>({
    ...{ setting: 'MONGODB_URL_FILE', path, clock, log },
    parse: (text) => ({ value: text.trim(), faults: faultsOf(text.trim(), url) }),
    onChange: (changed) => {
      wanted = changed;
      trying.soon();
    },
  });
  if (file.value !== url) wanted = file.value;
  return {
    close: async () => {
      file.close();
      await trying.close();
    },
  };
}

/** Faults contain no part of the text, which holds a password. */
function faultsOf(text: string, url: string): string[] {
  if (withoutLogin(text) !== withoutLogin(url))
    return ['it differs from the one of the start in more than the login: start the services again'];
  try {
    return new MongoClient(text).options.credentials === undefined ? ['it has no login'] : [];
  } catch {
    return ['its login cannot be read: characters such as @, : and / of a password are percent-encoded'];
  }
}

function withoutLogin(url: string): string {
  return url.replace(/\/\/[^@/]*@/, '//');
}

/** Returns a login whose fields are those of the current one. The driver keeps it for the time of the client. */
function live(first: MongoCredentials, current: () => MongoCredentials): MongoCredentials {
  const login = Object.create(Object.getPrototypeOf(first) as object) as MongoCredentials;
  for (const field of FIELDS)
    Object.defineProperty(login, field, { enumerable: true, get: (): unknown => current()[field] });
  return login;
}

/** A pool of the driver. Connections of an earlier generation are closed in place of being used again. */
interface Pool {
  generation: number;
  readonly pendingConnectionCount: number;
}

/** The driver has no public way to replace connections one after the other. The test of this file fails where a new driver differs. */
function poolsOf(client: MongoClient): Pool[] {
  const { topology } = client as unknown as { topology?: { s: { servers: Map<string, { pool: Pool }> } } };
  return [...(topology?.s.servers.values() ?? [])].map(({ pool }) => pool);
}

/** A connection that is being opened has a part of its login already, which must not be mixed with another one. */
async function untilNoneOpens(client: MongoClient, clock: Clock): Promise<void> {
  const endMs = clock.monotonicMs() + MAX_WAIT_MS;
  while (poolsOf(client).some(({ pendingConnectionCount }) => pendingConnectionCount > 0)) {
    if (clock.monotonicMs() > endMs) return;
    await clock.sleep(LOOK_MS);
  }
}
