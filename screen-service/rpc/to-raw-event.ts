import { type InputEvent, KeyPhase, TouchPhase } from '../../proto/gen/cloudphone/screen/v1/input_pb.js';
import type { RawEvent } from '../input/plan-input.js';

const touchPhases = { [TouchPhase.DOWN]: 'down', [TouchPhase.MOVE]: 'move', [TouchPhase.UP]: 'up' } as const;
const keyPhases = { [KeyPhase.DOWN]: 'down', [KeyPhase.UP]: 'up', [KeyPhase.PRESS]: 'press' } as const;

/** Turns an input event of the request into the type that the input operation takes. */
export function toRawEvent({ kind, atMs }: InputEvent): RawEvent {
  switch (kind.case) {
    case 'touch': {
      const { phase, x, y, pointer = 0 } = kind.value;
      if (phase === TouchPhase.UNSPECIFIED) break;
      return { kind: 'touch', phase: touchPhases[phase], x, y, pointer, atMs };
    }
    case 'key': {
      const { name, phase = KeyPhase.PRESS } = kind.value;
      if (phase === KeyPhase.UNSPECIFIED) break;
      return { kind: 'key', name, phase: keyPhases[phase] };
    }
    case 'wait':
      return { kind: 'wait', ms: kind.value.ms };
    case 'text':
      return { kind: 'text', text: kind.value.text };
    case undefined:
      break;
  }
  throw new Error('an incomplete event passed the validation');
}
