import { MantineProvider } from '@mantine/core';
import { QueryClientProvider, useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useEffect } from 'react';
import { createQueryClient } from './api/query-client.ts';
import { JobsProvider } from './api/jobs.tsx';
import { accountQuery } from './api/account.ts';
import { SignIn } from './session/sign-in.tsx';
import { ErrorAlert } from './parts/error-alert.tsx';
import { Loading } from './parts/loading.tsx';
import { setPictureOwner } from './pictures/last-picture.ts';
import { Shell } from './shell/shell.tsx';
import { theme } from './theme.ts';

const client = createQueryClient();

/** The page of a share's link needs no session, and shows nothing of the panel. */
const SharedPage = lazy(() => import('./share/shared-page.tsx'));

export function App() {
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto" withCssVariables={false} withGlobalClasses={false}>
      <QueryClientProvider client={client}>
        {location.pathname === '/share' ? (
          <Suspense fallback={<Loading what="the phone" />}>
            <SharedPage />
          </Suspense>
        ) : (
          <Entrance />
        )}
      </QueryClientProvider>
    </MantineProvider>
  );
}

/** Shows the panel to people who are signed in, and the sign-in page to others. */
function Entrance() {
  const { data: account, error, refetch } = useQuery(accountQuery);
  const email = account?.email;
  const isKnown = account !== undefined;
  useEffect(() => {
    if (isKnown) setPictureOwner(email);
  }, [isKnown, email]);
  if (account === undefined) {
    return error === null ? (
      <Loading what="the panel" />
    ) : (
      <main className="entrance">
        <ErrorAlert error={error} onRetry={() => void refetch()} />
      </main>
    );
  }
  if (account === null) return <SignIn />;
  return (
    // Another account gets a new component, so that nothing of the account before is shown.
    <JobsProvider key={account.email}>
      <Shell />
    </JobsProvider>
  );
}
