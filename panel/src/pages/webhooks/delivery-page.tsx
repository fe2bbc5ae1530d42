import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from 'wouter';
import { allOf } from '../../api/all-of.ts';
import { deliveryQuery, type Delivery, useRedelivery } from '../../deliveries/deliveries-query.ts';
import { outcomeHint, outcomeWords } from '../../deliveries/outcome-words.ts';
import { Card } from '../../parts/card.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { ErrorAlert } from '../../parts/error-alert.tsx';
import { type Fact, Facts } from '../../parts/facts.tsx';
import { Fetched } from '../../parts/fetched.tsx';
import forms from '../../parts/forms.module.css';
import { PageHeader } from '../../parts/page-header.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { TextLink } from '../../parts/text-link.tsx';
import { Moment } from '../../parts/time.tsx';
import classes from './webhooks.module.css';

/** One delivery: its payload, and each attempt with the response of the receiver. */
export default function DeliveryPage() {
  const { id } = useParams<{ id: string }>();
  const query = useQuery(deliveryQuery(id));
  const again = useRedelivery();
  const { delivery } = query.data ?? {};
  const { data: keys = [] } = useQuery({ queryKey: ['keys'], queryFn: () => allOf('/v1/keys', 'keys') });
  const keyNameOf = ({ key_id: keyId }: Delivery): string => keys.find((key) => key.id === keyId)?.name ?? keyId;
  return (
    <>
      <PageHeader
        title={delivery?.event ?? 'Delivery'}
        back={{ href: '/settings/webhooks', label: 'Webhooks' }}
        badge={delivery !== undefined && <StatusBadge state={delivery.state} />}
        actions={
          delivery !== undefined && (
            <Button
              loading={again.isPending}
              disabled={delivery.state === 'pending'}
              onClick={() => again.mutate(delivery.id)}
            >
              Send again
            </Button>
          )
        }
      />
      <div className={forms.fields}>
        <ErrorAlert error={again.error} />
        <Fetched query={query} what="the delivery">
          {(data) => (
            <>
              <Card title="About this delivery">
                <Facts facts={factsOf(data.delivery, keyNameOf(data.delivery))} />
              </Card>
              <Card title="Attempts">
                <Attempts delivery={data.delivery} />
              </Card>
              <Card title="Payload" actions={<CopyButton text={data.payload} what="the payload" />}>
                <pre className={classes.text} tabIndex={0} aria-label="Payload">
                  {pretty(data.payload)}
                </pre>
              </Card>
            </>
          )}
        </Fetched>
      </div>
    </>
  );
}

function factsOf({ id, device, url, key_id, created_at, next_attempt_at }: Delivery, keyName: string): Fact[] {
  return [
    ['Delivery', <code key="id">{id}</code>],
    ['Phone', device === '' ? undefined : <TextLink href={`/phones/${device}`}>{device}</TextLink>],
    ['URL', url],
    [
      'Key',
      <TextLink key="key" href={`/settings/keys/${key_id}`}>
        {keyName}
      </TextLink>,
    ],
    ['Time', <Moment key="time" at={created_at} />],
    ['Next attempt', next_attempt_at === undefined ? undefined : <Moment key="next" at={next_attempt_at} />],
  ];
}

function Attempts({ delivery: { attempts } }: { delivery: Delivery }) {
  if (attempts.length === 0) return <p className={forms.quiet}>The first attempt is on its way.</p>;
  return (
    <ol className={classes.attempts}>
      {attempts.map((attempt, index) => {
        const { at, error, ms, response } = attempt;
        const hint = outcomeHint(attempt);
        return (
          <li key={at}>
            <div className={classes.attempt}>
              <StatusBadge state={error === undefined ? 'delivered' : 'failed'}>{outcomeWords(attempt)}</StatusBadge>
              <span>
                Attempt {index + 1}, <Moment at={at} />, {ms} ms
              </span>
            </div>
            {hint !== undefined && <p className={forms.quiet}>{hint}</p>}
            {response !== undefined && (
              <pre className={classes.text} tabIndex={0} aria-label={`Response to attempt ${index + 1}`}>
                {response}
              </pre>
            )}
          </li>
        );
      })}
    </ol>
  );
}

/** Returns JSON in lines; another text is returned as it is. */
function pretty(payload: string): string {
  try {
    return JSON.stringify(JSON.parse(payload), null, 2);
  } catch {
    return payload;
  }
}
