import type { ComponentType } from 'react';
import type { Schemas } from '../../api/client.ts';
import { AboutTab } from './about-tab.tsx';
import type { TabProps } from './tab-props.ts';

type Model = Schemas['Model'];

interface Tab {
  id: string;
  label: string;
  load: () => Promise<{ default: ComponentType<TabProps> }>;
  /** Whether it works while the phone is off. */
  worksOff?: boolean;
  /** Whether phones of the model have it. Absent: all have. */
  isOffered?: (model: Model | undefined) => boolean;
}

const TABS: readonly Tab[] = [
  { id: 'about', label: 'About', load: () => Promise.resolve({ default: AboutTab }), worksOff: true },
  { id: 'apps', label: 'Apps', load: () => import('./apps/apps-tab.tsx') },
  { id: 'files', label: 'Files', load: () => import('./files/files-tab.tsx') },
  {
    id: 'snapshots',
    label: 'Snapshots',
    load: () => import('./snapshots/snapshots-tab.tsx'),
    worksOff: true,
  },
  {
    id: 'timeline',
    label: 'Timeline',
    load: () => import('./timeline/timeline-tab.tsx'),
    worksOff: true,
  },
  { id: 'network', label: 'Network', load: () => import('./network/network-tab.tsx') },
  {
    id: 'conditions',
    label: 'Conditions',
    load: () => import('./conditions/conditions-tab.tsx'),
    worksOff: true,
    isOffered: (model) => model !== undefined && model.conditions.length > 0,
  },
  { id: 'adb', label: 'ADB', load: () => import('./adb/adb-tab.tsx') },
  { id: 'elements', label: 'Elements', load: () => import('./elements/elements-tab.tsx') },
  { id: 'logs', label: 'Logs', load: () => import('./logs/logs-tab.tsx') },
];

/** The tabs of phones of a model, in their order. */
export function tabsOf(model: Model | undefined): Tab[] {
  return TABS.filter(({ isOffered }) => isOffered === undefined || isOffered(model));
}
