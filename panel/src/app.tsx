import { MantineProvider } from '@mantine/core';
import { QueryClientProvider, useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useState } from 'react';
import { createQueryClient } from './api/query-client.ts';
import { onSessionNews } from './api/other-tabs.ts';
import { JobsProvider } from './api/jobs.tsx';
import { AccountContext, accountQuery, identityOf, useAccount } from './api/account.ts';
import { SignIn } from './session/sign-in.tsx';
import { LINKED_PAGES } from './linked-pages.ts';
import { HOME } from './pages/registry.ts';
import { ErrorAlert } from './parts/error-alert.tsx';
import { Loading } from './parts/loading.tsx';
import { setPictureOwner } from './pictures/last-picture.ts';
import { StepUpDialog } from './session/step-up-dialog.tsx';
import { Shell } from './shell/shell.tsx';
import { theme } from './theme.ts';

const client = createQueryClient();

const FactorRequired = lazy(() => import('./session/factor-required.tsx'));

export function App() {
  const Linked = LINKED_PAGES[location.pathname];
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto" withCssVariables={false} withGlobalClasses={false}>
      <QueryClientProvider client={client}>
        {Linked === undefined ? (
          <Entrance />
        ) : (
          <Suspense fallback={<Loading what="the page" />}>
            <Linked />
          </Suspense>
        )}
      </QueryClientProvider>
    </MantineProvider>
  );
}

/** Shows the panel to people who are signed in, and the sign-in page to others. */
function Entrance() {
  const { data: account, error, refetch } = useQuery(accountQuery);
  const identity = identityOf(account);
  const isKnown = account !== undefined;
  useEffect(() => {
    if (isKnown) setPictureOwner(identity);
  }, [isKnown, identity]);
  const [isLeaving, setLeaving] = useState(false);
  useEffect(
    () =>
      onSessionNews((news) => {
        if (news === 'signed-in-or-out') {
          void refetch();
          return;
        }
        // Nothing that is drawn, or runs, for the account before may act in the other one.
        setLeaving(true);
        location.replace(HOME);
      }),
    [refetch],
  );
  if (isLeaving) return <Loading what="the other account" />;
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
    <AccountContext value={account}>
      {/* Another account or person gets a new component, so that nothing of the one before is shown. */}
      <JobsProvider key={identity}>
        <OpenPages />
        <StepUpDialog />
      </JobsProvider>
    </AccountContext>
  );
}

/** Shows a member without a second factor only the way to one, where the account requires it, and others the whole panel. */
function OpenPages() {
  const { settings, member } = useAccount();
  const [isAdding, setAdding] = useState(false);
  const isMissing = settings?.require_second_factor === true && member?.second_factor === false;
  // The account, which is polled, has the second factor before the person has kept the recovery codes. They are shown only once.
  if (!isMissing && !isAdding) return <Shell />;
  return (
    <Suspense fallback={<Loading what="the page" />}>
      <FactorRequired onAdding={setAdding} />
    </Suspense>
  );
}
