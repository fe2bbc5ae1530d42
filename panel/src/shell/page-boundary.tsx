import { Button } from '@mantine/core';
import { Component, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { EmptyState } from '../parts/empty-state.tsx';

/** Shows what to do when a page throws. The next page is shown as usual. */
export function PageBoundary({ children }: { children: ReactNode }) {
  const [location] = useLocation();
  return <Boundary at={location}>{children}</Boundary>;
}

interface Props {
  at: string;
  children: ReactNode;
}

interface State {
  at: string;
  isBroken: boolean;
}

class Boundary extends Component<Props, State> {
  override state: State = { at: this.props.at, isBroken: false };

  static getDerivedStateFromError(): Partial<State> {
    return { isBroken: true };
  }

  static getDerivedStateFromProps({ at }: Props, state: State): State | null {
    return at === state.at ? null : { at, isBroken: false };
  }

  override render(): ReactNode {
    if (!this.state.isBroken) return this.props.children;
    return (
      <EmptyState
        isPage
        title="This page cannot be shown"
        action={<Button onClick={() => location.reload()}>Reload the panel</Button>}
      >
        This is a fault of the panel. Your phones are not affected.
      </EmptyState>
    );
  }
}
