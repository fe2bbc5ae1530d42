import { ActionIcon, SegmentedControl, Select, Tooltip } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import CodeXml from 'lucide-react/icons/code-xml';
import { useState } from 'react';
import { curlSample } from '../../../reference/samples/curl.ts';
import { pythonSample } from '../../../reference/samples/python.ts';
import { ANY_JSON } from '../../../reference/samples/request.ts';
import { typescriptSample } from '../../../reference/samples/typescript.ts';
import { requestOf, type Send } from '../api/copied-request.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Fetched } from '../parts/fetched.tsx';
import forms from '../parts/forms.module.css';
import classes from './copy.module.css';

/** The languages that a request can be copied in, with what writes it. They read the address and the key from the environment. */
const WRITERS = { curl: curlSample, TypeScript: typescriptSample, Python: pythonSample };
type Language = keyof typeof WRITERS;
const LANGUAGES = Object.keys(WRITERS) as Language[];

/** An operation of the panel that can be copied as a program. */
export interface CopiedAction {
  label: string;
  send: Send;
  /** The file in which a program saves the response. Absent: the response is JSON. */
  file?: string;
}

/** Shows the operations of this place as curl, TypeScript and Python, to be copied. */
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
    // The request may depend on the state of a form.
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
      <SegmentedControl aria-label="Language" data={LANGUAGES} value={language} onChange={setLanguage} fullWidth />
      <Fetched query={request} what="the code">
        {(data) => {
          const file = action?.file;
          const result = file === undefined ? ANY_JSON : { kind: 'file' as const, name: file };
          const program = WRITERS[language]({ ...data, result }).trimEnd();
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
