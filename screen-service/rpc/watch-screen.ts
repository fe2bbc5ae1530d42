import { begunAhead } from '../../kit/async/begun-ahead.js';
import { create } from '@bufbuild/protobuf';
import { type Call, withinCall } from '../../kit/call/call.js';
import type { Clock } from '../../kit/async/clock.js';
import { ApiError, INTERNAL_MESSAGE } from '../../kit/errors/api-error.js';
import { LeasedAway } from '../../kit/errors/leased-away.js';
import { createId } from '../../kit/text/ids.js';
import { TimelineKind } from '../../proto/gen/cloudphone/device/v1/timeline_pb.js';
import { Scope } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import {
  type WatchScreenRequest,
  type WatchScreenResponse,
  WatchScreenResponseSchema,
} from '../../proto/gen/cloudphone/screen/v1/live_pb.js';
import { ImageFormat } from '../../proto/gen/cloudphone/screen/v1/observation_pb.js';
import { DEFAULT_JPEG_QUALITY, jpeg, png } from '../capture/encode.js';
import { releaseHeld, sendInput } from '../input/send-input.js';
import type { ViewerRoom } from './viewer-room.js';
import { type LiveMessage, Watch } from '../live/watch.js';
import type { Frame } from '../capture/captures.js';
import type { Locate, Located, PhoneExists } from '../phones/locate.js';
import type { GestureBeginning, GestureScreens } from '../timeline/gesture-screens.js';
import { LiveGestures } from '../timeline/live-gestures.js';
import { recordGesture } from '../timeline/record-gesture.js';
import type { InputScreens } from '../timeline/record-input.js';
import type { SmallPictures } from '../timeline/small-pictures.js';
import type { TimelineRecorder } from '../timeline/timeline-recorder.js';
import { toRawEvent } from './to-raw-event.js';

const DEFAULT_FPS = 30;

/** Time limit for locating the phone, ms. */
const LOCATE_MS = 10_000;

/** Time for one message of input, ms: its waits may add up to 60 s. */
const INPUT_MS = 75_000;

/** While a finger of the stream is down, the permission to move it is checked again after this, ms. */
const PERMITTED_MS = 1_000;

export interface WatchScreenParts {
  phoneExists: PhoneExists;
  locate: Locate;
  clock: Clock;
  room: ViewerRoom;
  recorder: TimelineRecorder;
  inputs: InputScreens;
  gestureScreens: GestureScreens;
  pictures: SmallPictures;
}

