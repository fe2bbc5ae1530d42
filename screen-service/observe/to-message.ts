import { create } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import {
  ImageFormat,
  type Observation as ObservationMessage,
  ObservationSchema,
  Warning,
} from '../../proto/gen/cloudphone/screen/v1/observation_pb.js';
import { centerOf } from '../tree/rectangle.js';
import type { Observation, ObservationWarning } from './observation.js';

const warningValues: Record<ObservationWarning, Warning> = {
  not_idle: Warning.NOT_IDLE,
  secure_window: Warning.SECURE_WINDOW,
  loading: Warning.LOADING,
  truncated: Warning.TRUNCATED,
  inconsistent: Warning.INCONSISTENT,
  picture_withheld: Warning.PICTURE_WITHHELD,
};

export function toMessage(observation: Observation): ObservationMessage {
  const { id, observedAtMs, front, screen, picture, content, warnings } = observation;
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
      },
    }),
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
    warnings: warnings.map((warning) => warningValues[warning]),
  });
}
