import { type ComponentType, lazy, type LazyExoticComponent } from 'react';

/** The pages that need no session, by their path. Links of mails and invitations open them. */
export const LINKED_PAGES: Readonly<Record<string, LazyExoticComponent<ComponentType>>> = {
  '/share': lazy(() => import('./share/shared-page.tsx')),
  '/invitation': lazy(() => import('./session/invitation-page.tsx')),
  '/forgot': lazy(() => import('./session/forgot-page.tsx')),
  '/reset': lazy(() => import('./session/reset-page.tsx')),
  '/verify': lazy(() => import('./session/verify-page.tsx')),
};
