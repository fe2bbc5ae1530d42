import type { Device } from '../../api/client.ts';
import { plainWords } from '../../api/plain-words.ts';
import { leaseText } from '../../parts/hold.ts';
import type { Column } from '../../parts/data-table.tsx';
import { Labels } from '../../parts/labels.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { Moment, duration } from '../../parts/time.tsx';
import classes from './phones.module.css';

interface Choosable extends Column<Device> {
  id: string;
  /** Whether it is shown until a person chooses columns. Absent: no. */
  isUsual?: true;
}

/** The columns of the table that a person can choose, in their order. */
export const COLUMNS: readonly Choosable[] = [
  {
    id: 'state',
    width: '6.5rem',
    label: 'State',
    cell: ({ state, problem }) => (
      <span className={classes.state}>
        <StatusBadge state={state} />
        {problem !== undefined && (
          <span className={classes.problem} title={plainWords(problem.message)}>
            {plainWords(problem.message)}
          </span>
        )}
      </span>
    ),
    isUsual: true,
  },
  {
    id: 'labels',
    label: 'Labels',
    cell: ({ name, labels }) => (Object.keys(labels).length === 0 ? '' : <Labels of={name} labels={labels} />),
    isUsual: true,
  },
  { id: 'model', width: '6.5rem', label: 'Model', cell: ({ model }) => model, isUsual: true },
  { id: 'android', width: '5rem', label: 'Android', cell: ({ android }) => android },
  {
    id: 'network',
    width: '5.5rem',
    label: 'Network',
    cell: ({ exit }) => `${exit.type} ${exit.country.toUpperCase()}`,
    isUsual: true,
  },
  { id: 'address', width: '8rem', label: 'Address', cell: ({ exit }) => exit.address ?? '' },
  { id: 'driver', width: '7rem', label: 'Driver', cell: ({ driver }) => driver },
  {
    id: 'up',
    width: '4rem',
    label: 'Up',
    cell: ({ state, uptime }) => (state === 'running' ? duration(uptime) : ''),
    align: 'right',
    isUsual: true,
  },
  {
    id: 'minutes',
    width: '6.5rem',
    label: 'Minutes today',
    cell: ({ minutes_today }) => minutes_today,
    align: 'right',
    isUsual: true,
  },
  { id: 'lease', label: 'Lease', cell: ({ lease }) => (lease === undefined ? '' : leaseText(lease)) },
  { id: 'pool', width: '6rem', label: 'Pool', cell: ({ pool }) => pool ?? '' },
  { id: 'created', width: '11rem', label: 'Created', cell: ({ created_at }) => <Moment at={created_at} /> },
];
