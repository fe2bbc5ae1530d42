import { Button, Textarea } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { fieldErrors } from '../api/field-errors.ts';
import { Dialog } from '../parts/dialog.tsx';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { Form } from '../parts/form.tsx';
import forms from '../parts/forms.module.css';
import { finishHandover, type WhichHandover } from './handover-requests.ts';
import { MAX_NOTE, noteText } from './note-text.ts';

interface Props {
  which: WhichHandover;
  /** Who asked for the person: the name of a key. */
  asker: string;
  opened: boolean;
  onClose: () => void;
  /** Is called after the request, with whether the phone was given back. A refusal may mean that the hand-over has ended. */
  onSettled: (isDone: boolean) => unknown;
}

/** Asks for a note to the program, and gives the phone back. */
export function GiveBackDialog({ opened, onClose, ...rest }: Props) {
  return (
    <Dialog opened={opened} onClose={onClose} title={`Give ${rest.which.device} back?`}>
      {opened && <GiveBackForm onClose={onClose} {...rest} />}
    </Dialog>
  );
}

function GiveBackForm({ which, asker, onClose, onSettled }: Omit<Props, 'opened'>) {
  const [note, setNote] = useState('');
  const finish = useMutation({
    mutationFn: () => finishHandover(which, noteText(note)),
    onSettled: (_, error) => onSettled(error === null),
  });
  const { at, rest } = fieldErrors(finish.error, ['note']);
  return (
    <Form onSubmit={() => finish.mutate()} error={finish.error} className={forms.fields}>
      <Textarea
        label="Note"
        description={`What ${asker} is to know. It can be empty.`}
        value={note}
        onChange={({ currentTarget }) => setNote(currentTarget.value)}
        maxLength={MAX_NOTE}
        autosize
        minRows={3}
        maxRows={8}
        error={at.note}
        data-autofocus
      />
      <ErrorAlert error={rest} next={null} />
      <div className={forms.end}>
        <Button variant="default" onClick={onClose}>
          Keep it
        </Button>
        <Button type="submit" loading={finish.isPending}>
          Give back
        </Button>
      </div>
    </Form>
  );
}
