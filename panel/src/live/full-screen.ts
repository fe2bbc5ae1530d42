import Maximize from 'lucide-react/icons/maximize';
import Minimize from 'lucide-react/icons/minimize';
import { useEffect, useState } from 'react';
import type { Action } from '../parts/action.ts';

export interface FullScreen {
  isFull: boolean;
  action: Action;
}

/**
 * Switches a part of the page to full screen and back. Esc switches back too. The browser shows the whole document in full screen, because
 * menus, tooltips and dialogs are outside of the part. theme.css hides everything except the part with `data-full`. In browsers without
 * full screen, such as those of iPhones, the part covers the page.
 */
export function useFullScreen(): FullScreen {
  const [isFull, setIsFull] = useState(false);
  useEffect(() => {
    if (!isFull) return;
    // If the browser refuses full screen, the part covers the page.
    if (document.fullscreenEnabled) document.documentElement.requestFullscreen().catch(() => undefined);
    const onChange = (): void => {
      if (document.fullscreenElement === null) setIsFull(false);
    };
    document.addEventListener('fullscreenchange', onChange);
    return () => {
      document.removeEventListener('fullscreenchange', onChange);
      if (document.fullscreenElement !== null) void document.exitFullscreen();
    };
  }, [isFull]);
  return {
    isFull,
    action: {
      id: 'full-screen',
      label: isFull ? 'Leave full screen' : 'Full screen',
      icon: isFull ? Minimize : Maximize,
      run: () => setIsFull(!isFull),
    },
  };
}
