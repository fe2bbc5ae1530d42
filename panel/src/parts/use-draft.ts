import { useState } from 'react';

/** A thing while it is edited in a form. */
export interface Draft<T> {
  /** The thing as the form began with it. Fields of the draft that differ from it were edited. */
  first: T;
  draft: T;
  change: (part: Partial<T>) => void;
  /** Goes on with the thing as a save of `sent` has left it. */
  renew: (thing: T, sent: T) => void;
}

/**
 * Keeps the draft of a thing that others may change meanwhile. The draft and what it is compared with begin as one, and change together:
 * otherwise what others change counts as edited here, and a save takes it back.
 */
export function useDraft<T extends object>(begin: () => T): Draft<T> {
  const [{ first, draft }, set] = useState(() => {
    const thing = begin();
    return { first: thing, draft: thing };
  });
  return {
    ...{ first, draft },
    change: (part) => set((now) => ({ ...now, draft: { ...now.draft, ...part } })),
    renew: (thing, sent) =>
      // What was edited during the save stays in the form. It is compared with what was sent then.
      set((now) => (now.draft === sent ? { first: thing, draft: thing } : { first: sent, draft: now.draft })),
  };
}
