import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Dialog } from './dialog.tsx';
import { ErrorAlert } from './error-alert.tsx';
import { Form } from './form.tsx';

interface Props {
  opened: boolean;
  onClose: () => void;
  /** A question: "Delete demo?" */
  title: string;
  /** The text to type. Absent: a click is enough. */
  name?: string;
  /** The text about what will be deleted. */
  children: ReactNode;
  /** The button's word: "Delete phone". */
  confirmLabel: string;
  onConfirm: () => void;
  isPending: boolean;
  error: Error | null;
}

/** Requests confirmation before something is deleted. Where much is lost, the name has to be typed. */
export function ConfirmByName({ opened, onClose, title, ...rest }: Props) {
  return (
    <Dialog opened={opened} onClose={onClose} title={title}>
      <Confirmation onClose={onClose} {...rest} />
    </Dialog>
  );
}

function Confirmation({
  onClose,
  name,
  children,
  confirmLabel,
  onConfirm,
  isPending,
  error,
}: Omit<Props, 'opened' | 'title'>) {
  const [typed, setTyped] = useState('');
  const isMet = name === undefined || typed === name;
  return (
    <Form
      onSubmit={() => {
        if (isMet) onConfirm();
      }}
    >
      <Stack gap="md">
        <Text size="sm" component="div">
          {children}
        </Text>
        {name !== undefined && (
          <TextInput
            label={`Type ${name} to confirm`}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            autoComplete="off"
            spellCheck={false}
            data-autofocus
          />
        )}
        <ErrorAlert error={error} />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" color="red" disabled={!isMet} loading={isPending}>
            {confirmLabel}
          </Button>
        </Group>
      </Stack>
    </Form>
  );
}
