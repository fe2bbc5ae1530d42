import type { IncomingMessage } from 'node:http';
import accepts from 'accepts';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { ConnectRouter, HandlerContext } from '@connectrpc/connect';
import type { Call } from '../../kit/call/call.js';
import type { Clock } from '../../kit/async/clock.js';
import { pageOfAll } from '../../kit/call/page.js';
import { callOf } from '../../kit/rpc/context.js';
import { scopeOf } from '../../kit/rpc/mesh.js';
import { whileAllowed } from '../../kit/rpc/while-allowed.js';
import { TimelineKind } from '../../proto/gen/cloudphone/device/v1/timeline_pb.js';
import { ElementsForm, ImageFormat } from '../../proto/gen/cloudphone/screen/v1/observation_pb.js';
import {
  type ActRequest,
  ActWarningKind,
  type GetScreenshotRequest,
  ObservedImage,
  ObserveDetail,
  type ObserveRequest,
  type PerformActionRequest,
  PerformActionRequestSchema,
  ScreenChange,
  ScreenService,
  SendInputRequestSchema,
} from '../../proto/gen/cloudphone/screen/v1/screen_service_pb.js';
import { act } from '../act/act.js';
import type { CrashUnder } from '../act/crash-under.js';
import { type Action, performAction } from '../action/perform-action.js';
import { DEFAULT_JPEG_QUALITY, type ImageSpec, jpeg, png } from '../capture/encode.js';
import { takeScreenshot } from '../live/screenshot.js';
import { assertOnScreen } from '../input/screen-bounds.js';
import { sendInput } from '../input/send-input.js';
import { readLogs } from '../logs/read-logs.js';
import { followLogs } from '../logs/follow-logs.js';
import { streamLogs } from '../logs/stream-logs.js';
import { ViewerRoom } from './viewer-room.js';
import type { LastObservations } from '../observe/last-observations.js';
import type { PictureRequest } from '../observe/observation.js';
import { observe } from '../observe/observe.js';
import { toMessage } from '../observe/to-message.js';
import { assertNotLeased, assertSamePhone, type Locate, type Located, type PhoneExists } from '../phones/locate.js';
import type { PhoneSession } from '../phones/phone-session.js';
import { recordAct } from '../timeline/record-act.js';
import type { GestureScreens } from '../timeline/gesture-screens.js';
import { InputScreens } from '../timeline/record-input.js';
import { SmallPictures } from '../timeline/small-pictures.js';
import type { TimelineRecorder } from '../timeline/timeline-recorder.js';
import { toFilter, toLogEvents, toLogLine } from './log-messages.js';
import { toRawEvent } from './to-raw-event.js';
import { toSteps } from './to-step.js';
import { watchScreen } from './watch-screen.js';
import { whilePermitted } from './while-permitted.js';

const DEFAULT_LINES = 500;
const DEFAULT_SETTLE_MS = 300;
const DEFAULT_TIMEOUT_MS = 10_000;

/** Longest side of a picture that comes with elements, px: models use no more detail, and a smaller picture costs less. */
const DEFAULT_PICTURE_PX = 1_024;

export interface ScreenRoutesParts {
  locate: Locate;
  phoneExists: PhoneExists;
  observations: LastObservations;
  clock: Clock;
  recorder: TimelineRecorder;
  gestureScreens: GestureScreens;
}

