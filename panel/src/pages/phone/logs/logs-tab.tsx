import { Select, Switch, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { api, type Schemas, take } from '../../../api/client.ts';
import { Card } from '../../../parts/card.tsx';
import { Fetched } from '../../../parts/fetched.tsx';
import forms from '../../../parts/forms.module.css';
import type { TabProps } from '../tab-props.ts';
import classes from '../phone.module.css';

type Level = Schemas['LogLine']['level'];

const LEVELS: readonly Level[] = ['verbose', 'debug', 'info', 'warn', 'error', 'fatal'];
const LINES = 400;
/** A device has 120 requests a minute over all of its users. */
const POLL_MS = 2_000;

/** The phone's log. */
export default function LogsTab({ device: { name } }: TabProps) {
  const [level, setLevel] = useState<Level>('info');
  const [typed, setTyped] = useState('');
  const [tag] = useDebouncedValue(typed.trim(), 400);
  const [follows, setFollows] = useState(true);
  const log = useRef<HTMLDivElement>(null);
  const query = useQuery({
    queryKey: ['logs', name, level, tag],
    queryFn: async () => {
      const query = { lines: LINES, level, ...(tag !== '' && { tag }) };
      const response = await take(api.GET('/v1/devices/{name}/logs', { params: { path: { name }, query } }));
      return (response as Schemas['GetLogsResult']).lines;
    },
    refetchInterval: follows ? POLL_MS : false,
    placeholderData: keepPreviousData,
  });
  useEffect(() => {
    if (follows) log.current?.scrollTo({ top: log.current.scrollHeight });
  }, [query.data, follows]);
  return (
    <Card
      title="Logs"
      actions={
        <Switch label="Follow" checked={follows} onChange={(event) => setFollows(event.currentTarget.checked)} />
      }
    >
      <div className={forms.fields}>
        <div className={classes.fields}>
          <Select
            label="Level"
            data={LEVELS.map((one) => ({ value: one, label: `${one} and above` }))}
            value={level}
            onChange={(value) => setLevel(LEVELS.find((one) => one === value) ?? 'info')}
            allowDeselect={false}
          />
          <TextInput
            label="Tag"
            placeholder="Any"
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            autoComplete="off"
            spellCheck={false}
          />
        </div>
        <Fetched query={query} what="the log">
          {(lines) => (
            <div
              ref={log}
              className={classes.log}
              role="log"
              aria-live="off"
              aria-label={`Log of ${name}`}
              tabIndex={0}
            >
              {lines.length === 0
                ? 'No lines of this level and tag.'
                : lines.map((line, index) => (
                    <div key={`${line.time} ${index}`} data-level={line.level}>
                      {line.time.slice(11, 23)} {line.level.charAt(0).toUpperCase()} {line.tag}: {line.message}
                    </div>
                  ))}
            </div>
          )}
        </Fetched>
      </div>
    </Card>
  );
}
