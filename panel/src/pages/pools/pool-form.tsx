import { Button, Input, MultiSelect, NumberInput, Radio, Select, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { Schemas } from '../../api/client.ts';
import { fieldErrors } from '../../api/field-errors.ts';
import { useAppChoices } from '../../api/use-app-choices.ts';
import { templatesQuery } from '../../api/offers.ts';
import { Card } from '../../parts/card.tsx';
import { ErrorAlert } from '../../parts/error-alert.tsx';
import { type ExitChoice, ExitFields, type NetworkOption } from '../../parts/exit-fields.tsx';
import { Form } from '../../parts/form.tsx';
import forms from '../../parts/forms.module.css';
import { LabelField } from '../../parts/label-field.tsx';
import { withLabel } from '../../parts/labels.tsx';
import { type Plan, useBilling } from '../../parts/prices.ts';
import type { PoolBody } from './pools-query.ts';
import { WarmCost } from './warm-cost.tsx';

/** A pool while it is edited. */
export interface PoolDraft {
  name: string;
  /** `model:phone-720p` or `template:golden`. */
  source: string;
  network: ExitChoice;
  plan: Plan;
  apps: string[];
  ready: number;
  most: number;
  labels: Record<string, string>;
}

interface Props {
  first: PoolDraft;
  /** Whether the pool exists: its name stays then. */
  isThere: boolean;
  models: readonly Schemas['Model'][];
  exits: readonly NetworkOption[];
  onSubmit: (name: string, body: PoolBody) => void;
  submitLabel: string;
  isPending: boolean;
  error: Error | null;
  /** Content beside the button. */
  children?: ReactNode;
}

export const MAX_READY = 50;
export const MAX_POOL_PHONES = 200;

export function PoolForm({ first, isThere, models, exits, onSubmit, submitLabel, isPending, error, children }: Props) {
  const [draft, setDraft] = useState(first);
  const isBilled = useBilling() === true;
  const { data: templates = [] } = useQuery(templatesQuery);
  const apps = useAppChoices();
  const change = (part: Partial<PoolDraft>): void => setDraft({ ...draft, ...part });
  const { at, rest } = fieldErrors(error, ['name', 'template', 'model', 'network', 'apps', 'ready', 'most', 'labels']);
  return (
    <Form
      onSubmit={() => onSubmit(draft.name, bodyOf(draft))}
      error={error}
      className={`${forms.fields} ${forms.narrow}`}
    >
      <Card title="What they are">
        <div className={forms.fields}>
          <div className={forms.pair}>
            {!isThere && (
              <TextInput
                label="Name"
                description="Small letters, digits and -, a letter first. Its phones are named after it."
                value={draft.name}
                onChange={({ currentTarget }) => change({ name: currentTarget.value })}
                error={at.name}
                maxLength={30}
                autoComplete="off"
                autoCapitalize="none"
                spellCheck={false}
                required
              />
            )}
            <Select
              label="Made from"
              description="A model, or a template of yours"
              data={[
                { group: 'Models', items: models.map(({ model, name }) => ({ value: `model:${model}`, label: name })) },
                {
                  group: 'Templates',
                  items: templates
                    .filter(({ state }) => state === 'ready')
                    .map(({ name }) => ({ value: `template:${name}`, label: name })),
                },
              ].filter(({ items }) => items.length > 0)}
              value={draft.source}
              onChange={(source) => source !== null && change({ source })}
              error={at.model ?? at.template}
              allowDeselect={false}
            />
          </div>
          <MultiSelect
            label="Apps"
            description="Installed on each phone before it is ready"
            data={apps}
            value={draft.apps}
            onChange={(chosen) => change({ apps: chosen })}
            error={at.apps}
            maxValues={20}
            nothingFoundMessage="No such app. Upload yours in the app library."
            searchable
            clearable
          />
          <Input.Wrapper label="Labels" labelElement="div" description="Of each phone of the pool.">
            <LabelField
              labels={draft.labels}
              onChange={(key, value) => {
                change({ labels: withLabel(draft.labels, key, value) });
                return true;
              }}
              error={at.labels}
            />
          </Input.Wrapper>
        </div>
      </Card>
      <Card title="Network">
        <ExitFields
          exits={exits}
          value={draft.network}
          onChange={(network) => change({ network })}
          error={at.network}
        />
      </Card>
      <Card title="How many">
        <div className={forms.fields}>
          <div className={forms.pair}>
            <NumberInput
              label="Ready"
              description="Phones that run and are free"
              value={draft.ready}
              onChange={(ready) => change({ ready: Number(ready) })}
              error={at.ready}
              min={0}
              max={MAX_READY}
              allowDecimal={false}
              required
            />
            <NumberInput
              label="At most"
              description="Phones in all, leased ones included"
              value={draft.most}
              onChange={(most) => change({ most: Number(most) })}
              error={at.most}
              min={1}
              max={MAX_POOL_PHONES}
              allowDecimal={false}
              required
            />
          </div>
          {isBilled && (
            <Radio.Group
              label="Plan"
              value={draft.plan}
              onChange={(plan) => change({ plan: plan === 'month' ? 'month' : 'minute' })}
            >
              <div className={forms.choices}>
                <Radio value="minute" label="By the minute" />
                <Radio value="month" label="By the month" />
              </div>
            </Radio.Group>
          )}
          <WarmCost ready={draft.ready} plan={draft.plan} source={draft.source} />
        </div>
      </Card>
      <ErrorAlert error={rest} />
      <div className={forms.end}>
        {children}
        <Button type="submit" loading={isPending}>
          {submitLabel}
        </Button>
      </div>
    </Form>
  );
}

function bodyOf({ source, network, plan, apps, ready, most, labels }: PoolDraft): PoolBody {
  const [kind, value = ''] = source.split(/:(.*)/s);
  return {
    ...(kind === 'template' ? { template: value } : { model: value }),
    network,
    plan,
    apps,
    ready,
    most,
    labels,
  };
}
