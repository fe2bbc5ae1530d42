import { useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import BookOpen from 'lucide-react/icons/book-open';
import Monitor from 'lucide-react/icons/monitor';
import Moon from 'lucide-react/icons/moon';
import Play from 'lucide-react/icons/play';
import Plus from 'lucide-react/icons/plus';
import Power from 'lucide-react/icons/power';
import RotateCw from 'lucide-react/icons/rotate-cw';
import Smartphone from 'lucide-react/icons/smartphone';
import Sun from 'lucide-react/icons/sun';
import type { LucideIcon } from 'lucide-react';
import { useLocation } from 'wouter';
import type { Device } from '../api/client.ts';
import { devicesQuery } from '../api/devices.ts';
import { useRight, useRole } from '../api/use-right.ts';
import { modelsQuery } from '../api/offers.ts';
import { DOCS } from '../pages/docs.ts';
import { tabsOf } from '../pages/phone/tabs.ts';
import { useOfferedPages } from '../pages/shown-pages.ts';
import { type PowerOperation, usePower } from '../parts/use-power.ts';
import { useActionsInView } from '../parts/actions-in-view.ts';
import type { PaletteGroup, PaletteRow } from './palette-rows.ts';

/** Pages that create something, which have no place in the navigation. */
const CREATIONS: readonly { label: string; path: string }[] = [
  { label: 'Create a phone', path: '/phones/new' },
  { label: 'Run a group', path: '/groups/new' },
  { label: 'Create a schedule', path: '/schedules/new' },
  { label: 'Create an API key', path: '/settings/keys/new' },
];

/** The number of phones that are shown before anything is typed. Running phones come first. */
const PHONES_FIRST = 6;

/**
 * Returns the groups of the palette. The group of the open phone comes first, as the person is on its page. In that group, harmless actions
 * come before those that stop the phone, as Enter takes the first row.
 */
export function usePaletteGroups(): PaletteGroup[] {
  const [location, navigate] = useLocation();
  const { data: devices = [] } = useQuery(devicesQuery);
  const { data: models } = useQuery(modelsQuery);
  const openName = /^\/phones\/([^/]+)/.exec(location)?.[1];
  const open = devices.find(({ name }) => name === openName);
  const power = usePower(openName ?? '');
  const mayChange = useRight('phones');
  const inView = useActionsInView();
  const pages = useOfferedPages();
  const scheme = useSchemeRows();
  const role = useRole();
  const go = (label: string, icon: LucideIcon, path: string, more?: Partial<PaletteRow>): PaletteRow => ({
    id: path,
    label,
    icon,
    act: () => navigate(path),
    isNavigation: true,
    ...more,
  });
  const phones = [...devices].sort((a, b) => Number(b.state === 'running') - Number(a.state === 'running'));
  return [
    ...(open === undefined ? [] : [{ title: open.name, rows: rowsOf(open) }]),
    {
      title: 'Phones',
      rows: phones.map(({ name, state, model }) =>
        go(name, Smartphone, `/phones/${name}`, { note: state, words: `${state} ${model}` }),
      ),
      shownFirst: PHONES_FIRST,
    },
    {
      title: 'Go to',
      rows: pages.flatMap(({ path, nav }) => (nav === undefined ? [] : [go(nav.label, nav.icon, path)])),
    },
    {
      title: 'Create',
      rows: CREATIONS.filter(({ path }) => pages.some((page) => page.path === path)).map(({ label, path }) =>
        go(label, Plus, path, { words: 'new add' }),
      ),
    },
    {
      title: 'Panel',
      rows: [
        {
          id: 'docs',
          label: DOCS.label,
          icon: BookOpen,
          words: 'documentation reference api help guides',
          note: 'new tab',
          act: () => void window.open(DOCS.path, '_blank', 'noopener'),
          isNavigation: false,
        },
        ...scheme,
      ],
    },
  ];

  function rowsOf({ name, state, job, model }: Device): PaletteRow[] {
    const does = (label: string, icon: LucideIcon, operation: PowerOperation): PaletteRow => ({
      id: operation,
      label,
      icon,
      words: name,
      act: () => power.mutate(operation),
      isNavigation: false,
    });
    const isIdle = mayChange && job === undefined;
    return [
      ...(isIdle && (state === 'stopped' || state === 'failed') ? [does('Start', Play, 'start')] : []),
      ...inView.map(({ id, label, icon, run }): PaletteRow => ({
        id,
        label,
        icon,
        words: name,
        act: run,
        isNavigation: false,
      })),
      ...tabsOf(
        models?.find((one) => one.model === model),
        role,
      ).map(({ id, label, icon }) =>
        go(`Open ${label}`, icon, id === 'about' ? `/phones/${name}` : `/phones/${name}/${id}`, {
          words: `${name} tab`,
        }),
      ),
      ...(isIdle && state === 'running' ? [does('Restart', RotateCw, 'restart'), does('Stop', Power, 'stop')] : []),
    ];
  }
}

/** Returns rows for the colour schemes that the panel does not have now. */
function useSchemeRows(): PaletteRow[] {
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  const computed = useComputedColorScheme('light');
  const row = (to: 'light' | 'dark' | 'auto', label: string, icon: LucideIcon): PaletteRow => ({
    id: `colours-${to}`,
    label,
    icon,
    words: 'theme appearance mode color',
    act: () => setColorScheme(to),
    isNavigation: false,
  });
  return [
    ...(computed === 'dark' ? [row('light', 'Use light colours', Sun)] : [row('dark', 'Use dark colours', Moon)]),
    ...(colorScheme === 'auto' ? [] : [row('auto', 'Use the colours of the system', Monitor)]),
  ];
}
