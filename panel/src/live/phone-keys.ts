import ChevronLeft from 'lucide-react/icons/chevron-left';
import Circle from 'lucide-react/icons/circle';
import Keyboard from 'lucide-react/icons/keyboard';
import Power from 'lucide-react/icons/power';
import Square from 'lucide-react/icons/square';
import Volume1 from 'lucide-react/icons/volume-1';
import Volume2 from 'lucide-react/icons/volume-2';
import type { LucideIcon } from 'lucide-react';
import type { Action } from '../parts/action.ts';
import type { WatchedPhone } from './watched-phone.ts';

const NAVIGATION: readonly [label: string, key: string, icon: LucideIcon][] = [
  ['Back', 'BACK', ChevronLeft],
  ['Home', 'HOME', Circle],
  ['Recent apps', 'APP_SWITCH', Square],
];

const SIDE: readonly [label: string, key: string, icon: LucideIcon][] = [
  ['Volume down', 'VOLUME_DOWN', Volume1],
  ['Volume up', 'VOLUME_UP', Volume2],
  ['Power button', 'POWER', Power],
];

/** Returns the buttons of a phone: those below its screen, one that focuses the field for typing, and those at its side. */
export function phoneKeys(name: string, phone: WatchedPhone): { navigation: Action[]; type: Action; side: Action[] } {
  const press = ([label, key, icon]: (typeof SIDE)[number]): Action => ({
    id: key,
    label,
    icon,
    run: () => phone.send([{ key: { name: key } }]),
  });
  return {
    navigation: NAVIGATION.map(press),
    type: {
      id: 'type',
      label: 'Type on the phone',
      icon: Keyboard,
      run: () => document.querySelector<HTMLTextAreaElement>(`textarea[aria-label="Type on ${name}"]`)?.focus(),
    },
    side: SIDE.map(press),
  };
}
