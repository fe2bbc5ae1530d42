import { lazy, Suspense } from 'react';
import { Link, Redirect, Route, Switch } from 'wouter';
import { HOME, PAGES } from '../pages/registry.ts';
import { EmptyState } from '../parts/empty-state.tsx';
import { Loading } from '../parts/loading.tsx';
import { PageHeader } from '../parts/page-header.tsx';
import { PageBoundary } from './page-boundary.tsx';

const LAZY = PAGES.map(({ path, load }) => ({ path, Component: lazy(load) }));

/** Shows the page at the current address. */
export function Pages() {
  return (
    <PageBoundary>
      <Suspense fallback={<Loading what="the page" />}>
        <Switch>
          {LAZY.map(({ path, Component }) => (
            <Route key={path} path={path}>
              <Component />
            </Route>
          ))}
          {['/', '/sign-in', '/sign-up'].map((path) => (
            <Route key={path} path={path}>
              <Redirect to={HOME} replace />
            </Route>
          ))}
          <Route>
            <PageHeader title="No such page" />
            <EmptyState title="There is nothing at this address">
              Go to <Link href={HOME}>your phones</Link>.
            </EmptyState>
          </Route>
        </Switch>
      </Suspense>
    </PageBoundary>
  );
}
