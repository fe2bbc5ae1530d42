import type { Call } from '../../kit/call/call.js';
import { SyncSession } from '../../phone/sync/sync-session.js';
import type { ReachedPhone } from '../link/reached-phone.js';

/** Runs short work in a session of the phone's sync service, on the connection that all calls to the phone share. */
export function withSync<T>(
  { signal }: Pick<Call, 'signal'>,
  { link, clock, limits }: ReachedPhone,
  doing: string,
  work: (session: SyncSession) => Promise<T>,
): Promise<T> {
  const options = { timeoutMs: limits.listTimeoutMs, doing, signal };
  return link.session('sync:', options, async (socket, ended, features) => {
    const session = new SyncSession(socket, features, {
      ...{ clock, idleMs: limits.fileIdleMs, signal: ended, doing },
    });
    try {
      return await work(session);
    } finally {
      session.end();
    }
  });
}

/**
 * Opens a sync session for a file, on a connection of its own. On the shared connection, the file's data would delay touches and pictures.
 * The session ends when the caller calls `close`, or when `signal` aborts.
 */
export async function openSync(
  { link: kept, clock, limits }: ReachedPhone,
  { doing, signal }: { doing: string; signal: AbortSignal },
): Promise<{ session: SyncSession; close: () => void }> {
  const link = await kept.openApart();
  try {
    const socket = await link.socket('sync:', { timeoutMs: limits.fileIdleMs, doing, signal });
    const session = new SyncSession(socket, link, { clock, idleMs: limits.fileIdleMs, signal, doing });
    const close = (): void => {
      signal.removeEventListener('abort', close);
      session.end();
      link.close();
    };
    // Closes the session when `signal` aborts, so that no more of the file is read from the phone.
    signal.addEventListener('abort', close, { once: true });
    return { session, close };
  } catch (error) {
    link.close();
    throw error;
  }
}