/** Unpacks requests, calls the operation, packs its result. */
export function screenRoutes({
  locate,
  phoneExists,
  observations,
  clock,
  recorder,
  gestureScreens,
}: ScreenRoutesParts): (router: ConnectRouter) => void {
  /** Returns the call of an rpc, and the phone it is about. */
  const begin = async ({ name }: { name: string }, context: HandlerContext): Promise<Located & { call: Call }> => {
    const call = callOf(context);
    return { call, ...(await locate(call, name, scopeOf(context.method))) };
  };
  /** Does work that changes the phone of the device `name`, until another caller leases it. */
  const changing = <T>(call: Call, name: string, work: (part: Call) => Promise<T>): Promise<T> =>
    whilePermitted(call, { clock, check: (part) => assertNotLeased(locate, part, name) }, work);
  /** Returns the check of a stream that is under way. */
  const whileSamePhone =
    (call: Call, name: string, { phone: { phoneId } }: PhoneSession, { method }: HandlerContext) =>
    (): Promise<void> =>
      assertSamePhone(locate, call, { name, scope: scopeOf(method), phoneId });
  const pictures = new SmallPictures();
  const inputs = new InputScreens(pictures);
  const room = new ViewerRoom(clock);
  return (router) => {
    router.service(ScreenService, {
      getScreenshot: async (request, context) => {
        const { call, phoneSession } = await begin(request, context);
        const frame = await takeScreenshot(call, phoneSession, screenshotSpec(request), request.ifNoneMatch);
        const { contentType, etag, data, notModified, ageMs } = frame;
        return { image: { contentType, etag, data, notModified, ...(ageMs !== undefined && { ageMs }) } };
      },
      performAction: async (request, context) => {
        const located = await begin(request, context);
        const { call, phoneSession, keyId } = located;
        const lastObservation = observations.lastObservationOf(keyId, phoneSession.phone);
        const before = inputs.now(phoneSession);
        const perform = () =>
          changing(call, request.name, (part) => performAction(part, phoneSession, toAction(request), lastObservation));
        const record = () => inputs.record(phoneSession, PerformActionRequestSchema, request, before);
        return { matches: await recorder.run(located, TimelineKind.ACTION, perform, record) };
      },
      sendInput: async (request, context) => {
        const located = await begin(request, context);
        const { call, phoneSession, keyId } = located;
        const before = inputs.now(phoneSession);
        const send = () =>
          changing(call, request.name, (part) => sendInput(part, phoneSession, request.events.map(toRawEvent), keyId));
        const record = () => inputs.record(phoneSession, SendInputRequestSchema, request, before);
        return { sent: await recorder.run(located, TimelineKind.INPUT, send, record) };
      },
      watchScreen: (requests, context) =>
        watchScreen(requests, callOf(context), {
          ...{ locate, phoneExists, clock, room, recorder, inputs, gestureScreens, pictures },
        }),
      listViewers: async (request, context) => {
        const { phoneSession } = await begin(request, context);
        // The viewers of the account come first.
        const { items, ...page } = pageOfAll(
          room.viewersOf(phoneSession.phone.phoneId),
          request,
          ({ share = '-' }) => share,
        );
        return {
          viewers: items.map(({ sinceMs, ...counted }) => ({ ...counted, since: timestampFromMs(sinceMs) })),
          ...page,
        };
      },
      getLogs: async (request, context) => {
        const { call, phoneSession } = await begin(request, context);
        const { lines, text } = await readLogs(call, phoneSession, toFilter(request), request.lines ?? DEFAULT_LINES);
        if (!prefersPlainText(request.accept)) return { lines: lines.map(toLogLine) };
        return { text: { contentType: 'text/plain; charset=utf-8', data: Buffer.from(text) } };
      },
      async *streamLogs(request, context) {
        const { call, phoneSession } = await begin(request, context);
        const isAllowed = whileSamePhone(call, request.name, phoneSession, context);
        const log = streamLogs(call, phoneSession, toFilter(request));
        for await (const { lines } of whileAllowed(log, isAllowed, clock, call.signal))
          yield { lines: lines.map(toLogLine) };
      },
      async *followLogs(request, context) {
        const { call, phoneSession } = await begin(request, context);
        const isAllowed = whileSamePhone(call, request.name, phoneSession, context);
        const { level, tag } = toFilter(request);
        const log = followLogs(call, phoneSession, { level, tag }, request.sinceLines ?? 0);
        for await (const taken of whileAllowed(log, isAllowed, clock, call.signal)) {
          for (const event of toLogEvents(taken)) yield { event };
        }
      },
      observe: async (request, context) => {
        const { call, phoneSession, keyId } = await begin(request, context);
        const lastObservation = observations.lastObservationOf(keyId, phoneSession.phone);
        const observation = await observe(call, phoneSession, lastObservation, observePicture(request));
        lastObservation.remember(observation);
        return { observation: toMessage(observation, request.elements ?? ElementsForm.FULL, observation.before) };
      },
      act: async (request, context) => {
        const located = await begin(request, context);
        const { call, phoneSession, keyId } = located;
        const { steps, points, secrets } = toSteps(request);
        await assertOnScreen(call, phoneSession, points);
        const detail = request.observe ?? ObserveDetail.FULL;
        const plan = {
          steps,
          secrets,
          screenOnFailure: request.screenOnFailure ?? false,
          settleMs: request.settleMs ?? DEFAULT_SETTLE_MS,
          timeoutMs: request.timeoutMs ?? DEFAULT_TIMEOUT_MS,
          observe: detail !== ObserveDetail.NONE,
          picture: detail === ObserveDetail.FULL ? actPicture(request) : undefined,
        };
        const lastObservation = observations.lastObservationOf(keyId, phoneSession.phone);
        const outcome = await recorder.run(
          located,
          TimelineKind.ACT,
          () => changing(call, request.name, (part) => act(part, phoneSession, plan, lastObservation)),
          (ended) => recordAct(pictures, phoneSession, { request, typedNow: secrets }, ended),
        );
        const { settled, expectMet, waitedMs, stepsDone, failed, changed, clipboard, crash, observation } = outcome;
        if (observation !== undefined) lastObservation.remember(observation);
        return {
          settled,
          expectMet,
          waitedMs,
          stepsDone,
          ...(failed !== undefined && {
            failed: {
              step: failed.step,
              error: failed.kind,
              message: failed.message,
              ...(failed.sent && { sent: true }),
            },
          }),
          ...(changed !== undefined && { screen: changed ? ScreenChange.CHANGED : ScreenChange.UNCHANGED }),
          ...(clipboard !== undefined && { clipboard }),
          ...(crash !== undefined && { warnings: [toWarning(crash)] }),
          ...(observation !== undefined && {
            observation: toMessage(observation, request.elements ?? ElementsForm.FULL, observation.before),
          }),
        };
      },
    });
  };
}

