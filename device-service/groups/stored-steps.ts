import { create, fromJsonString, toJsonString } from '@bufbuild/protobuf';
import type { SecretBox } from '../../kit/secret-box.js';
import { type GroupStep, GroupStepSchema } from '../../proto/gen/cloudphone/device/v1/group_pb.js';
import { CreateGroupRequestSchema } from '../../proto/gen/cloudphone/device/v1/group_service_pb.js';
import type { ActRequest } from '../../proto/gen/cloudphone/screen/v1/screen_service_pb.js';

/**
 * Steps as they are in the database: protobuf's JSON, sealed where there is a box, as they may hold texts to type into password
 * fields. `place` is the id of the document that they are in.
 */
export function storeSteps(steps: readonly GroupStep[], place: string, box: SecretBox | undefined): string {
  const json = toJsonString(CreateGroupRequestSchema, create(CreateGroupRequestSchema, { steps: [...steps] }));
  return box === undefined ? json : box.seal(json, place);
}

export function readSteps(stored: string, place: string, box: SecretBox | undefined): GroupStep[] {
  // Steps that were stored before there was a box are plain JSON.
  const json = stored.startsWith('{') ? stored : box?.open(stored, place);
  if (json === undefined) throw new Error(`the steps of ${place} were sealed with another SECRETS_KEY`);
  return fromJsonString(CreateGroupRequestSchema, json).steps;
}

/** The steps without texts that the caller called secret. */
export function withoutSecrets(steps: readonly GroupStep[]): GroupStep[] {
  return steps.map(({ kind }) =>
    create(GroupStepSchema, {
      kind: kind.case === 'act' ? { case: 'act', value: withoutSecretText(kind.value) } : kind,
    }),
  );
}

const HIDDEN = '***';

function withoutSecretText(act: ActRequest): ActRequest {
  const hide = <T extends ActRequest['step'] | ActRequest['steps'][number]['kind']>(step: T): T =>
    step.case === 'type' && step.value.secret === true ? { ...step, value: { ...step.value, text: HIDDEN } } : step;
  return { ...act, step: hide(act.step), steps: act.steps.map((step) => ({ ...step, kind: hide(step.kind) })) };
}
