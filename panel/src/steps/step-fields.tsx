import { ActionIcon, Button, Select, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import ArrowUp from 'lucide-react/icons/arrow-up';
import Plus from 'lucide-react/icons/plus';
import Trash2 from 'lucide-react/icons/trash-2';
import { catalogueQuery } from '../api/offers.ts';
import classes from './steps.module.css';
import { type Draft, newDraft, STEP_LABELS, STEP_NAMES, type StepKind } from './steps.ts';

const KINDS = Object.entries(STEP_NAMES).map(([value, label]) => ({ value, label }));

interface Props {
  drafts: readonly Draft[];
  onChange: (drafts: Draft[]) => void;
}

/** The steps of a group or schedule, in order. */
export function StepFields({ drafts, onChange }: Props) {
  const replace = (index: number, draft: Draft): void => onChange(drafts.with(index, draft));
  const swap = (index: number): void => {
    const [before, here] = [drafts[index - 1], drafts[index]];
    if (before !== undefined && here !== undefined) onChange(drafts.with(index - 1, here).with(index, before));
  };
  return (
    <div className={classes.steps}>
      <ol className={classes.list} aria-label="Steps">
        {drafts.map((draft, index) => (
          <li key={draft.id} className={classes.step}>
            <div className={classes.fields}>
              <Select
                label={`Step ${index + 1}`}
                data={KINDS}
                value={draft.kind}
                onChange={(kind) => kind !== null && replace(index, { ...draft, kind: kind as StepKind, text: '' })}
                allowDeselect={false}
                maxDropdownHeight={320}
              />
              <StepText draft={draft} onChange={(text) => replace(index, { ...draft, text })} />
            </div>
            <div className={classes.buttons}>
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={`Move step ${index + 1} up`}
                disabled={index === 0}
                onClick={() => swap(index)}
              >
                <ArrowUp size={16} />
              </ActionIcon>
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={`Remove step ${index + 1}`}
                disabled={drafts.length === 1}
                onClick={() => onChange(drafts.filter((one) => one !== draft))}
              >
                <Trash2 size={16} />
              </ActionIcon>
            </div>
          </li>
        ))}
      </ol>
      <Button
        variant="default"
        leftSection={<Plus size={16} />}
        onClick={() => onChange([...drafts, newDraft('open_app')])}
      >
        Add a step
      </Button>
    </div>
  );
}

function StepText({ draft: { kind, text }, onChange }: { draft: Draft; onChange: (text: string) => void }) {
  const { data: apps } = useQuery({ ...catalogueQuery, enabled: kind === 'install' });
  const label = STEP_LABELS[kind];
  if (label === undefined) return null;
  if (kind === 'install') {
    return (
      <Select
        label={label}
        data={apps?.map(({ app, name }) => ({ value: app, label: name })) ?? []}
        value={text === '' ? null : text}
        onChange={(app) => onChange(app ?? '')}
        placeholder={apps?.length === 0 ? 'The catalogue is empty' : 'Choose'}
        searchable
        required
        withAsterisk={false}
      />
    );
  }
  if (kind === 'json') {
    return (
      <Textarea
        label={label}
        description="As the API has it, see Groups in the docs"
        value={text}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
        placeholder='{"act": {"scroll": {"direction": "down"}}}'
        autosize
        minRows={2}
        spellCheck={false}
        required
        withAsterisk={false}
      />
    );
  }
  return (
    <TextInput
      label={label}
      value={text}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      {...(kind === 'wait' && { type: 'number', min: 0.001, max: 3600, step: 'any' })}
      autoComplete="off"
      required
      withAsterisk={false}
    />
  );
}
