import { Alert, Text } from '@mantine/core';
import CircleAlert from 'lucide-react/icons/circle-alert';
import type { ReactNode } from 'react';
import { ApiFault } from '../api/client.ts';
import { shownError } from '../api/error-words.ts';
import { NextStepButton } from './next-step-button.tsx';
import classes from './parts.module.css';

interface Props {
  error: Error | null | undefined;
  /** Repeats the request. */
  onRetry?: () => void;
  /** The title above the text, such as the name of a file that failed. */
  title?: string;
  /** The next step, where this place has a better one than the kind of the error. Null: there is none, as it is beside the error. */
  next?: ReactNode;
}

/** Shows an error in the words of the panel, with a button for the next step. Renders nothing for null. */
export function ErrorAlert({ error, onRetry, title, next }: Props) {
  if (error === null || error === undefined) return null;
  const isOurs = error instanceof ApiFault && error.status >= 500;
  const shown = error instanceof ApiFault ? shownError(error.kind, error.message) : undefined;
  return (
    <Alert
      color="red"
      variant="light"
      icon={<CircleAlert size={18} aria-hidden />}
      role="alert"
      {...(title !== undefined && { title })}
    >
      <Text size="sm" c="var(--mantine-color-text)" className={classes.message}>
        {shown?.text ?? error.message}
      </Text>
      {isOurs && error.requestId !== undefined && (
        <Text size="xs" c="dimmed" mt={4}>
          If it happens again, give the operator this number: {error.requestId}
        </Text>
      )}
      <div className={classes.next}>
        {next === undefined ? <NextStepButton shown={shown} onRetry={onRetry} /> : next}
      </div>
    </Alert>
  );
}
