import AppWindow from 'lucide-react/icons/app-window';
import Bug from 'lucide-react/icons/bug';
import Folder from 'lucide-react/icons/folder';
import Globe from 'lucide-react/icons/globe';
import History from 'lucide-react/icons/history';
import Info from 'lucide-react/icons/info';
import ListVideo from 'lucide-react/icons/list-video';
import MapPin from 'lucide-react/icons/map-pin';
import ScanText from 'lucide-react/icons/scan-text';
import ScrollText from 'lucide-react/icons/scroll-text';
import Terminal from 'lucide-react/icons/terminal';
import Video from 'lucide-react/icons/video';
import type { LucideIcon } from 'lucide-react';
import type { ComponentType } from 'react';
import type { Device, Schemas } from '../../api/client.ts';
import { hasRight, type Right, type Role } from '../../api/rights.ts';
import { AboutTab } from './about-tab.tsx';

type Model = Schemas['Model'];

export interface Tab {
  id: string;
  label: string;
  icon: LucideIcon;
  load: () => Promise<{ default: ComponentType<{ device: Device }> }>;
  /** Whether the tab works while the phone is off. */
  worksOff?: boolean;
  /** Whether the tab has buttons that only read, and so are not disabled as a whole while a lease holds the phone. */
  alsoReads?: boolean;
  /** The right that people need for the tab. Absent: every member of the account may see it. */
  needs?: Right;
  /** Whether phones of the model have the tab. Absent: all phones have it. */
  isOffered?: (model: Model | undefined) => boolean;
}

const TABS: readonly Tab[] = [
  { id: 'about', icon: Info, label: 'About', load: () => Promise.resolve({ default: AboutTab }), worksOff: true },
  { id: 'apps', icon: AppWindow, label: 'Apps', load: () => import('./apps/apps-tab.tsx'), needs: 'phones' },
  { id: 'files', icon: Folder, label: 'Files', load: () => import('./files/files-tab.tsx'), alsoReads: true },
  {
    id: 'snapshots',
    icon: History,
    label: 'Snapshots',
    load: () => import('./snapshots/snapshots-tab.tsx'),
    worksOff: true,
    alsoReads: true,
  },
  {
    id: 'timeline',
    icon: ListVideo,
    label: 'Timeline',
    load: () => import('./timeline/timeline-tab.tsx'),
    worksOff: true,
    alsoReads: true,
  },
  {
    id: 'recordings',
    icon: Video,
    label: 'Recordings',
    load: () => import('./recordings/recordings-tab.tsx'),
    worksOff: true,
    alsoReads: true,
  },
  { id: 'network', icon: Globe, label: 'Network', load: () => import('./network/network-tab.tsx'), needs: 'phones' },
  {
    id: 'conditions',
    icon: MapPin,
    label: 'Conditions',
    load: () => import('./conditions/conditions-tab.tsx'),
    worksOff: true,
    needs: 'phones',
    isOffered: (model) => model !== undefined && model.conditions.length > 0,
  },
  { id: 'adb', icon: Terminal, label: 'ADB', load: () => import('./adb/adb-tab.tsx'), needs: 'phones' },
  {
    id: 'elements',
    icon: ScanText,
    label: 'Elements',
    load: () => import('./elements/elements-tab.tsx'),
    needs: 'phones',
  },
  {
    id: 'crashes',
    icon: Bug,
    label: 'Crashes',
    load: () => import('./crashes/crashes-tab.tsx'),
    worksOff: true,
    alsoReads: true,
  },
  { id: 'logs', icon: ScrollText, label: 'Logs', load: () => import('./logs/logs-tab.tsx'), alsoReads: true },
];

/** Returns the tabs of phones of a model that a role includes, in their order. */
export function tabsOf(model: Model | undefined, role: Role): Tab[] {
  return TABS.filter(
    ({ isOffered, needs }) =>
      (isOffered === undefined || isOffered(model)) && (needs === undefined || hasRight(role, needs)),
  );
}

/** Returns the right that a role lacks for a tab; undefined for a tab that it includes, and for one that does not exist. */
export function rightLacked(tab: string, role: Role): Right | undefined {
  const needs = TABS.find(({ id }) => id === tab)?.needs;
  return needs === undefined || hasRight(role, needs) ? undefined : needs;
}
