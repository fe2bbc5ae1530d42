import { Button } from '@mantine/core';
import { Component, type ReactNode } from 'react';
import { EmptyState } from '../parts/empty-state.tsx';

/** Shows what to do when a page throws, or its code is gone because the service was updated while the panel was open. */
export class PageBoundary extends Component<{ children: ReactNode }, { broken: boolean }> {
  override state = { broken: false };

  static getDerivedStateFromError(): { broken: boolean } {
    return { broken: true };
  }

  override render(): ReactNode {
    if (!this.state.broken) return this.props.children;
    return (
      <EmptyState
        title="This page cannot be shown"
        action={<Button onClick={() => location.reload()}>Reload the panel</Button>}
      >
        The panel may have been updated since it was opened. Your phones are not affected.
      </EmptyState>
    );
  }
}
