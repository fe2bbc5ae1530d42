/**
 * Opens a stream while the page is in sight, and closes it otherwise. Returns the function that ends both. A browser has six connections to
 * a server over HTTP/1.1, which tabs in the background would take from the tab that is used.
 */
export function whileVisible(open: () => () => void): () => void {
  let close: (() => void) | undefined;
  const follow = (): void => {
    if (document.visibilityState === 'visible') close ??= open();
    else {
      close?.();
      close = undefined;
    }
  };
  follow();
  document.addEventListener('visibilitychange', follow);
  return () => {
    document.removeEventListener('visibilitychange', follow);
    close?.();
  };
}
