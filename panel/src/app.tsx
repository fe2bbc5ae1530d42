import { MantineProvider } from '@mantine/core';
import { QueryClientProvider, useQuery } from '@tanstack/react-query';
import { createQueryClient } from './api/query-client.ts';
import { JobsProvider } from './api/jobs.tsx';
import { accountQuery } from './session/account.ts';
import { SignIn } from './session/sign-in.tsx';
import { ErrorAlert } from './parts/error-alert.tsx';
import { Loading } from './parts/loading.tsx';
import { Shell } from './shell/shell.tsx';
import { theme } from './theme.ts';

const client = createQueryClient();

export function App() {
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto" withCssVariables={false} withGlobalClasses={false}>
      <QueryClientProvider client={client}>
        <Entrance />
      </QueryClientProvider>
    </MantineProvider>
  );
}

/** Shows the panel to people who are signed in, and the sign-in page to others. */
function Entrance() {
  const { data: account, error, refetch } = useQuery(accountQuery);
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
    // Another account begins anew: nothing of the one before is left in sight.
    <JobsProvider key={account.email}>
      <Shell />
    </JobsProvider>
  );
}
