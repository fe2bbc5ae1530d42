import { ActionIcon, SegmentedControl, Select, Tooltip } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import CodeXml from 'lucide-react/icons/code-xml';
import { useState } from 'react';
import { requestOf, type Send } from '../api/copied-request.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Fetched } from '../parts/fetched.tsx';
import forms from '../parts/forms.module.css';
import classes from './copy.module.css';
import { LANGUAGES, type Language, programOf } from './programs.ts';

/** An operation of the panel that can be copied as a program. */
export interface CopiedAction {
  label: string;
  send: Send;
  /** Where a program saves the response. Absent: it is JSON. */
  file?: string;
}

/** Shows what can be done here as curl, TypeScript and Python, to be copied. */
export function CopyAsButton({ actions }: { actions: readonly CopiedAction[] }) {
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <>
      <Tooltip label="Copy as code">
        <ActionIcon variant="default" size="lg" aria-label="Copy as code" onClick={open}>
          <CodeXml size={16} />
        </ActionIcon>
      </Tooltip>
      <Dialog opened={isOpen} onClose={close} title="Copy as code">
        <Programs actions={actions} />
      </Dialog>
    </>
  );
}

function Programs({ actions }: { actions: readonly CopiedAction[] }) {
  const [chosen, setChosen] = useState(actions[0]?.label);
  const [language, setLanguage] = useState<Language>('curl');
  const action = actions.find(({ label }) => label === chosen) ?? actions[0];
  const request = useQuery({
    queryKey: ['copied', action?.label],
    queryFn: () => (action === undefined ? Promise.reject(new Error('nothing to copy')) : requestOf(action.send)),
    // It depends on the state of a form, too.
    staleTime: 0,
    gcTime: 0,
    networkMode: 'always',
  });
  return (
    <div className={forms.fields}>
      {actions.length > 1 && (
        <Select
          label="Action"
          data={actions.map(({ label }) => label)}
          value={action?.label ?? null}
          onChange={(label) => setChosen(label ?? undefined)}
          allowDeselect={false}
        />
      )}
      <SegmentedControl aria-label="Language" data={[...LANGUAGES]} value={language} onChange={setLanguage} fullWidth />
      <Fetched query={request} what="the code">
        {(data) => {
          const program = programOf(language, data, action?.file);
          return (
            <div className={classes.program}>
              <pre tabIndex={0} aria-label={`${chosen ?? ''} as ${language}`}>
                {program}
              </pre>
              <CopyButton text={program} what="the code" />
            </div>
          );
        }}
      </Fetched>
      <p className={forms.quiet}>
        It reads the address and the key from CLOUDPHONE_URL and CLOUDPHONE_KEY. The guides in the{' '}
        <a href="/docs/reference/" target="_blank" rel="noreferrer">
          API reference
        </a>{' '}
        begin with the lines that set them.
      </p>
    </div>
  );
}
