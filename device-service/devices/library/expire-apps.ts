import type { DevicesContext } from '../devices-context.js';
import { LIBRARY_READ_AT_ONCE } from '../limits.js';
import { asNamed } from './library-name.js';

/**
 * Removes apps of all libraries that were neither uploaded nor used for `keptMs`; 0: none. An app that a pool names counts as used. Every
 * host does this, and each removal is one conditional update, so an app that is used in the same moment stays.
 */
export async function expireApps(
  { library, pools, clock, log }: Pick<DevicesContext, 'library' | 'pools' | 'clock' | 'log'>,
  keptMs: number,
  signal: AbortSignal,
): Promise<void> {
  if (keptMs === 0) return;
  const nowMs = clock.now();
  const before = new Date(nowMs - keptMs);
  for (;;) {
    const idle = await library.findIdle(before, LIBRARY_READ_AT_ONCE);
    for (const app of idle) {
      signal.throwIfAborted();
      const { accountId, name } = app;
      if ((await pools.usersOfApp(accountId, asNamed(name))).length > 0) await library.postpone(app, new Date(nowMs));
      else if (await library.removeIdle(app)) {
        // A pool that came at the same time keeps it.
        if ((await pools.usersOfApp(accountId, asNamed(name))).length > 0) await library.putBack(app);
        else log.info({ account: accountId, app: name }, 'removed an app of a library without use');
      }
    }
    if (idle.length < LIBRARY_READ_AT_ONCE) return;
  }
}
