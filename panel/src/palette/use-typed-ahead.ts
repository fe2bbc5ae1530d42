import { useEffect } from 'react';

/**
 * Passes on text that is typed before the palette's field has the focus, while the palette's code is loaded. Else the first letters of a
 * fast typist would be lost, or go to the screen of a phone.
 */
export function useTypedAhead(isOpen: boolean, onType: (change: (query: string) => string) => void): void {
  useEffect(() => {
    if (!isOpen) return undefined;
    const onKeyDown = (event: KeyboardEvent): void => {
      const { target, key } = event;
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (target instanceof Element && target.closest('[role=dialog]') !== null) return;
      // Space presses the button that loads the code again.
      if (key === ' ' && target instanceof Element && target.closest('button, a') !== null) return;
      // Keys that write nothing have names of more than one letter.
      if (/^.$/u.test(key)) onType((query) => query + key);
      else if (key === 'Backspace') onType((query) => query.slice(0, -1));
      else return;
      event.preventDefault();
      event.stopPropagation();
    };
    window.addEventListener('keydown', onKeyDown, { capture: true });
    return () => window.removeEventListener('keydown', onKeyDown, { capture: true });
  }, [isOpen, onType]);
}
