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
  /** Whether phones of the model have the tab. Absent: all phones have it. */
  isOffered?: (model: Model | undefined) => boolean;
}

const TABS: readonly Tab[] = [
  { id: 'about', icon: Info, label: 'About', load: () => Promise.resolve({ default: AboutTab }), worksOff: true },
  { id: 'apps', icon: AppWindow, label: 'Apps', load: () => import('./apps/apps-tab.tsx') },
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
  { id: 'network', icon: Globe, label: 'Network', load: () => import('./network/network-tab.tsx') },
  {
    id: 'conditions',
    icon: MapPin,
    label: 'Conditions',
    load: () => import('./conditions/conditions-tab.tsx'),
    worksOff: true,
    isOffered: (model) => model !== undefined && model.conditions.length > 0,
  },
  { id: 'adb', icon: Terminal, label: 'ADB', load: () => import('./adb/adb-tab.tsx') },
  { id: 'elements', icon: ScanText, label: 'Elements', load: () => import('./elements/elements-tab.tsx') },
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

/** Returns the tabs of phones of a model, in their order. */
export function tabsOf(model: Model | undefined): Tab[] {
  return TABS.filter(({ isOffered }) => isOffered === undefined || isOffered(model));
}
