import { create } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import {
  ElementsForm,
  ImageFormat,
  type Observation as ObservationMessage,
  ObservationSchema,
  Warning,
} from '../../proto/gen/cloudphone/screen/v1/observation_pb.js';
import { sameWindow } from '../display/foreground.js';
import { changedText, elementsText } from '../tree/elements-text.js';
import { centerOf } from '../shapes/rectangle.js';
import type { Observation, ObservationWarning, RememberedObservation } from './observation.js';

const warningValues: Record<ObservationWarning, Warning> = {
  not_idle: Warning.NOT_IDLE,
  secure_window: Warning.SECURE_WINDOW,
  screen_off: Warning.SCREEN_OFF,
  loading: Warning.LOADING,
  truncated: Warning.TRUNCATED,
  inconsistent: Warning.INCONSISTENT,
  picture_withheld: Warning.PICTURE_WITHHELD,
  late_picture: Warning.LATE_PICTURE,
  late_elements: Warning.LATE_ELEMENTS,
};

/** Returns the observation as it is sent; `latest` is the one that the caller got before it. */
export function toMessage(
  observation: Observation,
  form: ElementsForm,
  latest: RememberedObservation | undefined,
): ObservationMessage {
  const { id, observedAtMs, front, screen, picture, pictured, pictureAgeMs, elementsAgeMs, content, warnings } =
    observation;
  return create(ObservationSchema, {
    id,
    observedAt: timestampFromMs(observedAtMs),
    app: front.app,
    activity: front.activity,
    screen,
    ...(picture !== undefined && {
      screenshot: {
        format: picture.format === 'png' ? ImageFormat.PNG : ImageFormat.JPEG,
        width: picture.width,
        height: picture.height,
        scale: picture.scale,
        data: picture.data,
        ...(pictureAgeMs !== undefined && { ageMs: pictureAgeMs }),
      },
    }),
    ...(elementsAgeMs !== undefined && { elementsAgeMs }),
    ...(picture === undefined && pictured !== undefined && { screenshotSameAs: pictured.id }),
    ...(form === ElementsForm.FULL
      ? {
          elements: content.elements.map((element) => ({
            id: element.id,
            role: element.role,
            text: element.text,
            label: element.label,
            resourceId: element.resourceId,
            bounds: element.bounds,
            center: centerOf(element.bounds),
            states: element.states,
          })),
        }
      : textOf(observation, form === ElementsForm.CHANGED ? latest : undefined)),
    warnings: warnings.map((warning) => warningValues[warning]),
  });
}

/** Returns the elements as text: those that differ from `latest` where that is possible and shorter, else all. */
function textOf(
  { front, content, warnings }: Observation,
  latest: RememberedObservation | undefined,
): { elementsText: string; changedSince?: string } {
  const whole = elementsText(content.elements);
  const bothListed = latest !== undefined && !latest.warnings.includes('not_idle') && !warnings.includes('not_idle');
  if (!bothListed || !sameWindow(latest.front, front)) return { elementsText: whole };
  const changed = changedText(latest.content.elements, content.elements);
  return changed.length <= whole.length ? { elementsText: changed, changedSince: latest.id } : { elementsText: whole };
}
