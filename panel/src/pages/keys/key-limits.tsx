import { NumberInput, Textarea, TextInput } from '@mantine/core';
import { Card } from '../../parts/card.tsx';
import forms from '../../parts/forms.module.css';
import { dayOf, type KeyDraft } from './key-draft.ts';

interface Props {
  draft: KeyDraft;
  onChange: (part: Partial<KeyDraft>) => void;
  /** Faults of the fields, by their names in the API. */
  at: { expires_at?: string; allow?: string; requests_per_minute?: string };
}

/** What makes a key that is lost less dangerous: when it ends, where it works from, and how much it may do. */
export function KeyLimits({ draft: { lastDay, allow, requestsPerMinute }, onChange, at }: Props) {
  return (
    <Card title="Limits" description="A key that somebody else finds can do less. All of them can be left empty.">
      <div className={forms.fields}>
        <TextInput
          type="date"
          label="Last day"
          description="On which it works. Empty: until it is revoked."
          min={dayOf(new Date())}
          value={lastDay}
          onChange={({ currentTarget }) => onChange({ lastDay: currentTarget.value })}
          error={at.expires_at}
        />
        <Textarea
          label="Addresses"
          description="IPv4 or IPv6 addresses or ranges that it works from, each on a line. Empty: from everywhere."
          placeholder="203.0.113.0/24"
          autosize
          minRows={2}
          maxRows={8}
          value={allow}
          onChange={({ currentTarget }) => onChange({ allow: currentTarget.value })}
          error={at.allow}
          autoComplete="off"
          spellCheck={false}
        />
        <NumberInput
          label="Requests a minute"
          description="At most. Empty: as many as the operator lets each key."
          min={1}
          max={1_000_000}
          allowDecimal={false}
          value={requestsPerMinute}
          onChange={(value) => onChange({ requestsPerMinute: typeof value === 'number' ? value : '' })}
          error={at.requests_per_minute}
        />
      </div>
    </Card>
  );
}
