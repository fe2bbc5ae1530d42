import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Schemas } from '../../api/client.ts';
import { templatesQuery } from '../../api/offers.ts';

export type Template = Schemas['Template'];

/** Returns the templates that phones can be made from. */
export function useTemplates(): readonly Template[] {
  const { data = [] } = useQuery(templatesQuery);
  return data.filter(({ state }) => state === 'ready');
}

interface Props {
  templates: readonly Template[];
  value: string | undefined;
  onChange: (name: string | undefined) => void;
  error: string | undefined;
}

/** A field for the template of a new phone. Renders nothing where the account has none. */
export function TemplateField({ templates, value, onChange, error }: Props) {
  if (templates.length === 0) return null;
  return (
    <Select
      label="Template"
      description="A phone in a known state, with its apps"
      placeholder="None: an empty phone"
      data={templates.map(({ name }) => name)}
      value={value ?? null}
      onChange={(name) => onChange(name ?? undefined)}
      error={error}
      clearable
      clearButtonProps={{ 'aria-label': 'Use no template' }}
    />
  );
}
