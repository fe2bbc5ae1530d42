import { Select, Switch, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { api, type Device, type Schemas, take } from '../../../api/client.ts';
import { Card } from '../../../parts/card.tsx';
import { Fetched } from '../../../parts/fetched.tsx';
import forms from '../../../parts/forms.module.css';
import { type Entry, FIRST_LINES, type Level, useFollowedLog } from './followed-log.ts';
import classes from './logs.module.css';

const LEVELS: readonly Level[] = ['verbose', 'debug', 'info', 'warn', 'error', 'fatal'];
/** How often the log is fetched while it cannot be followed, ms: a device has 120 requests a minute over all of its users. */
const POLL_MS = 5_000;

/** The phone's log. */
export default function LogsTab({ device: { name } }: { device: Device }) {
  const [level, setLevel] = useState<Level>('info');
  const [typed, setTyped] = useState('');
  const [tag] = useDebouncedValue(typed.trim(), 400);
  const [follows, setFollows] = useState(true);
  const log = useRef<HTMLDivElement>(null);
  const followed = useFollowedLog({ device: name, level, tag }, follows);
  const query = useQuery({
    queryKey: ['logs', name, level, tag],
    queryFn: async () => {
      const query = { lines: FIRST_LINES, level, ...(tag !== '' && { tag }) };
      const response = await take(api.GET('/v1/devices/{name}/logs', { params: { path: { name }, query } }));
      return (response as Schemas['GetLogsResult']).lines;
    },
    refetchInterval: follows && followed === undefined ? POLL_MS : false,
    placeholderData: keepPreviousData,
  });
  useEffect(() => {
    if (follows) log.current?.scrollTo({ top: log.current.scrollHeight });
  }, [followed, query.data, follows]);
  return (
    <Card
      title="Logs"
      actions={
        <Switch label="Follow" checked={follows} onChange={(event) => setFollows(event.currentTarget.checked)} />
      }
    >
      <div className={forms.fields}>
        <div className={forms.row}>
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
              <Entries entries={followed ?? lines.map((line, key) => ({ ...line, key }))} />
            </div>
          )}
        </Fetched>
      </div>
    </Card>
  );
}

function Entries({ entries }: { entries: readonly Entry[] }) {
  if (entries.length === 0) return 'No lines of this level and tag.';
  return entries.map((entry) =>
    'lost' in entry ? (
      <div key={entry.key} data-level="warn">
        … {entry.lost} lines came faster than this browser reads, and are left out.
      </div>
    ) : (
      <div key={entry.key} data-level={entry.level}>
        {entry.time.slice(11, 23)} {entry.level.charAt(0).toUpperCase()} {entry.tag}: {entry.message}
      </div>
    ),
  );
}
