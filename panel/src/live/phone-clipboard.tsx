import { Textarea } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import ClipboardCopy from 'lucide-react/icons/clipboard-copy';
import { useState } from 'react';
import { api, type Schemas, take } from '../api/client.ts';
import type { Action } from '../parts/action.ts';
import { Dialog } from '../parts/dialog.tsx';

type Step = NonNullable<Schemas['ActBodyInput']['steps']>[number];

/** Copies the clipboard of a phone to that of this computer. */
export interface PhoneClipboard {
  /** Copies the text of the phone's clipboard. With a letter, Ctrl and the letter are pressed first. */
  copy: (letter?: 'c' | 'x') => void;
  isPending: boolean;
  error: Error | null;
  /** The text that the browser did not let the panel copy. */
  shown: string | undefined;
  hide: () => void;
}

/**
 * Reads a phone's clipboard and writes it to the browser's. Where the browser refuses that, as it does without https or permission, the text is
 * shown, to be copied by hand.
 */
export function usePhoneClipboard(name: string): PhoneClipboard {
  const [shown, setShown] = useState<string>();
  const read = useMutation({
    mutationFn: async (letter: 'c' | 'x' | undefined) => {
      // It is one request, so that the clipboard is read after the keys.
      const press: Step[] = letter === undefined ? [] : [{ key: { names: ['ctrl_left', letter] } }];
      const body = { steps: [...press, { clipboard: {} }], observe: 'none' as const };
      const { clipboard = '' } = await take(api.POST('/v1/devices/{name}/act', { params: { path: { name } }, body }));
      if (clipboard !== '' && !(await isWritten(clipboard))) setShown(clipboard);
    },
  });
  return {
    copy: (letter) => read.mutate(letter),
    isPending: read.isPending,
    error: read.error,
    shown,
    hide: () => setShown(undefined),
  };
}

/** Writes a text to the browser's clipboard. Returns false where the browser refuses it. */
async function isWritten(text: string): Promise<boolean> {
  // Browsers have it only over https, and on loopback.
  const clipboard = navigator.clipboard as Clipboard | undefined;
  if (clipboard === undefined) return false;
  return clipboard.writeText(text).then(
    () => true,
    () => false,
  );
}

/** Returns the action that copies from the phone. */
export function copyAction({ copy, isPending }: PhoneClipboard): Action {
  return { id: 'copy', label: 'Copy from the phone', icon: ClipboardCopy, run: () => copy(), isPending };
}

/** Shows the text that the browser did not take. */
export function CopiedText({ clipboard: { shown, hide } }: { clipboard: PhoneClipboard }) {
  return (
    <Dialog opened={shown !== undefined} onClose={hide} title="Copied on the phone">
      <Textarea
        label="Text"
        description="The browser does not let this page copy it. Select it and copy it by hand."
        value={shown ?? ''}
        onFocus={({ currentTarget }) => currentTarget.select()}
        readOnly
        autosize
        minRows={2}
        maxRows={12}
        data-autofocus
      />
    </Dialog>
  );
}
