import type { CloudPhoneEvent } from '../../../client/src/events.js';
import type { Invocation } from '../command/command.js';
import { UsageError } from '../output/usage-error.js';
import { plainLine } from '../output/plain-text.js';
import { openService } from '../service/connection.js';

const EVENT_TYPES = [
  'job.finished',
  'health.problem',
  'health.resolved',
  'recording.finished',
  'lease.begun',
  'lease.ended',
  'handover.begun',
  'handover.ended',
  'app.crashed',
  'app.not_responding',
  'key.expiring',
  'device.state',
] as const;

export async function run(invocation: Invocation): Promise<void> {
  const { words, options, terminal, signal } = invocation;
  const [device] = words;
  const { phone } = openService(invocation);
  const types = options.texts('type').map(typeOf);
  const lastEventId = options.text('after');
  const wanted = {
    types,
    signal,
    ...(device !== undefined && { device }),
    ...(lastEventId !== undefined && { lastEventId }),
  };
  for await (const event of phone.events(wanted))
    terminal.line(options.flag('json') ? JSON.stringify(event) : plainLine(eventText(event)));
}

function eventText(event: CloudPhoneEvent): string {
  return `${event.ts}  ${'phone' in event && event.phone !== '' ? event.phone : '-'}  ${event.event}  ${detailOf(event)}`;
}

function detailOf(event: CloudPhoneEvent): string {
  switch (event.event) {
    case 'device.state':
      return event.state;
    case 'recording.finished':
      return `${event.recording.id} ${event.recording.state}`;
    case 'lease.begun':
      return `${event.lease.id} ${event.lease.holder.name}`;
    case 'lease.ended':
      return `${event.lease.id} ${event.reason}`;
    case 'handover.begun':
      return `${event.handover.id} ${event.handover.reason}`;
    case 'handover.ended':
      return `${event.handover.id} ${event.handover.state}`;
    case 'health.problem':
    case 'health.resolved':
      return event.problem.message;
    case 'key.expiring':
      return `${event.name} until ${event.expires_at}`;
    case 'app.crashed':
    case 'app.not_responding':
      return `${event.crash} ${event.process}: ${event.reason}`;
    case 'job.finished': {
      const { kind, state, error } = event.job;
      return `${kind} ${state}${error === undefined ? '' : `: ${error.message}`}`;
    }
  }
}

function typeOf(text: string): CloudPhoneEvent['event'] {
  const type = EVENT_TYPES.find((one) => one === text);
  if (type === undefined) throw new UsageError(`--type is "${text}". It must be one of ${EVENT_TYPES.join(', ')}.`);
  return type;
}
