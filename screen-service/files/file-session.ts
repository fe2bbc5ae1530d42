import type { Call } from '../../kit/call.js';
import { SyncSession } from '../../phone/sync/sync-session.js';
import type { KeptPhone } from '../phones/kept-phone.js';

/** Runs `work` in a session of the phone's sync service, on the kept connection: for what is short. */
export function withSync<T>(
  { signal }: Pick<Call, 'signal'>,
  { link, clock, limits }: KeptPhone,
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
 * Opens a session on a connection of its own, for a file: on the kept one, its megabytes would hold up touches and pictures. It is over
 * when the caller calls `close`, or `signal` aborts.
 */
export async function openSync(
  { link: kept, clock, limits }: KeptPhone,
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
    // Also when the reader of a file has left, and nothing is read of it any more.
    signal.addEventListener('abort', close, { once: true });
    return { session, close };
  } catch (error) {
    link.close();
    throw error;
  }
}
