import { Alert, Button, Text } from '@mantine/core';
import CircleAlert from 'lucide-react/icons/circle-alert';
import { ApiFault } from '../api/client.ts';
import classes from './parts.module.css';

/** Shows an error in the words of the API, which state what to do. Renders nothing for null. */
export function ErrorAlert({ error, onRetry }: { error: Error | null | undefined; onRetry?: () => void }) {
  if (error === null || error === undefined) return null;
  const isOurs = error instanceof ApiFault && error.status >= 500;
  return (
    <Alert color="red" variant="light" icon={<CircleAlert size={18} />} role="alert">
      <Text size="sm" c="var(--mantine-color-text)" className={classes.message}>
        {error.message}
      </Text>
      {isOurs && error.requestId !== undefined && (
        <Text size="xs" c="dimmed" mt={4}>
          Request {error.requestId}
        </Text>
      )}
      {onRetry !== undefined && (
        <Button size="compact-sm" variant="default" mt="xs" onClick={onRetry}>
          Try again
        </Button>
      )}
    </Alert>
  );
}
