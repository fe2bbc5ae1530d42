import type { LucideIcon } from 'lucide-react';
import Smartphone from 'lucide-react/icons/smartphone';
import type { ComponentType } from 'react';

/** A page of the panel. Its code is loaded when it is first opened. */
export interface Page {
  /** As wouter writes them: `/phones/:name`. A `/*?` at the end takes everything below too. */
  path: string;
  load: () => Promise<{ default: ComponentType }>;
  /** Its place in the navigation. Absent: it is reached from other pages. */
  nav?: { label: string; icon: LucideIcon; section: Section };
}

/** The parts of the navigation, in order; the first has no heading. */
export const SECTIONS = ['Phones', 'Fleet', 'Account', 'Settings'] as const;
export type Section = (typeof SECTIONS)[number];

/** Where `/` leads. */
export const HOME = '/phones';

/** Every page, in the order of the navigation. One line makes a page. */
export const PAGES: readonly Page[] = [
  {
    path: '/phones',
    load: () => import('./phones/phones-page.tsx'),
    nav: { label: 'Phones', icon: Smartphone, section: 'Phones' },
  },
  { path: '/phones/new', load: () => import('./phones/new-phone-page.tsx') },
  { path: '/phones/:name/:tab?', load: () => import('./phone/phone-page.tsx') },
];
