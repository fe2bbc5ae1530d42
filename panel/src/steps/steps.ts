import type { Schemas } from '../api/client.ts';

export type GroupStep = Schemas['GroupStepInput'];

/** The kinds of steps that people choose from. Kind `json` is for all other steps. */
export const STEP_NAMES = {
  start: 'Start the phone',
  stop: 'Stop the phone',
  restart: 'Restart the phone',
  install: 'Install an app',
  open_app: 'Open an app',
  tap: 'Tap a text on the screen',
  type: 'Type a text',
  wait: 'Wait',
  record: 'Record the screen',
  stop_recording: 'Stop the recording',
  json: 'Something else, as JSON',
} as const;

export type StepKind = keyof typeof STEP_NAMES;

/** Label of the field beside the kind. Absent: there is no field. */
export const STEP_LABELS: Partial<Record<StepKind, string>> = {
  install: 'App of the catalogue',
  open_app: 'Name or package of the app',
  tap: 'Text to tap',
  type: 'Text to type',
  wait: 'Seconds',
  json: 'Step as JSON',
};

/** A step while it is edited. */
export interface Draft {
  /** Id of this draft, for React. */
  id: number;
  kind: StepKind;
  /** The text of the field beside the kind. */
  text: string;
}

let drafts = 0;

export function newDraft(kind: StepKind, text = ''): Draft {
  return { id: drafts++, kind, text };
}

/** Returns the steps of drafts. Throws an Error with a text for people where JSON is not valid. */
export function stepsOf(drafts: readonly Draft[]): GroupStep[] {
  return drafts.map((draft, index) => {
    try {
      return stepOf(draft);
    } catch (cause) {
      throw new Error(`Step ${index + 1} is not valid JSON. An example: {"act": {"scroll": {"direction": "down"}}}`, {
        cause,
      });
    }
  });
}

function stepOf({ kind, text }: Draft): GroupStep {
  switch (kind) {
    case 'start':
      return { start: {} };
    case 'stop':
      return { stop: {} };
    case 'restart':
      return { restart: {} };
    case 'install':
      return { install: { app: text } };
    case 'open_app':
      return { open_app: { app: text } };
    case 'tap':
      return { action: { tap: { text } } };
    case 'type':
      return { action: { type: { text } } };
    case 'wait':
      return { wait: { ms: Math.round(Number(text) * 1000) } };
    case 'record':
      return { record: {} };
    case 'stop_recording':
      return { stop_recording: {} };
    case 'json':
      return JSON.parse(text) as GroupStep;
  }
}

/** Returns the draft of a step; the inverse of stepOf. */
export function draftOf(step: Schemas['GroupStep']): Draft {
  const found = NAMED_KINDS.map((kind) => newDraft(kind, textIn(step, kind))).find(
    (draft) => JSON.stringify(stepOf(draft)) === JSON.stringify(step),
  );
  return found ?? newDraft('json', JSON.stringify(step));
}

const NAMED_KINDS = (Object.keys(STEP_NAMES) as StepKind[]).filter((kind) => kind !== 'json');

function textIn({ install, open_app, action, wait }: Schemas['GroupStep'], kind: StepKind): string {
  switch (kind) {
    case 'install':
      return install?.app ?? '';
    case 'open_app':
      return open_app?.app ?? '';
    case 'tap':
      return action?.tap?.text ?? '';
    case 'type':
      return action?.type?.text ?? '';
    case 'wait':
      return wait === undefined ? '' : String(wait.ms / 1000);
    default:
      return '';
  }
}

/** Returns a step in words. */
export function describeStep(step: Schemas['GroupStep']): string {
  const { kind, text } = draftOf(step);
  if (kind === 'json') return text;
  if (kind === 'wait') return `Wait ${text} s`;
  return text === '' ? STEP_NAMES[kind] : `${STEP_NAMES[kind]}: ${text}`;
}
