import type { SpotlightActionData, SpotlightActionGroupData } from '@mantine/spotlight';
import { useQuery } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import type { Device } from '../api/client.ts';
import { devicesQuery } from '../api/devices.ts';
import { PAGES } from '../pages/registry.ts';
import { type PowerOperation, usePower } from '../parts/use-power.ts';

/** Pages that make something, which have no place in the navigation. */
const CREATIONS = [
  { label: 'Create a phone', path: '/phones/new' },
  { label: 'Run a group', path: '/groups/new' },
  { label: 'Create a schedule', path: '/schedules/new' },
  { label: 'Create an API key', path: '/settings/keys/new' },
];

/** Tabs of a phone, by their place in its address. */
const TABS = {
  apps: 'Apps',
  files: 'Files',
  snapshots: 'Snapshots',
  timeline: 'Timeline',
  network: 'Network',
  adb: 'ADB',
  elements: 'Elements',
  logs: 'Logs',
};

/** The groups of the palette: those of the open phone first, as a person is there. */
export function usePaletteActions(): SpotlightActionGroupData[] {
  const [location, navigate] = useLocation();
  const { data: devices = [] } = useQuery(devicesQuery);
  const openName = /^\/phones\/([^/]+)/.exec(location)?.[1];
  const open = devices.find(({ name }) => name === openName);
  const power = usePower(openName ?? '');
  const go = (label: string, path: string): SpotlightActionData => ({ id: path, label, onClick: () => navigate(path) });
  const pages = [
    ...PAGES.flatMap(({ path, nav }) => (nav === undefined ? [] : [go(nav.label, path)])),
    ...CREATIONS.map(({ label, path }) => go(label, path)),
  ];
  return [
    ...(open === undefined ? [] : [{ group: open.name, actions: actionsOf(open) }]),
    {
      group: 'Phones',
      actions: devices.map(({ name, state }) => ({ ...go(name, `/phones/${name}`), description: state })),
    },
    { group: 'Pages', actions: pages },
  ].filter(({ actions }) => actions.length > 0);

  function actionsOf({ name, state, job }: Device): SpotlightActionData[] {
    const does = (label: string, operation: PowerOperation): SpotlightActionData => ({
      id: operation,
      label: `${label} ${name}`,
      onClick: () => power.mutate(operation),
    });
    const isIdle = job === undefined;
    return [
      ...(isIdle && (state === 'stopped' || state === 'failed') ? [does('Start', 'start')] : []),
      ...(isIdle && state === 'running' ? [does('Stop', 'stop'), does('Restart', 'restart')] : []),
      ...Object.entries(TABS).map(([tab, label]) => go(`${label} of ${name}`, `/phones/${name}/${tab}`)),
    ];
  }
}
