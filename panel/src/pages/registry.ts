import type { LucideIcon } from 'lucide-react';
import CalendarClock from 'lucide-react/icons/calendar-clock';
import CircleUser from 'lucide-react/icons/circle-user';
import ChartColumn from 'lucide-react/icons/chart-column';
import HeartPulse from 'lucide-react/icons/heart-pulse';
import Hourglass from 'lucide-react/icons/hourglass';
import KeyRound from 'lucide-react/icons/key-round';
import Layers from 'lucide-react/icons/layers';
import LayoutGrid from 'lucide-react/icons/layout-grid';
import LibraryBig from 'lucide-react/icons/library-big';
import ListChecks from 'lucide-react/icons/list-checks';
import Package from 'lucide-react/icons/package';
import ScrollText from 'lucide-react/icons/scroll-text';
import ShieldCheck from 'lucide-react/icons/shield-check';
import Smartphone from 'lucide-react/icons/smartphone';
import Waves from 'lucide-react/icons/waves';
import Users from 'lucide-react/icons/users';
import Wallet from 'lucide-react/icons/wallet';
import Webhook from 'lucide-react/icons/webhook';
import type { ComponentType } from 'react';
import type { Right } from '../api/rights.ts';

/** A page of the panel. Its code is loaded when it is first opened. */
export interface Page {
  /** The path as wouter writes it: `/phones/:name`. A `/*?` at the end takes everything below too. */
  path: string;
  load: () => Promise<{ default: ComponentType }>;
  /** The page's place in the navigation. Absent: other pages lead to it. */
  nav?: { label: string; icon: LucideIcon; section: Section };
  /** The right that people need for the page. Absent: every member of the account may see it. */
  needs?: Right;
  /** Whether the page is about money. Such pages do not exist where nothing is charged. */
  isMoney?: true;
}

/** The parts of the navigation, in order; the first has no heading. */
export const SECTIONS = ['Phones', 'Fleet', 'Account', 'Settings'] as const;
export type Section = (typeof SECTIONS)[number];

/** The page to which `/` leads. */
export const HOME = '/phones';

/** Every page, in the order of the navigation. A new page needs only an entry here. */
export const PAGES: readonly Page[] = [
  {
    path: '/phones',
    load: () => import('./phones/phones-page.tsx'),
    nav: { label: 'Phones', icon: Smartphone, section: 'Phones' },
  },
  { path: '/phones/new', load: () => import('./phones/new-phone-page.tsx'), needs: 'phones' },
  { path: '/phones/:name/:tab?', load: () => import('./phone/phone-page.tsx') },
  {
    path: '/mirror',
    load: () => import('./mirror/mirror-page.tsx'),
    nav: { label: 'Side by side', icon: LayoutGrid, section: 'Phones' },
  },
  {
    path: '/health',
    load: () => import('./health/health-page.tsx'),
    nav: { label: 'Health', icon: HeartPulse, section: 'Phones' },
  },
  {
    path: '/jobs',
    load: () => import('./jobs/jobs-page.tsx'),
    nav: { label: 'Jobs', icon: ListChecks, section: 'Fleet' },
  },
  {
    path: '/groups',
    load: () => import('./groups/groups-page.tsx'),
    nav: { label: 'Groups', icon: Layers, section: 'Fleet' },
  },
  { path: '/groups/new', load: () => import('./groups/new-group-page.tsx'), needs: 'phones' },
  { path: '/groups/:id', load: () => import('./groups/group-page.tsx') },
  {
    path: '/schedules',
    load: () => import('./schedules/schedules-page.tsx'),
    nav: { label: 'Schedules', icon: CalendarClock, section: 'Fleet' },
  },
  { path: '/schedules/new', load: () => import('./schedules/new-schedule-page.tsx'), needs: 'phones' },
  { path: '/schedules/:id', load: () => import('./schedules/edit-schedule-page.tsx'), needs: 'phones' },
  {
    path: '/leases',
    load: () => import('./leases/leases-page.tsx'),
    nav: { label: 'Leases', icon: Hourglass, section: 'Fleet' },
  },
  {
    path: '/pools',
    load: () => import('./pools/pools-page.tsx'),
    nav: { label: 'Pools', icon: Waves, section: 'Fleet' },
  },
  { path: '/pools/new', load: () => import('./pools/new-pool-page.tsx'), needs: 'phones' },
  { path: '/pools/:name', load: () => import('./pools/pool-page.tsx') },
  {
    path: '/templates',
    load: () => import('./templates/templates-page.tsx'),
    nav: { label: 'Templates', icon: LibraryBig, section: 'Fleet' },
  },
  {
    path: '/library',
    load: () => import('./library/library-page.tsx'),
    nav: { label: 'App library', icon: Package, section: 'Fleet' },
  },
  {
    path: '/usage',
    load: () => import('./usage/usage-page.tsx'),
    nav: { label: 'Usage', icon: ChartColumn, section: 'Account' },
  },
  {
    path: '/billing',
    load: () => import('./billing/billing-page.tsx'),
    nav: { label: 'Billing', icon: Wallet, section: 'Account' },
    isMoney: true,
    needs: 'billing',
  },
  { path: '/billing/ledger', load: () => import('./billing/ledger-page.tsx'), needs: 'billing', isMoney: true },
  {
    path: '/account',
    load: () => import('./account/account-page.tsx'),
    nav: { label: 'Your account', icon: CircleUser, section: 'Account' },
  },
  {
    path: '/security',
    load: () => import('./security/security-page.tsx'),
    nav: { label: 'Security', icon: ShieldCheck, section: 'Account' },
  },
  {
    path: '/members',
    load: () => import('./members/members-page.tsx'),
    nav: { label: 'Members', icon: Users, section: 'Account' },
    needs: 'members',
  },
  { path: '/members/invite', load: () => import('./members/invite-page.tsx'), needs: 'members' },
  { path: '/members/:id', load: () => import('./members/edit-member-page.tsx'), needs: 'members' },
  {
    path: '/audit',
    load: () => import('./audit/audit-page.tsx'),
    nav: { label: 'Audit log', icon: ScrollText, section: 'Account' },
    needs: 'audit',
  },
  {
    path: '/settings/keys',
    load: () => import('./keys/keys-page.tsx'),
    nav: { label: 'API keys', icon: KeyRound, section: 'Settings' },
    needs: 'keys',
  },
  { path: '/settings/keys/new', load: () => import('./keys/new-key-page.tsx'), needs: 'keys' },
  { path: '/settings/keys/:id', load: () => import('./keys/edit-key-page.tsx'), needs: 'keys' },
  {
    path: '/settings/webhooks',
    load: () => import('./webhooks/webhooks-page.tsx'),
    nav: { label: 'Webhooks', icon: Webhook, section: 'Settings' },
    needs: 'keys',
  },
  { path: '/settings/webhooks/:id', load: () => import('./webhooks/delivery-page.tsx'), needs: 'keys' },
  { path: '/settings/sessions', load: () => import('./sessions/sessions-page.tsx') },
];
