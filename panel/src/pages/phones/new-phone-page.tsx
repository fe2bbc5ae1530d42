import { Button, Input, Radio, Select, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { api, type Schemas, take } from '../../api/client.ts';
import { fieldErrors } from '../../api/field-errors.ts';
import { useJobs } from '../../api/jobs.tsx';
import { createPhone } from '../../api/phone-requests.ts';
import { randomKey, useIdempotencyKey } from '../../api/use-idempotency-key.ts';
import { CopyAsButton } from '../../copy/copy-as-button.tsx';
import { Card } from '../../parts/card.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorAlert } from '../../parts/error-alert.tsx';
import forms from '../../parts/forms.module.css';
import { Form } from '../../parts/form.tsx';
import { LabelField } from '../../parts/label-field.tsx';
import { type LabelsByKey, withLabel } from '../../parts/labels.tsx';
import { Loading } from '../../parts/loading.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { Cost } from './cost.tsx';
import {
  countryName,
  EXIT_NAMES,
  ExitFields,
  firstExit,
  type ExitChoice,
  exitsOf,
  type NetworkOption,
} from '../../parts/exit-fields.tsx';
import { exitsQuery, modelsQuery } from '../../api/offers.ts';
import { type Plan, priceText, usePrices } from '../../parts/prices.ts';
import classes from './phones.module.css';
import { TemplateField, useTemplates } from './template-field.tsx';

type Model = Schemas['Model'];

/** Creates a phone: model, network, plan and its price, name. */
export default function NewPhonePage() {
  const models = useQuery(modelsQuery);
  const exits = useQuery(exitsQuery);
  const error = models.error ?? exits.error;
  const model = models.data?.[0];
  const exit = model && exits.data && firstExit(exitsOf(exits.data, model.driver));
  const isLoaded = models.data !== undefined && exits.data !== undefined;
  return (
    <>
      <PageHeader
        title="Create a phone"
        back={{ href: '/phones', label: 'Phones' }}
        description="It boots within seconds and can be used right away."
      />
      <ErrorAlert error={error} />
      {!isLoaded && error === null && <Loading what="what is on offer" />}
      {isLoaded && (model === undefined || exit === undefined) && (
        <EmptyState title="Nothing is on offer">
          The operator of this service offers no models or no networks for now.
        </EmptyState>
      )}
      {isLoaded && model !== undefined && exit !== undefined && (
        <NewPhone models={models.data} exits={exits.data} firstModel={model} firstNetwork={exit} />
      )}
    </>
  );
}

interface Offer {
  models: readonly Model[];
  exits: readonly NetworkOption[];
  firstModel: Model;
  firstNetwork: ExitChoice;
}

function NewPhone({ models, exits, firstModel, firstNetwork }: Offer) {
  const prices = usePrices();
  const [, navigate] = useLocation();
  const { follow } = useJobs();
  const [params] = useSearchParams();
  const templates = useTemplates();
  const [templateName, setTemplateName] = useState(params.get('template') ?? undefined);
  const template = templates.find((one) => one.name === templateName);
  const [chosenModel, setModel] = useState(firstModel);
  const model = models.find((one) => one.model === template?.model) ?? chosenModel;
  const [android, setAndroid] = useState(firstModel.android[0] ?? '');
  const [network, setNetwork] = useState(firstNetwork);
  const [plan, setPlan] = useState<Plan>('minute');
  const [name, setName] = useState('');
  const [labels, setLabels] = useState<LabelsByKey>({});
  const { keyOf, onError } = useIdempotencyKey();
  const changeLabel = (key: string, value: string): boolean => {
    setLabels(withLabel(labels, key, value));
    return true;
  };
  const body = {
    ...(template === undefined ? { model: model.model, android } : { template: template.name }),
    network,
    plan,
    ...(name !== '' && { name }),
    ...(Object.keys(labels).length > 0 && { labels }),
  };
  const create = useMutation({
    mutationFn: () => take(createPhone(api, body, keyOf(body))),
    onSuccess: ({ job, device }) => {
      void follow(job, `Creating ${device.name}`);
      navigate(`/phones/${device.name}`);
    },
    onError,
  });
  const choose = (id: string | null): void => {
    const chosen = models.find((one) => one.model === id);
    if (chosen === undefined) return;
    setModel(chosen);
    setAndroid(chosen.android[0] ?? '');
    fitNetwork(chosen);
  };
  const chooseTemplate = (name: string | undefined): void => {
    setTemplateName(name);
    const kind = templates.find((one) => one.name === name)?.model;
    fitNetwork(models.find((one) => one.model === kind) ?? chosenModel);
  };
  /** Chooses another network where phones of the model cannot have the chosen one. */
  const fitNetwork = ({ driver }: Model): void => {
    const offered = exitsOf(exits, driver);
    const canStay = offered.some(({ type, country }) => type === network.type && country === network.country);
    if (!canStay) setNetwork(firstExit(offered) ?? network);
  };
  const { at, rest } = fieldErrors(create.error, ['template', 'model', 'android', 'name', 'labels', 'network']);
  const size = `${model.screen.width} × ${model.screen.height}`;
  return (
    <Form onSubmit={() => create.mutate()} error={create.error} className={classes.form}>
      <div className={forms.fields}>
        <Card title="Phone">
          <div className={forms.fields}>
            <TemplateField templates={templates} value={template?.name} onChange={chooseTemplate} error={at.template} />
            <div className={forms.pair}>
              <Select
                label="Model"
                description={`${size}, ${model.memory_mb / 1024} GB of memory`}
                data={models.map((one) => ({ value: one.model, label: one.name }))}
                value={model.model}
                onChange={choose}
                disabled={template !== undefined}
                error={at.model}
                allowDeselect={false}
              />
              <Select
                label="Android"
                description="Version of the system"
                data={template === undefined ? model.android : [template.android]}
                value={template?.android ?? android}
                disabled={template !== undefined}
                onChange={(version) => version !== null && setAndroid(version)}
                error={at.android}
                allowDeselect={false}
              />
            </div>
            <TextInput
              label="Name"
              description="Small letters, digits and -, a letter first. Leave it empty to get one."
              placeholder="shop-test-1"
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
              error={at.name}
              maxLength={40}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
            />
            <Input.Wrapper
              label="Labels"
              labelElement="div"
              description="To find and choose the phone by, here and in your programs."
            >
              <LabelField labels={labels} onChange={changeLabel} error={at.labels} />
            </Input.Wrapper>
          </div>
        </Card>
        <Card title="Network" description="Where the phone is on the internet. It can be changed while the phone runs.">
          <ExitFields exits={exitsOf(exits, model.driver)} value={network} onChange={setNetwork} error={at.network} />
        </Card>
        {prices?.billing !== false && (
          <Card title="Plan">
            <Radio.Group
              value={plan}
              onChange={(value) => setPlan(value === 'month' ? 'month' : 'minute')}
              aria-label="Plan"
            >
              <div className={classes.choices}>
                {(['minute', 'month'] as const).map((one) => (
                  <Radio.Card key={one} value={one} className={classes.choice} aria-label={`By ${one}`}>
                    <Radio.Indicator />
                    <span>
                      <strong>By the {one}</strong>
                      <br />
                      {priceText(prices, one)}
                    </span>
                  </Radio.Card>
                ))}
              </div>
            </Radio.Group>
          </Card>
        )}
      </div>
      <div className={classes.aside}>
        <Cost
          plan={plan}
          facts={[
            ['Template', template?.name],
            ['Model', model.name],
            ['Network', `${EXIT_NAMES[network.type] ?? network.type}, ${countryName(network.country)}`],
          ]}
        >
          <ErrorAlert error={rest} />
          <div className={classes.create}>
            <Button type="submit" fullWidth loading={create.isPending}>
              Create and start
            </Button>
            {/* The copied request has a key of its own, as the program makes another phone. */}
            <CopyAsButton
              actions={[{ label: 'Create the phone', send: (client) => createPhone(client, body, randomKey()) }]}
            />
          </div>
        </Cost>
      </div>
    </Form>
  );
}
