import { UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import ChevronRight from 'lucide-react/icons/chevron-right';
import { type ReactNode, useId, useState } from 'react';
import { byName } from '../../parts/by-name.ts';
import { Fetched } from '../../parts/fetched.tsx';
import { phoneCount } from '../../parts/phone-count.ts';
import { duration, utcDay } from '../../parts/time.tsx';
import { type LedgerDay, type LedgerSum, minutesQuery } from './ledger-query.ts';
import classes from './ledger.module.css';

const CLOCK = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone: 'UTC' });

const KINDS: Record<LedgerSum['kind'], string> = {
  credit: 'Credit added',
  minute: 'Minutes',
  month: 'Month',
  refund: 'Month given back',
  reversal: 'Payment taken back',
};

/** The days of the ledger; each opens to its phones, and each phone to the times at which it ran. */
export function LedgerDays({ days }: { days: readonly LedgerDay[] }) {
  const decimals = Math.max(2, ...days.flatMap(amountsOf).map(decimalsOf));
  return (
    <div className={classes.ledger}>
      <div className={classes.heads} aria-hidden>
        <span>Day</span>
        <span>Amount (USD)</span>
        <span>Balance (USD)</span>
      </div>
      <ol className={classes.days} aria-label="Days, newest first">
        {days.map((day, index) => (
          <Day key={day.day} day={day} decimals={decimals} isFirst={index === 0} />
        ))}
      </ol>
    </div>
  );
}

interface DayProps {
  day: LedgerDay;
  /** Decimals of every amount, so that amounts are aligned. */
  decimals: number;
  isFirst: boolean;
}

function Day({ day: { day, amount, balance, entries }, decimals, isFirst }: DayProps) {
  const changed = Number(amount) !== 0;
  return (
    <li>
      <Opening
        level="day"
        isOpenAtFirst={isFirst}
        title={
          <>
            <strong>{utcDay(day)}</strong>
            <span className={classes.about}>{summaryOf(entries)}</span>
          </>
        }
        amount={signed(amount, decimals)}
        balance={changed ? Number(balance).toFixed(decimals).replace('-', MINUS) : 'unchanged'}
      >
        <ul className={classes.sums} aria-label={`Charges and credit of ${utcDay(day)}`}>
          {inOrder(entries).map((entry, index) => (
            <li key={`${entry.kind} ${entry.device ?? ''} ${index}`}>
              <Sum day={day} entry={entry} decimals={decimals} />
            </li>
          ))}
        </ul>
      </Opening>
    </li>
  );
}

interface SumProps {
  day: string;
  entry: LedgerSum;
  decimals: number;
}

function Sum({ day, entry: { kind, device, minutes, amount, at }, decimals }: SumProps) {
  if (device === undefined || kind !== 'minute') {
    return (
      <div className={classes.line} data-level="sum">
        <span className={classes.title}>
          {device ?? KINDS[kind]}
          <span className={classes.about}>{device === undefined ? at && CLOCK.format(new Date(at)) : KINDS[kind]}</span>
        </span>
        <span className={classes.amount}>{signed(amount, decimals)}</span>
      </div>
    );
  }
  return (
    <Opening
      level="sum"
      title={
        <>
          {device}
          <span className={classes.about}>{minutes.toLocaleString('en')} min</span>
        </>
      }
      amount={signed(amount, decimals)}
    >
      <Runs day={day} device={device} />
    </Opening>
  );
}

/** The times at which a phone ran on a day. */
function Runs({ day, device }: { day: string; device: string }) {
  const query = useQuery(minutesQuery(day, device));
  return (
    <Fetched query={query} what="the minutes">
      {(runs) => (
        <ul className={classes.runs} aria-label={`Minutes of ${device}`}>
          {runs.map(({ first, last, minutes }) => (
            <li key={first}>
              {CLOCK.format(new Date(first))} to {CLOCK.format(new Date(Date.parse(last) + 60_000))}
              <span className={classes.about}>{duration(minutes * 60)}</span>
            </li>
          ))}
        </ul>
      )}
    </Fetched>
  );
}

interface OpeningProps {
  level: 'day' | 'sum';
  title: ReactNode;
  amount: string;
  balance?: string;
  isOpenAtFirst?: boolean;
  children: ReactNode;
}

/** A line that opens to the lines of which it is the sum. */
function Opening({ level, title, amount, balance, isOpenAtFirst = false, children }: OpeningProps) {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  const id = useId();
  return (
    <>
      <UnstyledButton
        className={classes.line}
        data-level={level}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        <span className={classes.title}>
          <ChevronRight size={16} aria-hidden className={classes.chevron} />
          <span className={classes.words}>{title}</span>
        </span>
        <span className={classes.amount}>
          <span className="visually-hidden">, amount </span>
          {amount}
        </span>
        {balance !== undefined && (
          <span className={classes.balance}>
            <span className={classes.balanceWord}>Balance </span>
            {balance}
          </span>
        )}
      </UnstyledButton>
      <div id={id} hidden={!isOpen}>
        {isOpen && children}
      </div>
    </>
  );
}

/** Returns credits and reversals as they come, then the phones by their names. */
function inOrder(entries: readonly LedgerSum[]): LedgerSum[] {
  return entries.toSorted((a, b) => byName(a.device ?? '', b.device ?? ''));
}

/** Returns a summary such as "Credit added, 60 phones, 86,400 min". */
function summaryOf(entries: readonly LedgerSum[]): string {
  const phones = entries.filter(({ device }) => device !== undefined);
  const minutes = phones.reduce((sum, entry) => sum + entry.minutes, 0);
  const others = new Set(entries.filter(({ device }) => device === undefined).map(({ kind }) => KINDS[kind]));
  return [
    ...others,
    ...(phones.length === 0 ? [] : [phoneCount(new Set(phones.map(({ device }) => device)).size)]),
    ...(minutes === 0 ? [] : [`${minutes.toLocaleString('en')} min`]),
  ].join(', ');
}

/** The minus sign. It is not a hyphen, as it is as wide as a plus. */
const MINUS = '−';

/** Returns an amount with its sign. */
function signed(amount: string, decimals: number): string {
  const text = Number(amount).toFixed(decimals);
  return Number(amount) > 0 ? `+${text}` : text.replace('-', MINUS);
}

function amountsOf({ amount, balance, entries }: LedgerDay): string[] {
  return [amount, balance, ...entries.map((entry) => entry.amount)];
}

/** Returns the number of decimals of an amount as the API writes it: two, or as many as it takes. */
function decimalsOf(amount: string): number {
  return amount.split('.')[1]?.length ?? 0;
}
