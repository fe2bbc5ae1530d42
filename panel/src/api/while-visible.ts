/**
 * Opens a stream while the page is in sight, and closes it otherwise. Returns the function that ends both. A browser has six connections to
 * a server over HTTP/1.1, which tabs in the background would take from the tab that is used.
 *
 * `lock`: a name. One page of all that give it has its stream in the background too. Absent: no page has. Browsers have locks over https
 * and on loopback alone.
 */
export function whileVisible(open: () => () => void, { lock }: { lock?: string } = {}): () => void {
  const ending = new AbortController();
  let hasLock = false;
  let close: (() => void) | undefined;
  const follow = (): void => {
    if (hasLock || document.visibilityState === 'visible') close ??= open();
    else {
      close?.();
      close = undefined;
    }
  };
  follow();
  document.addEventListener('visibilitychange', follow);
  if (lock !== undefined) {
    void holdLock(lock, ending.signal, () => {
      hasLock = true;
      follow();
    });
  }
  return () => {
    ending.abort();
    document.removeEventListener('visibilitychange', follow);
    close?.();
  };
}

/** Waits for the lock, calls `onHeld`, and has the lock until `ending`, or the end of the page. */
async function holdLock(name: string, ending: AbortSignal, onHeld: () => void): Promise<void> {
  const locks = navigator.locks as LockManager | undefined;
  try {
    await locks?.request(name, { signal: ending }, async () => {
      if (ending.aborted) return;
      onHeld();
      await new Promise((resolve) => ending.addEventListener('abort', resolve, { once: true }));
    });
  } catch (error) {
    // Whoever ends the stream while it waits for the lock gives up the lock.
    if (!ending.aborted) throw error;
  }
}
