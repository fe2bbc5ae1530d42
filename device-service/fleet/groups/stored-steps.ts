import { create, fromJsonString, toJsonString } from '@bufbuild/protobuf';
import { ApiError } from '../../../kit/errors/api-error.js';
import { type GroupStep, GroupStepSchema } from '../../../proto/gen/cloudphone/device/v1/group_pb.js';
import { CreateGroupRequestSchema } from '../../../proto/gen/cloudphone/device/v1/group_service_pb.js';
import type { ActRequest } from '../../../proto/gen/cloudphone/screen/v1/screen_service_pb.js';
import type { StepsBox } from './steps-box.js';

/** What responses show in place of a secret text. */
const HIDDEN = '***';

/**
 * Returns steps as they are stored: protobuf's JSON, encrypted where there is a key. `place` is the id of the document that the steps are
 * in. Throws bad_request for steps with a secret text where there is no key.
 */
export function storeSteps(steps: readonly GroupStep[], place: string, { seal }: StepsBox): string {
  assertNoneHidden(steps);
  if (seal !== undefined) return seal(jsonOf(steps), place);
  if (!hasSecrets(steps)) return jsonOf(steps);
  throw new ApiError(
    'bad_request',
    'steps: texts with secret: true are kept with the steps, and this service has no key to seal them with. Ask its operator to set ' +
      'SECRETS_KEY, or leave these texts out.',
  );
}

/** Throws bad_request for a secret text as responses show it. Stored, it would be typed in place of the text. */
function assertNoneHidden(steps: readonly GroupStep[]): void {
  const isHidden = (step: ActRequest['step'] | ActRequest['steps'][number]['kind']): boolean =>
    step.case === 'type' && step.value.secret === true && step.value.text === HIDDEN;
  const at = steps.findIndex(
    ({ kind }) =>
      kind.case === 'act' && (isHidden(kind.value.step) || kind.value.steps.some((step) => isHidden(step.kind))),
  );
  if (at < 0) return;
  throw new ApiError(
    'bad_request',
    `steps[${at}]: "${HIDDEN}" stands for a secret text that is not shown. Send the text itself, or leave steps out to keep them.`,
  );
}

export function readSteps(stored: string, place: string, box: StepsBox): GroupStep[] {
  const json = isPlain(stored) ? stored : box.open(stored, place);
  if (json === undefined)
    throw new Error(
      `the steps of ${place} were sealed with another SECRETS_KEY, or with the steps-key of another data folder`,
    );
  return stepsOf(json);
}

/** Returns whether steps are stored without encryption. */
export function isPlain(stored: string): boolean {
  return stored.startsWith('{');
}

/**
 * Returns plain steps in the form in which they are to be stored. If `lost`, the steps had secret texts, which were removed because there
 * is no key.
 */
export function sealPlainSteps(plain: string, place: string, { seal }: StepsBox): { steps: string; lost: boolean } {
  if (seal !== undefined) return { steps: seal(plain, place), lost: false };
  const steps = stepsOf(plain);
  const lost = hasSecrets(steps);
  return { steps: lost ? jsonOf(withoutSecrets(steps)) : plain, lost };
}

function jsonOf(steps: readonly GroupStep[]): string {
  return toJsonString(CreateGroupRequestSchema, create(CreateGroupRequestSchema, { steps: [...steps] }));
}

function stepsOf(json: string): GroupStep[] {
  return fromJsonString(CreateGroupRequestSchema, json).steps;
}

export function hasSecrets(steps: readonly GroupStep[]): boolean {
  return jsonOf(steps) !== jsonOf(withoutSecrets(steps));
}

/** Returns the steps without texts that the caller marked as secret. */
export function withoutSecrets(steps: readonly GroupStep[]): GroupStep[] {
  return steps.map(({ kind }) =>
    create(GroupStepSchema, {
      kind: kind.case === 'act' ? { case: 'act', value: withoutSecretText(kind.value) } : kind,
    }),
  );
}

function withoutSecretText(act: ActRequest): ActRequest {
  const hide = <T extends ActRequest['step'] | ActRequest['steps'][number]['kind']>(step: T): T =>
    step.case === 'type' && step.value.secret === true && step.value.text !== ''
      ? { ...step, value: { ...step.value, text: HIDDEN } }
      : step;
  return { ...act, step: hide(act.step), steps: act.steps.map((step) => ({ ...step, kind: hide(step.kind) })) };
}
