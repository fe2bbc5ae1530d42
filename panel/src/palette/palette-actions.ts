import type { SpotlightActionData, SpotlightActionGroupData } from '@mantine/spotlight';
import { useQuery } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import type { Device } from '../api/client.ts';
import { devicesQuery } from '../api/devices.ts';
import { modelsQuery } from '../api/offers.ts';
import { tabsOf } from '../pages/phone/tabs.ts';
import { PAGES } from '../pages/registry.ts';
import { type PowerOperation, usePower } from '../parts/use-power.ts';

/** Pages that make something, which have no place in the navigation. */
const CREATIONS = [
  { label: 'Create a phone', path: '/phones/new' },
  { label: 'Run a group', path: '/groups/new' },
  { label: 'Create a schedule', path: '/schedules/new' },
  { label: 'Create an API key', path: '/settings/keys/new' },
];

/** The groups of the palette: those of the open phone first, as a person is there. */
export function usePaletteActions(): SpotlightActionGroupData[] {
  const [location, navigate] = useLocation();
  const { data: devices = [] } = useQuery(devicesQuery);
  const { data: models } = useQuery(modelsQuery);
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

  function actionsOf({ name, state, job, model }: Device): SpotlightActionData[] {
    const does = (label: string, operation: PowerOperation): SpotlightActionData => ({
      id: operation,
      label: `${label} ${name}`,
      onClick: () => power.mutate(operation),
    });
    const isIdle = job === undefined;
    return [
      ...(isIdle && (state === 'stopped' || state === 'failed') ? [does('Start', 'start')] : []),
      ...(isIdle && state === 'running' ? [does('Stop', 'stop'), does('Restart', 'restart')] : []),
      ...tabsOf(models?.find((one) => one.model === model))
        .filter(({ id }) => id !== 'about')
        .map(({ id, label }) => go(`${label} of ${name}`, `/phones/${name}/${id}`)),
    ];
  }
}
