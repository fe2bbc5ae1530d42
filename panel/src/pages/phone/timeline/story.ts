import { stepsOf } from '../../../../../replay/timeline/lasting-steps.ts';
import type { ActStep } from '../../../../../replay/timeline/gesture-steps.ts';
import type { Entry } from './timeline-query.ts';

type Values = Record<string, unknown>;

/** The verbs of sentences about files. */
const FILE_VERBS: Record<string, string> = { read: 'Read', write: 'Wrote', delete: 'Deleted' };

export function sentenceOf(entry: Entry): string {
  const { kind, request } = entry;
  switch (kind) {
    case 'act':
    case 'action':
    case 'input': {
      const steps = stepsOf(entry).map(stepWords);
      if (steps.length > 0) return capital(steps.join(', then '));
      return 'find_text' in request
        ? `Searched for ${quoted((request['find_text'] as Values)['text'])}`
        : 'Touched the screen';
    }
    case 'install':
      return `${request['job'] === 'uninstall' ? 'Removed' : 'Installed'} ${word(request['package'])}`;
    case 'exit': {
      const exit = request['exit'] as Values | undefined;
      return exit === undefined
        ? 'Got another address'
        : `Changed the exit to ${word(exit['type'])}, ${word(exit['country'])}`;
    }
    case 'snapshot': {
      const name = word(request['label'] ?? request['snapshot']);
      if (request['job'] === 'template') return `Made a template from the snapshot ${name}`;
      return request['job'] === 'restore' ? `Restored the snapshot ${name}` : `Took the snapshot ${name}`;
    }
    case 'adb_session':
      return `Used adb from ${word(request['address'])}`;
    case 'shell':
      return request['command'] === '' ? 'Opened a shell' : `Ran ${word(request['command'])}`;
    case 'conditions':
      return `Changed ${Object.keys(request).join(', ')}`;
    case 'file':
      return `${FILE_VERBS[String(request['operation'])] ?? 'Used'} the file ${word(request['path'])}`;
    case 'recording':
      return `Recorded the screen for ${Math.round(entry.duration_ms / 1_000)} s`;
    case 'handover': {
      const asked = `Asked a person: ${quoted(request['reason'])}`;
      return request['note'] === undefined ? asked : `${asked}, who wrote ${quoted(request['note'])}`;
    }
    case 'crash':
      return `${entry.app} ${request['type'] === 'anr' ? 'did not respond' : 'crashed'}`;
    case 'missed':
      return `${word(request['count'])} steps were not kept`;
  }
}

function stepWords(step: ActStep): string {
  const [kind = '', value] = Object.entries(step).find(([name]) => name !== 'expect') ?? [];
  const given = (value ?? {}) as Values;
  switch (kind) {
    case 'tap':
      return `tapped ${place(given)}`;
    case 'double_tap':
      return `tapped ${place(given)} twice`;
    case 'long_press':
      return `pressed ${place(given)} for long`;
    case 'type':
      return `typed ${typed(given)}${'target' in given ? ` into ${place(given['target'] as Values)}` : ''}`;
    case 'key':
      return `pressed ${word(given['name'] ?? given['names'])}`;
    case 'open_app':
      return `opened ${word(given['app'])}`;
    case 'open_url':
      return `opened ${word(given['url'])}`;
    case 'scroll':
      return `scrolled ${word(given['direction'])}`;
    case 'swipe':
      return 'direction' in given ? `swiped ${word(given['direction'])}` : 'swiped';
    case 'wait':
      return 'waited';
    case 'clipboard':
      return 'used the clipboard';
    case 'rotate':
      return `turned the screen to ${word(given['to'])}`;
    case 'notifications':
      return 'opened the notifications';
    default:
      return kind;
  }
}

function place({ text, element, x, y }: Values): string {
  if (text !== undefined) return quoted(text);
  return element === undefined ? `${word(x)}, ${word(y)}` : word(element);
}

function typed({ text, characters }: Values): string {
  if (typeof text === 'string' && text !== '') return quoted(text);
  return characters === undefined ? 'nothing' : `${word(characters)} characters`;
}

function quoted(value: unknown): string {
  return `“${word(value)}”`;
}

function word(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? '');
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
