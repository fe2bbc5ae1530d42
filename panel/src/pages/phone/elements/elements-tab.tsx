import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { api, type Device, type Schemas, take } from '../../../api/client.ts';
import { Card } from '../../../parts/card.tsx';
import { EmptyState } from '../../../parts/empty-state.tsx';
import { ErrorAlert } from '../../../parts/error-alert.tsx';
import { Loading } from '../../../parts/loading.tsx';
import classes from './elements.module.css';
import { useSeenElements } from './seen-elements.tsx';

type Element = Schemas['Element'];

/**
 * Lists the elements on the screen, as programs see them, with a button to tap each. It is also for people who cannot see the screen or
 * have no mouse.
 */
export default function ElementsTab({ device: { name } }: { device: Device }) {
  const { observation, error, mark, refresh } = useSeenElements();
  const tap = useMutation({
    mutationFn: ({ id, center: { x, y } }: Element) => {
      const body = { tap: id === undefined ? { x, y } : { element: id }, observe: 'none' as const };
      return take(api.POST('/v1/devices/{name}/act', { params: { path: { name } }, body }));
    },
    onSettled: refresh,
  });
  if (observation === undefined)
    return error === null ? <Loading what="the elements" /> : <ErrorAlert error={error} onRetry={refresh} />;
  const { app = '', activity = '', elements = [], warnings = [] } = observation;
  return (
    <Card title="On the screen" description={`${app}${activity}`}>
      <ErrorAlert error={tap.error} />
      {warnings.length > 0 && <p>Warnings: {warnings.join(', ')}</p>}
      {elements.length === 0 && (
        <EmptyState title="No elements">The screen shows a picture, with nothing that a program could name.</EmptyState>
      )}
      <ul className={classes.elements}>
        {elements.map((element) => (
          <li
            key={element.id}
            className={classes.element}
            onMouseEnter={() => mark(element.id)}
            onMouseLeave={() => mark(undefined)}
          >
            <span>
              {nameOf(element)}
              <small>
                {element.id} · {element.role}
                {element.states?.includes('checked') && ' · checked'}
                {element.resource_id !== undefined && ` · ${element.resource_id}`}
              </small>
            </span>
            {isTappable(element) && (
              <Button
                size="compact-xs"
                variant="default"
                onFocus={() => mark(element.id)}
                onBlur={() => mark(undefined)}
                loading={tap.isPending && tap.variables === element}
                onClick={() => tap.mutate(element)}
                aria-label={`Tap ${nameOf(element)}`}
              >
                Tap
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}

function nameOf({ text, label, role = 'element' }: Element): string {
  return text ?? label ?? role;
}

function isTappable({ states = [] }: Element): boolean {
  return ['clickable', 'editable', 'checkable'].some((state) => states.includes(state));
}
