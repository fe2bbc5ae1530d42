/** What happened to the session, which all tabs of a browser share. */
export type SessionNews = 'account-switched' | 'signed-in-or-out';

// One channel both sends and receives, as a channel does not hear itself. Old browsers have none: their tabs notice by the next poll.
const channel = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel('cloudphone-session');

/** Announces to the other tabs of this browser what happened to the session here. */
export function announce(news: SessionNews): void {
  channel?.postMessage(news);
}

/** Calls `listener` with what happened to the session in another tab. Returns the function that ends this. */
export function onSessionNews(listener: (news: SessionNews) => void): () => void {
  const onMessage = ({ data }: MessageEvent): void => listener(data as SessionNews);
  channel?.addEventListener('message', onMessage);
  return () => channel?.removeEventListener('message', onMessage);
}
