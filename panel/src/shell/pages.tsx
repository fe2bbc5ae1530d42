import { Redirect, Route, Switch, Link } from 'wouter';
import { hasRight } from '../api/rights.ts';
import { useRole } from '../api/use-right.ts';
import { HOME } from '../pages/registry.ts';
import { useShownPages } from '../pages/shown-pages.ts';
import { EmptyState } from '../parts/empty-state.tsx';
import { LoadedCode } from '../parts/loaded-code.tsx';
import { PageHeader } from '../parts/page-header.tsx';
import { RoleNeeded } from '../parts/role-needed.tsx';
import { PageBoundary } from './page-boundary.tsx';

/** Shows the page at the current address. */
export function Pages() {
  const pages = useShownPages('show');
  const role = useRole();
  return (
    <PageBoundary>
      <Switch>
        {pages.map(({ path, load, needs }) => (
          <Route key={path} path={path}>
            {needs === undefined || hasRight(role, needs) ? (
              <LoadedCode isPage what="the page" id={path} load={load} props={{}} />
            ) : (
              <RoleNeeded isPage right={needs} />
            )}
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
