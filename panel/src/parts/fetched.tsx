import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ErrorAlert } from './error-alert.tsx';
import { Loading } from './loading.tsx';

interface Props<T> {
  query: Pick<UseQueryResult<T>, 'data' | 'error' | 'refetch'>;
  /** Name of the loaded data, for screen readers: "the keys". */
  what: string;
  children: (data: T) => ReactNode;
}

/** Shows the data of a query. Before the data it shows a loader. After an error it shows the error, above the data that is still known. */
export function Fetched<T>({ query: { data, error, refetch }, what, children }: Props<T>) {
  return (
    <>
      <ErrorAlert error={error} onRetry={() => void refetch()} />
      {data === undefined ? error === null && <Loading what={what} /> : children(data)}
    </>
  );
}
