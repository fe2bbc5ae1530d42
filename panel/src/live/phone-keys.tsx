import { ActionIcon, Tooltip } from '@mantine/core';
import ChevronLeft from 'lucide-react/icons/chevron-left';
import Circle from 'lucide-react/icons/circle';
import Keyboard from 'lucide-react/icons/keyboard';
import Power from 'lucide-react/icons/power';
import Square from 'lucide-react/icons/square';
import Volume1 from 'lucide-react/icons/volume-1';
import Volume2 from 'lucide-react/icons/volume-2';
import type { LucideIcon } from 'lucide-react';
import classes from './live.module.css';
import type { Live } from './use-live.ts';

const KEYS: readonly [label: string, key: string, icon: LucideIcon][] = [
  ['Back', 'BACK', ChevronLeft],
  ['Home', 'HOME', Circle],
  ['Recent apps', 'APP_SWITCH', Square],
  ['Volume down', 'VOLUME_DOWN', Volume1],
  ['Volume up', 'VOLUME_UP', Volume2],
  ['Power button', 'POWER', Power],
];

/** The phone's own buttons. */
export function PhoneKeys({ name, live, children }: { name: string; live: Live; children?: React.ReactNode }) {
  const press = (key: string): void => live.phone.send([{ key: { name: key } }]);
  const type = (): void =>
    document.querySelector<HTMLTextAreaElement>(`textarea[aria-label="Type on ${name}"]`)?.focus();
  return (
    <div className={classes.keys} role="toolbar" aria-label="Buttons of the phone">
      {KEYS.map(([label, key, Icon]) => (
        <Tooltip key={key} label={label}>
          <ActionIcon variant="default" size="lg" aria-label={label} onClick={() => press(key)}>
            <Icon size={16} />
          </ActionIcon>
        </Tooltip>
      ))}
      <Tooltip label="Type">
        <ActionIcon variant="default" size="lg" aria-label="Type on the phone" onClick={type}>
          <Keyboard size={16} />
        </ActionIcon>
      </Tooltip>
      {children}
    </div>
  );
}
