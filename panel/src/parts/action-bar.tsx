import { ActionIcon, Menu, Tooltip } from '@mantine/core';
import Ellipsis from 'lucide-react/icons/ellipsis';
import type { Action } from './action.ts';
import classes from './action-bar.module.css';
import { useFitting } from './use-fitting.ts';

/** Width of the menu's button, px, as in the stylesheet. */
const MENU_PX = 30;

interface Props {
  label: string;
  actions: readonly Action[];
  /** Whether the last action is never in the menu. Absent: no. */
  keepsLast?: boolean;
}

/** Buttons in one row, which has the width of its place. Buttons that do not fit are in a menu at its end. */
export function ActionBar({ label, actions, keepsLast = false }: Props) {
  const { row, ruler, fits } = useFitting({
    count: actions.length,
    menuPx: MENU_PX,
    keeps: keepsLast ? actions.length - 1 : -1,
  });
  const others = actions.filter((_, index) => !fits.includes(index));
  const button = ({ id, label: name, icon: Icon, run, isPending = false }: Action) => (
    <Tooltip key={id} label={name}>
      <ActionIcon
        variant="subtle"
        color="gray"
        className={classes.button}
        aria-label={name}
        loading={isPending}
        onClick={run}
      >
        <Icon size={16} />
      </ActionIcon>
    </Tooltip>
  );
  const shown = actions.filter((_, index) => fits.includes(index));
  const kept = keepsLast && others.length > 0 ? shown.pop() : undefined;
  return (
    <div ref={row} className={classes.bar} role="toolbar" aria-label={label}>
      <div ref={ruler} className={classes.ruler} aria-hidden>
        {actions.map(({ id }) => (
          <span key={id} className={classes.button} />
        ))}
      </div>
      {shown.map(button)}
      {others.length > 0 && (
        <Menu position="top-end">
          <Menu.Target>
            <ActionIcon variant="subtle" color="gray" className={classes.button} aria-label={`More: ${label}`}>
              <Ellipsis size={16} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            {others.map(({ id, label: name, icon: Icon, run, isPending = false }) => (
              <Menu.Item key={id} leftSection={<Icon size={16} />} disabled={isPending} onClick={run}>
                {name}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
      {kept !== undefined && button(kept)}
    </div>
  );
}
