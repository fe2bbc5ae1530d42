import { Button, Input, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { api, take } from '../../api/client.ts';
import { fieldErrors } from '../../api/field-errors.ts';
import { useJobs } from '../../api/jobs.tsx';
import { Card } from '../../parts/card.tsx';
import { ErrorAlert } from '../../parts/error-alert.tsx';
import { Form } from '../../parts/form.tsx';
import { LabelField } from '../../parts/label-field.tsx';
import { type LabelsByKey, withLabel } from '../../parts/labels.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import forms from '../../parts/forms.module.css';
import { DeviceChoice } from '../../parts/device-choice.tsx';
import { phoneCount } from '../../parts/phone-count.ts';
import { groupTitle, nameOfSteps } from './group-title.ts';
import { RunFields } from '../../steps/run-fields.tsx';
import { StepFields } from '../../steps/step-fields.tsx';
import { newDraft, stepsOf } from '../../steps/steps.ts';

/** Creates a group: phones, steps, and how they run. */
export default function NewGroupPage() {
  const [, navigate] = useLocation();
  const { follow } = useJobs();
  const [devices, setDevices] = useState<string[]>([]);
  const [drafts, setDrafts] = useState(() => [newDraft('start')]);
  const [run, setRun] = useState({ concurrency: 10, on_error: 'stop' as 'stop' | 'continue' });
  const [name, setName] = useState('');
  const [labels, setLabels] = useState<LabelsByKey>({});
  const changeLabel = (key: string, value: string): boolean => {
    setLabels(withLabel(labels, key, value));
    return true;
  };
  const suggested = nameOfSteps(drafts, devices.length);
  const create = useMutation({
    mutationFn: async () => {
      const body = { devices, steps: stepsOf(drafts), ...run, labels, name: name.trim() || suggested };
      return take(api.POST('/v1/groups', { body }));
    },
    onSuccess: ({ job, group }) => {
      void follow(job, groupTitle(group.name, group.devices.length));
      navigate(`/groups/${group.id}`);
    },
  });
  const { at, rest } = fieldErrors(create.error, ['concurrency', 'name', 'labels']);
  return (
    <>
      <PageHeader title="Run a group" back={{ href: '/groups', label: 'Groups' }} />
      <Form onSubmit={() => create.mutate()} error={create.error} className={`${forms.fields} ${forms.narrow}`}>
        <Card title="Phones">
          <DeviceChoice value={devices} onChange={setDevices} />
        </Card>
        <Card title="Steps" description="Each phone performs them in this order.">
          <StepFields drafts={drafts} onChange={setDrafts} />
        </Card>
        <Card title="Run">
          <RunFields value={run} onChange={setRun} error={at.concurrency} />
        </Card>
        <Card title="Name and labels" description="To find it again. Without a name it has that of its steps.">
          <div className={forms.fields}>
            <TextInput
              label="Name"
              placeholder={suggested}
              value={name}
              onChange={({ currentTarget }) => setName(currentTarget.value)}
              maxLength={100}
              autoComplete="off"
              error={at.name}
            />
            <Input.Wrapper label="Labels" labelElement="div">
              <LabelField labels={labels} onChange={changeLabel} error={at.labels} />
            </Input.Wrapper>
          </div>
        </Card>
        <ErrorAlert error={rest} />
        <div className={forms.end}>
          <Button type="submit" loading={create.isPending} disabled={devices.length === 0}>
            Run on {phoneCount(devices.length)}
          </Button>
        </div>
      </Form>
    </>
  );
}