/** Serves one viewer's stream: the first request names the device and the form of the pictures, each later one is input. */
export async function* watchScreen(
  requests: AsyncIterable<WatchScreenRequest>,
  call: Call,
  { locate, phoneExists, clock, room, recorder, inputs, gestureScreens, pictures }: WatchScreenParts,
): AsyncGenerator<WatchScreenResponse, void, undefined> {
  const iterator = requests[Symbol.asyncIterator]();
  const opening = await iterator.next();
  if (opening.done === true)
    throw new ApiError('bad_request', 'The first message is missing: it names the device to watch.');
  const { name, format, quality, maxSize, fps } = opening.value;
  if (opening.value.events.length > 0) throw new ApiError('bad_request', 'events: the first message has none.');
  const find = (): Promise<Located> =>
    withinCall(call, { clock, timeoutMs: LOCATE_MS }, (own) => locate(own, name, Scope.READ, { shares: true }));
  const found = await find();
  const { phoneSession } = found;
  let mayControl = found.mayControl;
  const findAgain = async (): Promise<Located> => {
    try {
      const again = await find();
      // A viewer that could touch is ended by a lease of another caller. When it connects again, it may watch.
      if (mayControl && again.refusal !== undefined) throw new LeasedAway(again.refusal);
      mayControl = again.mayControl;
      return again;
    } catch (error) {
      // A share ends with its device, and its caller is refused from then on. The viewer is to know which of the two has ended.
      const isRefused = error instanceof ApiError && error.kind === 'unauthorized';
      // Where that is unknown, as with an older device service, the viewer gets the refusal.
      const exists = !isRefused || (await phoneExists(phoneSession.phone.phoneId).catch(() => true));
      throw exists ? error : new ApiError('not_found', 'The device is gone.');
    }
  };
  const leaveRoom = room.enter(found);
  // Fingers that stay on the screen between messages belong to this stream, and are lifted when it ends.
  const holder = createId('live', clock.now());
  let touched = phoneSession;
  /** The phone of the gesture that is under way, and the screen before the gesture. */
  let gesture: { located: Located; before: Frame | undefined; beginning: GestureBeginning; atMs: number } | undefined;
  const gestures = new LiveGestures(clock, (request) => {
    const begun = gesture;
    if (begun === undefined) return;
    const { located, before, beginning, atMs } = begun;
    const own = located.phoneSession;
    recorder.add(located, { kind: TimelineKind.INPUT, atMs, durationMs: clock.now() - atMs }, () => {
      const { lastMs } = own.inputs;
      const after = begunAhead(gestureScreens.after(call, own));
      return recordGesture(pictures, own, { request, before, beginning, after, lastMs });
    });
  });
  // The screen before the first gesture.
  if (found.timeline && mayControl) void begunAhead(gestureScreens.open(call, phoneSession));
  let located: Located | undefined;
  let permittedMs = -Infinity;
  const watch = new Watch(call, phoneSession, {
    clock,
    image: format === ImageFormat.PNG ? png(maxSize) : jpeg(quality ?? DEFAULT_JPEG_QUALITY, maxSize),
    video: format === ImageFormat.H264 ? 'always' : format === ImageFormat.AUTO ? 'where-offered' : 'never',
    fps: fps ?? DEFAULT_FPS,
    locate: async () => (await findAgain()).phoneSession,
    onLeave: () => {
      leaveRoom();
      gestures.end();
      releaseHeld(touched, holder).catch((error: unknown) => {
        touched.log.warn({ err: error }, 'fingers of a viewer that left could not be lifted');
      });
    },
  });
  void takeInput(iterator, watch, async ({ events, silent }) => {
    if (silent === true) {
      if (events.length > 0) throw new ApiError('bad_request', 'events: a message that is silent has none.');
      await releaseHeld(touched, holder);
      gestures.end();
      return;
    }
    if (events.length === 0) throw new ApiError('bad_request', 'events: at least one is needed.');
    // Input needs more permission than watching, and the phone may have restarted.
    await withinCall(call, { clock, timeoutMs: INPUT_MS }, async (own) => {
      const isKnown = touched.fingers.isHeldBy(holder) && clock.monotonicMs() - permittedMs < PERMITTED_MS;
      if (!isKnown) {
        located = await locate(own, name, Scope.CONTROL, { shares: true });
        touched = located.phoneSession;
        permittedMs = clock.monotonicMs();
      }
      if (!gestures.isOpen && located?.timeline === true)
        gesture = { located, before: inputs.now(touched), beginning: gestureScreens.begin(touched), atMs: clock.now() };
      gestures.wait();
      let done: typeof events = [];
      try {
        const sent = begunAhead(sendInput(own, touched, events.map(toRawEvent), holder, { isStream: true }));
        touched.live.yieldTo(sent);
        await sent;
        if (located?.timeline === true) done = events;
      } finally {
        gestures.add(done, touched.fingers.isHeldBy(holder));
      }
    });
  });
  for await (const message of watch.messages()) yield toResponse(message);
}

/** Performs the messages of input in order, until the viewer sends no more. Errors are sent to the viewer. */
async function takeInput(
  requests: AsyncIterator<WatchScreenRequest>,
  watch: Watch,
  send: (request: WatchScreenRequest) => Promise<void>,
): Promise<void> {
  for (;;) {
    let request: WatchScreenRequest;
    try {
      const next = await requests.next();
      if (next.done === true) return;
      request = next.value;
    } catch (error) {
      watch.end(error);
      return;
    }
    try {
      await send(request);
    } catch (error) {
      if (watch.isOver) return;
      await watch.fail(
        error instanceof ApiError ? error : new ApiError('internal', INTERNAL_MESSAGE, { cause: error }),
      );
    }
  }
}

function toResponse(message: LiveMessage): WatchScreenResponse {
  return create(WatchScreenResponseSchema, { message: toMember(message) });
}

function toMember(message: LiveMessage) {
  switch (message.kind) {
    case 'frame': {
      const { kind, ...value } = message;
      return { case: kind, value };
    }
    case 'error':
      return { case: message.kind, value: { error: message.error.kind, message: message.error.message } };
    case 'hello':
    case 'screen':
      return {
        case: message.kind,
        value: { screen: message.screen, format: formats[message.format], ...codecOf(message) },
      };
  }
}

const formats = { png: ImageFormat.PNG, jpeg: ImageFormat.JPEG, h264: ImageFormat.H264 } as const;

function codecOf({ codec }: { codec: string | undefined }) {
  return codec === undefined ? {} : { codec };
}
