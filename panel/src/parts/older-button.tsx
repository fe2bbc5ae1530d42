import { Button } from '@mantine/core';
import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import forms from './forms.module.css';

interface Props {
  query: Pick<UseInfiniteQueryResult, 'hasNextPage' | 'fetchNextPage' | 'isFetchingNextPage'>;
  children: string;
}

/** Fetches the next page of a list. Renders nothing where there is no more. */
export function OlderButton({ query: { hasNextPage, fetchNextPage, isFetchingNextPage }, children }: Props) {
  if (!hasNextPage) return null;
  return (
    <div className={forms.more}>
      <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
        {children}
      </Button>
    </div>
  );
}