function toWarning({ id, package: name, reason }: CrashUnder) {
  const crash = id === undefined ? {} : { crash: id };
  return { warning: ActWarningKind.APP_CRASHED, package: name, reason, ...crash };
}

function screenshotSpec({ format, quality, maxSize }: GetScreenshotRequest): ImageSpec {
  return format === ImageFormat.JPEG ? jpeg(quality ?? DEFAULT_JPEG_QUALITY, maxSize) : png(maxSize);
}

function observePicture({ screenshot, quality, maxSize, marks = false }: ObserveRequest): PictureRequest | undefined {
  if (screenshot === ObservedImage.NONE) return undefined;
  const spec = pictureSpec(screenshot === ObservedImage.PNG, quality, maxSize);
  return { spec, marks };
}

function actPicture({ format, quality, maxSize, marks = false }: ActRequest): PictureRequest {
  return { spec: pictureSpec(format === ImageFormat.PNG, quality, maxSize), marks };
}

function pictureSpec(isPng: boolean, quality = DEFAULT_JPEG_QUALITY, maxSizePx = DEFAULT_PICTURE_PX): ImageSpec {
  return isPng ? png(maxSizePx) : jpeg(quality, maxSizePx);
}

function toAction({ action }: PerformActionRequest): Action {
  switch (action.case) {
    case 'openApp':
      return { kind: 'open_app', app: action.value.app };
    case 'tap': {
      const { text, x = 0, y = 0 } = action.value;
      return { kind: 'tap', target: text === undefined ? { x, y } : { text } };
    }
    case 'type':
      return { kind: 'type', text: action.value.text };
    case 'findText':
      return { kind: 'find_text', text: action.value.text, exact: action.value.exact ?? false };
    case undefined:
      throw new Error('a request without an action passed the validation');
  }
}

/** Whether the Accept header prefers text/plain to JSON. Without a header: JSON. */
function prefersPlainText(accept: string | undefined): boolean {
  const headers = { accept: accept ?? 'application/json' };
  return (
    accepts({ headers } as Partial<IncomingMessage> as IncomingMessage).type(['application/json', 'text/plain']) ===
    'text/plain'
  );
}
