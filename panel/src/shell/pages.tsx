import { Redirect, Route, Switch, Link } from 'wouter';
import { HOME } from '../pages/registry.ts';
import { useShownPages } from '../pages/shown-pages.ts';
import { EmptyState } from '../parts/empty-state.tsx';
import { LoadedCode } from '../parts/loaded-code.tsx';
import { PageHeader } from '../parts/page-header.tsx';
import { PageBoundary } from './page-boundary.tsx';

/** Shows the page at the current address. */
export function Pages() {
  const pages = useShownPages('show');
  return (
    <PageBoundary>
      <Switch>
        {pages.map(({ path, load }) => (
          <Route key={path} path={path}>
            <LoadedCode isPage what="the page" id={path} load={load} props={{}} />
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
    </PageBoundary>
  );
}
