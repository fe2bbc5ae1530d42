import { Button } from '@mantine/core';
import Smartphone from 'lucide-react/icons/smartphone';
import { EmptyState } from '../../parts/empty-state.tsx';

/** Is shown where no phone passes search and filters. */
export function NoSuchPhones({ onReset }: { onReset: () => void }) {
  return (
    <EmptyState
      title="No such phones"
      icon={Smartphone}
      action={
        <Button variant="default" onClick={onReset}>
          Show all phones
        </Button>
      }
    />
  );
}
