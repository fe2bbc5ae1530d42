import { Button, CloseButton, TextInput } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import classes from './labels.module.css';
import type { LabelsByKey } from './labels.tsx';

/** A label as in the API: a key, a colon and a value. */
const LABEL = /^[a-z0-9][a-z0-9_.-]{0,62}:.{1,63}$/;

interface Props {
  labels: LabelsByKey;
  /** Sets the label of a key; an empty value removes it. Where it returns a promise, the typed text stays until that resolves to true. */
  onChange: (key: string, value: string) => boolean | Promise<boolean>;
  isPending?: boolean;
  /** The reason why the service refused the labels. */
  error?: string | undefined;
}

/**
 * A field for labels, which are added as `key:value` and removed one by one. In a form, Enter adds the label and does not submit. The
 * browser does not submit the form while a typed label is not added, as it would be lost.
 */
export function LabelField({ labels, onChange, isPending = false, error: refusal }: Props) {
  const [typed, setTyped] = useState('');
  const [fault, setFault] = useState<string>();
  const field = useRef<HTMLInputElement>(null);
  const isLeft = typed.trim() !== '';
  useEffect(() => field.current?.setCustomValidity(isLeft ? 'Add this label, or empty the field.' : ''), [isLeft]);
  const add = async (): Promise<void> => {
    const text = typed.trim();
    if (!LABEL.test(text)) {
      setFault('Write a key, a colon and a value, such as team:qa. Keys have a-z, 0-9, _, . and -.');
      return;
    }
    const colon = text.indexOf(':');
    if (await onChange(text.slice(0, colon), text.slice(colon + 1))) setTyped('');
  };
  return (
    <div>
      <ul className={classes.chosen} aria-label="Labels">
        {Object.entries(labels).map(([key, value]) => (
          <li key={key}>
            {key}:{value}
            <CloseButton size="xs" aria-label={`Remove the label ${key}`} onClick={() => void onChange(key, '')} />
          </li>
        ))}
      </ul>
      <div className={classes.add}>
        <TextInput
          ref={field}
          aria-label="New label"
          placeholder="team:qa"
          value={typed}
          onChange={({ currentTarget }) => {
            setTyped(currentTarget.value);
            setFault(undefined);
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return;
            event.preventDefault();
            void add();
          }}
          error={fault ?? refusal}
          maxLength={127}
          autoCapitalize="none"
          autoComplete="off"
          spellCheck={false}
        />
        <Button variant="default" loading={isPending} disabled={!isLeft} onClick={() => void add()}>
          Add
        </Button>
      </div>
    </div>
  );
}
